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

STORY_COLOURS = ("red", "blue", "green", "yellow", "white", "black", "pink", "brown")
USES_OF_BREAKABLE = {  # what one does with a thing that can break
    "basket": "carried",
    "bell": "rang",
    "boat": "pushed",
    "box": "opened",
    "cart": "pulled",
    "cup": "filled",
    "drum": "played",
    "kite": "held",
    "lamp": "lit",
    "wheel": "rolled",
}
BREAKABLE = tuple(USES_OF_BREAKABLE)
USES = USES_OF_BREAKABLE | {  # and with one that does not
    "ball": "threw",
    "blanket": "carried",
    "book": "read",
    "coat": "wore",
    "hat": "wore",
    "ring": "wore",
    "rope": "pulled",
    "scarf": "wore",
}
CARRIERS = ("basket", "box", "cart")
COVERS = ("blanket", "coat", "scarf")

LOCATIONS = {  # where one can go, with its preposition
    **dict.fromkeys(("barn", "field", "forest", "garden", "park", "village", "woods"), "in"),
    **dict.fromkeys(("beach", "bridge", "castle", "lake", "market", "river", "school", "zoo"), "at"),
    **dict.fromkeys(("farm", "hill", "island"), "on"),
}
CORNERS = {  # where a lost thing can lie
    **dict.fromkeys(("bench", "bush", "ladder", "tree"), "under"),
    **dict.fromkeys(("fence", "gate", "rock", "wall"), "behind"),
    **dict.fromkeys(("grass", "hay", "hole", "sand"), "in"),
    **dict.fromkeys(("path", "roof", "stairs"), "on"),
}
ROOMS = {  # where one can put a thing at home
    **dict.fromkeys(("bed", "desk", "rug", "table"), "under"),
    **dict.fromkeys(("clock", "curtain", "door", "stove"), "behind"),
    **dict.fromkeys(("closet", "drawer", "hall", "kitchen"), "in"),
    **dict.fromkeys(("chair", "shelf", "sofa"), "on"),
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
