"""The words of the small stories: persons, things, locations, animals, and words that only vary a sentence."""

from __future__ import annotations

GIRLS = (
    *("Alice", "Anna", "Clara", "Ella", "Emma", "Eva", "Grace", "Ida", "Jane", "Kate", "Lena", "Lily"),
    *("Lucy", "Maya", "Mia", "Molly", "Nina", "Nora", "Rosa", "Ruby", "Sara", "Tara", "Zoe"),
)
BOYS = (
    *("Adam", "Ben", "David", "Finn", "Henry", "Hugo", "Jack", "Karl", "Leo", "Luke", "Mark", "Max"),
    *("Nick", "Noah", "Omar", "Oscar", "Paul", "Peter", "Ravi", "Sam", "Theo", "Tim", "Tom"),
)
NAMES = GIRLS + BOYS
GIVERS = ("aunt", "cousin", "godfather", "godmother", "grandfather", "grandmother", "neighbour", "uncle")
FAMILY = ("brother", "father", "mother", "nanny", "sister", "stepmother")

WARM = ("red", "yellow", "pink", "orange", "brown")
STORY_COLOURS = (*WARM, "blue", "green", "white", "black", "grey")
BREAKABLE = (
    *("basket", "bell", "boat", "box", "bucket", "cart", "cup", "drum", "jar", "kite", "lamp", "sled"),
    *("violin", "wheel"),
)
STORY_THINGS = (
    *BREAKABLE,
    *("ball", "belt", "blanket", "book", "cap", "coat", "coin", "flag", "hat", "map", "ring", "rope"),
    *("scarf", "towel"),
)

LOCATIONS = (  # where one can go
    *("bakery", "barn", "beach", "bridge", "canal", "castle", "church", "circus", "fair", "farm"),
    *("fountain", "harbour", "lake", "library", "market", "mill", "museum", "palace", "park"),
    *("playground", "pond", "pool", "river", "school", "shop", "stable", "station", "theatre"),
    *("tower", "zoo"),
)
CORNERS = (  # where a lost thing can lie
    *("barrel", "bench", "bush", "fence", "gate", "haystack", "hedge", "ladder", "log", "oak"),
    *("pump", "rock", "shed", "statue", "stone", "tent", "tree", "wagon", "wall", "well"),
)
ROOMS = (  # where one can put a thing at home
    *("attic", "bathroom", "bedroom", "cellar", "chest", "closet", "cupboard"),
    *("drawer", "garage", "hall", "kitchen", "lounge", "pantry", "nursery", "wardrobe"),
)
FURNITURE = (
    *("bed", "carpet", "chair", "couch", "cushion", "desk", "dresser", "mat"),
    *("piano", "pillow", "rug", "sofa", "stairs", "stove", "table"),
)

THIEVES = (
    *("cat", "crow", "dog", "donkey", "fox", "goat", "goose", "magpie"),
    *("monkey", "parrot", "peacock", "pig", "pony", "raccoon", "rooster", "sheep", "turkey"),
)
FOUND = (
    *("bird", "chick", "duck", "frog", "hamster", "hedgehog", "hen", "kitten"),
    *("lamb", "mouse", "piglet", "puppy", "rabbit", "sparrow", "squirrel", "toad", "turtle"),
)
FOOD = (
    *("apples", "beans", "berries", "bread", "butter", "cake", "carrots", "cheese", "cherries"),
    *("cookies", "corn", "fish", "grapes", "honey", "jam", "lettuce", "melon", "noodles", "nuts"),
    *("oats", "pancakes", "pears", "peas", "pie", "plums", "rice", "salad", "seeds", "soup", "toast"),
)

FREE = {  # words that only vary a sentence: nothing before determines them, and nothing after depends on them
    "young": "bold brave calm cheerful clever curious friendly funny gentle jolly kind little lively merry patient "
    "polite proud quiet shy smart sweet tall young",
    "fine": "bright cloudy cold cool dry fine foggy frosty hot mild misty rainy snowy stormy sunny warm windy",
    "day": "afternoon day evening Friday Monday morning Saturday Sunday Thursday Tuesday Wednesday",
    "sad": "gloomy miserable sad unhappy upset worried",
    "dear": "beautiful favourite lovely new old precious pretty special",
    "walked": "hiked hurried marched ran raced skipped strolled walked wandered went",
    "town": "cabin city cottage farmhouse flat house town village",
    "hungry": "bad big clever fast fat greedy hungry naughty noisy rude sly sneaky thin wild",
    "tiny": "little lonely lost poor scared sick small tiny weak",
    "cold": "afraid cold dirty dizzy hurt hungry ill sleepy thirsty tired wet",
    "glue": "clay glue nails paint paste string tape thread wax wire",
    "slipped": "coughed fell jumped laughed sneezed slipped stumbled tripped turned",
    "loud": "aloud brightly cheerfully happily loudly merrily proudly softly sweetly",
    "gently": "calmly carefully gently kindly neatly quickly quietly slowly",
    "often": "always frequently often sometimes usually",
    "cried": "called cried exclaimed shouted yelled",
    "good": "dear fantastic good great splendid true wonderful",
}

PREPOSITIONS = {"L": "at", "S": "behind", "R": "in", "T": "under"}  # of each role that is a place
CAST: dict[str, tuple[str, ...]] = {  # who or what can have a role of the plots
    **dict.fromkeys("AB", NAMES),
    **dict.fromkeys("XY", STORY_THINGS),
    **dict.fromkeys(("X.c", "Y.c"), STORY_COLOURS),
    "G": GIVERS,
    "H": FAMILY,
    "L": LOCATIONS,
    "S": CORNERS,
    "R": ROOMS,
    "T": FURNITURE,
    "K": THIEVES + FOUND,
    "F": FOOD,
}
NARROWED: dict[str, dict[str, tuple[str, ...]]] = {  # in some plots
    "broken": {"X": BREAKABLE},
    "stolen": {"K": THIEVES},
    "saved": {"K": FOUND},
}
PAIRS = {"A": "B", "X": "Y", "X.c": "Y.c"}  # of two kinds: a girl and a boy, one thing can break, one colour is warm
PARTNERS = PAIRS | {other: role for role, other in PAIRS.items()}
FIRST_KIND = frozenset((*GIRLS, *BREAKABLE, *WARM))


def cast_of(plot: str) -> dict[str, tuple[str, ...]]:
    """Return who or what can have each role in a plot."""
    return {**CAST, **NARROWED.get(plot, {})}
