"""The words of the small stories: persons, things, locations, animals, and words that only vary a sentence."""

from __future__ import annotations

from attention_core.data_files import read_table

TABLES = read_table(__file__)
FREE: dict[str, str] = TABLES.pop("free")  # words that only vary a sentence, by one of them
ROLES, IN_PLOTS = TABLES.pop("cast"), TABLES.pop("narrowed")
LISTS: dict[str, tuple[str, ...]] = {name: tuple(words.split()) for name, words in TABLES.items()}


def words_of(lists: str) -> tuple[str, ...]:
    """Return the words of some lists."""
    return tuple(word for name in lists.split() for word in LISTS[name])


CAST = {role: words_of(lists) for role, lists in ROLES.items()}  # who or what can have a role of the plots
NARROWED = {plot: {role: words_of(lists) for role, lists in roles.items()} for plot, roles in IN_PLOTS.items()}
GIRLS, BOYS, STORY_COLOURS, STORY_THINGS = LISTS["girls"], LISTS["boys"], CAST["X.c"], CAST["X"]
PREPOSITIONS = {"L": "at", "S": "behind", "R": "in", "T": "under"}  # of each role that is a place
PAIRS = {"A": "B", "X": "Y", "X.c": "Y.c"}  # of two kinds: a girl and a boy, one thing can break, one colour is warm
PARTNERS = PAIRS | {other: role for role, other in PAIRS.items()}
FIRST_KIND = frozenset(words_of("girls breakable warm"))


def cast_of(plot: str) -> dict[str, tuple[str, ...]]:
    """Return who or what can have each role in a plot."""
    return {**CAST, **NARROWED.get(plot, {})}
