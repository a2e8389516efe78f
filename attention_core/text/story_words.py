"""The words of the small stories: persons, things, locations, animals, and words that only vary a sentence."""

from __future__ import annotations

GIRLS = (
    *("Alice", "Anna", "Clara", "Ella", "Emma", "Eva", "Grace", "Ida", "Jane", "Kate"),
    *("Lily", "Lucy", "Maya", "Mia", "Molly", "Nora", "Rosa", "Ruby", "Sara", "Zoe"),
)
BOYS = (
    *("Adam", "Ben", "David", "Finn", "Henry", "Hugo", "Jack", "Karl", "Leo", "Luke"),
    *("Max", "Noah", "Omar", "Oscar", "Paul", "Peter", "Ravi", "Sam", "Theo", "Tom"),
)
NAMES = GIRLS + BOYS
KIN = ("mother", "father", "grandmother", "grandfather", "aunt", "uncle", "sister", "brother", "cousin", "teacher")

STORY_COLOURS = ("red", "blue", "green", "yellow", "white", "black", "pink", "brown", "purple", "grey")
USES_OF_BREAKABLE = {  # what one does with a thing that can break
    "basket": "carried",
    "bell": "rang",
    "boat": "pushed",
    "bottle": "filled",
    "box": "opened",
    "bucket": "filled",
    "car": "pushed",
    "cart": "pulled",
    "crown": "wore",
    "cup": "filled",
    "doll": "held",
    "drum": "played",
    "fan": "waved",
    "flute": "played",
    "guitar": "played",
    "hoop": "rolled",
    "horn": "blew",
    "jug": "filled",
    "kite": "held",
    "lamp": "lit",
    "lantern": "lit",
    "mask": "wore",
    "mirror": "held",
    "parasol": "opened",
    "puppet": "moved",
    "robot": "moved",
    "train": "pulled",
    "trumpet": "blew",
    "violin": "played",
    "wagon": "pulled",
    "wheel": "rolled",
    "whistle": "blew",
}
BREAKABLE = tuple(USES_OF_BREAKABLE)
USES = USES_OF_BREAKABLE | {  # and with one that does not
    "bag": "carried",
    "ball": "threw",
    "balloon": "held",
    "bear": "hugged",
    "blanket": "carried",
    "book": "read",
    "brush": "used",
    "button": "rolled",
    "cap": "wore",
    "coat": "wore",
    "dress": "wore",
    "feather": "waved",
    "flag": "waved",
    "hat": "wore",
    "jacket": "wore",
    "marble": "rolled",
    "pencil": "used",
    "pillow": "hugged",
    "ribbon": "waved",
    "ring": "wore",
    "rope": "pulled",
    "scarf": "wore",
    "shawl": "wore",
    "shell": "held",
    "towel": "carried",
}
CARRIERS = ("bag", "basket", "box", "bucket", "cart", "wagon")
COVERS = ("blanket", "coat", "jacket", "scarf", "shawl", "towel")

LOCATIONS = {  # where one can go, with its preposition
    **dict.fromkeys(("barn", "field", "forest", "garden", "meadow", "orchard", "park", "playground"), "in"),
    **dict.fromkeys(("square", "street", "valley", "village", "woods", "yard"), "in"),
    **dict.fromkeys(("beach", "bridge", "castle", "church", "circus", "fair", "harbour", "lake", "library"), "at"),
    **dict.fromkeys(("market", "mill", "museum", "pond", "river", "school", "station", "tower", "well", "zoo"), "at"),
    **dict.fromkeys(("farm", "hill", "island", "road"), "on"),
}
CORNERS = {  # where a lost thing can lie
    **dict.fromkeys(("bench", "bush", "ladder", "leaves", "net", "tent", "tree"), "under"),
    **dict.fromkeys(("barrel", "fence", "gate", "log", "rock", "sign", "wall"), "behind"),
    **dict.fromkeys(("ditch", "grass", "hay", "hole", "mud", "sand", "shade"), "in"),
    **dict.fromkeys(("path", "roof", "stairs", "steps", "stone"), "on"),
}
ROOMS = {  # where one can put a thing at home
    **dict.fromkeys(("bed", "desk", "rug", "sink", "table"), "under"),
    **dict.fromkeys(("clock", "curtain", "door", "stove"), "behind"),
    **dict.fromkeys(("attic", "cellar", "closet", "cupboard", "drawer", "hall", "kitchen"), "in"),
    **dict.fromkeys(("chair", "shelf", "sofa", "windowsill"), "on"),
}

THIEVES = ("cat", "crow", "dog", "donkey", "fox", "goat", "goose", "magpie", "monkey", "parrot", "pony", "raccoon")
FOUND = ("bird", "duck", "frog", "hedgehog", "hen", "kitten", "lamb", "mouse", "piglet", "puppy", "rabbit", "squirrel")
FOOD = (
    *("apples", "berries", "bread", "butter", "cake", "carrots", "cheese", "corn", "grapes", "honey"),
    *("milk", "nuts", "oats", "pie", "rice", "salad", "seeds", "soup"),
)

FREE = {  # words that only vary a sentence: nothing before determines them, and nothing after depends on them
    "young": "brave calm cheerful clever curious friendly funny gentle kind little lively polite quiet shy young",
    "fine": "bright cold fine hot sunny warm windy",
    "day": "afternoon day evening morning",
    "sad": "miserable sad unhappy upset worried",
    "happy": "cheerful glad happy pleased proud",
    "dear": "beautiful favourite lovely precious special",
    "walked": "hurried ran walked went",
    "town": "city house town village",
    "hungry": "big clever fast hungry naughty thin wild",
    "tiny": "lonely lost poor small tiny weak",
    "cold": "afraid cold hurt hungry ill thirsty tired wet",
    "glue": "glue nails paint paste string tape thread wire",
    "slipped": "fell jumped sneezed slipped stumbled turned",
    "loud": "aloud happily loudly softly",
    "gently": "carefully gently quickly quietly slowly",
    "often": "always often sometimes usually",
    "cried": "called cried shouted",
    "good": "dear good great true wonderful",
}

PREPOSITIONS = LOCATIONS | CORNERS | ROOMS
CAST: dict[str, tuple[str, ...]] = {  # who or what can have a role of the plots
    **dict.fromkeys("AB", NAMES),
    **dict.fromkeys("XY", tuple(USES)),
    **dict.fromkeys(("X.c", "Y.c"), STORY_COLOURS),
    **dict.fromkeys("GH", KIN),
    **dict.fromkeys("RT", tuple(ROOMS)),
    "L": tuple(LOCATIONS),
    "S": tuple(CORNERS),
    "K": THIEVES + FOUND,
    "F": FOOD,
}
NARROWED: dict[str, dict[str, tuple[str, ...]]] = {  # in some plots
    "broken": {"X": BREAKABLE},
    "stolen": {"K": THIEVES},
    "saved": {"K": FOUND, "X": CARRIERS, "Y": COVERS},
}
PAIRS = {"A": "B", "X": "Y", "X.c": "Y.c", "R": "T"}  # roles that are never the same
PARTNERS = PAIRS | {other: role for role, other in PAIRS.items()}


def cast_of(plot: str) -> dict[str, tuple[str, ...]]:
    """Return who or what can have each role in a plot."""
    return {**CAST, **NARROWED.get(plot, {})}
