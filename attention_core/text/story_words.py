"""The words of the small stories: persons, things, locations, animals, and words that only vary a sentence."""

from __future__ import annotations

import tomllib
from pathlib import Path

TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
FREE: dict[str, str] = TABLES.pop("free")  # words that only vary a sentence, by one of them
LISTS: dict[str, tuple[str, ...]] = {name: tuple(words.split()) for name, words in TABLES.items()}

GIRLS, BOYS, WARM, BREAKABLE = (LISTS[name] for name in ("girls", "boys", "warm", "breakable"))
STORY_COLOURS, STORY_THINGS = WARM + LISTS["cool"], BREAKABLE + LISTS["sturdy"]
PREPOSITIONS = {"L": "at", "S": "behind", "R": "in", "T": "under"}  # of each role that is a place
CAST: dict[str, tuple[str, ...]] = {  # who or what can have a role of the plots
    **dict.fromkeys("AB", GIRLS + BOYS),
    **dict.fromkeys("XY", STORY_THINGS),
    **dict.fromkeys(("X.c", "Y.c"), STORY_COLOURS),
    "G": LISTS["givers"],
    "H": LISTS["family"],
    "L": LISTS["locations"],
    "S": LISTS["corners"],
    "R": LISTS["rooms"],
    "T": LISTS["furniture"],
    "K": LISTS["thieves"] + LISTS["found"],
    "F": LISTS["food"],
}
NARROWED: dict[str, dict[str, tuple[str, ...]]] = {  # in some plots
    "broken": {"X": BREAKABLE},
    "stolen": {"K": LISTS["thieves"]},
    "saved": {"K": LISTS["found"]},
}
PAIRS = {"A": "B", "X": "Y", "X.c": "Y.c"}  # of two kinds: a girl and a boy, one thing can break, one colour is warm
PARTNERS = PAIRS | {other: role for role, other in PAIRS.items()}
FIRST_KIND = frozenset((*GIRLS, *BREAKABLE, *WARM))


def cast_of(plot: str) -> dict[str, tuple[str, ...]]:
    """Return who or what can have each role in a plot."""
    return {**CAST, **NARROWED.get(plot, {})}
