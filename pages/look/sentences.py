"""Sentences: the one a student types, the numbers they type, and the ones that say what a picture shows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pages.look.facts import as_shown, change, furthest, largest
from pages.look.html import number, quoted

Matrix = NDArray[np.floating[Any]]

NO_KEY = "{asks} has no key to attend to, so all its weights are 0."
ONLY = "{asks} attends only to {names}: {value}."
MOST = "{asks} attends most to {names}: {value}."
AS_MUCH = "{asks} attends most to {names}: {value} each."
EACH = "{asks} gives each key the weight {value}."
FLAT = "{asks} gives each key a weight below 0.01."
ALL_EQUAL = "Each weight is {value}."
OF_MAP = "The largest weight is {value}, from {asks} to {key}."
OF_SEVERAL = "One of the largest weights is {value}, from {asks} to {key}."
APART = "Apart from rows with a single weight, {}"
ZERO = "{what}: every number is 0.00."
FURTHEST = "{what} furthest from zero: {signed}, in row {row}, column {column}."
AMONG_OTHERS = "{what} furthest from zero: {signed}, in row {row}, column {column}, among others."


def first_query(words: Sequence[str], otherwise: int = 2) -> int:
    """Return which word asks at first: the last “it” or “they” that does not begin the sentence, or else another."""
    pronouns = [i for i, word in enumerate(words) if i and word.rstrip("₀₁₂₃₄₅₆₇₈₉") in {"it", "they"}]
    return pronouns[-1] if pronouns else min(otherwise, len(words) - 1)


def asking_word(words: Sequence[str], weights: Matrix) -> int:
    """Return which word asks at first: such a pronoun, or the word that gives another the most, if that differs."""
    most = largest((weights * (1 - np.eye(len(words)))).max(axis=-1))  # of itself a word tells little
    return first_query(words, 2 if most.kind == "all" else most.first)


def brightest_cell(weights: Matrix, labels: list[str], row: int | None = None, keys: list[str] | None = None) -> str:
    """Return a sentence on the largest weight, of a row or of the whole map; `keys` are other words than the rows."""
    if row is None:
        if len(weights) > 1 and weights.any():
            return largest_weight(weights, labels)
        row = 0
    own, asks = weights[row], quoted(labels[row])
    if not own.any():
        return NO_KEY.format(asks=asks)
    one = ONLY if np.count_nonzero(own) == 1 else MOST
    return largest(own).tell(keys or labels, none=FLAT, one=one, several=AS_MUCH, all=EACH, asks=asks)


def largest_weight(weights: Matrix, labels: list[str]) -> str:
    """Return a sentence on the largest weight of a map, of those rows that have more than one key to weigh.

    Where several look as large, it is one between two words, if there is any.
    """
    weighs = (as_shown(weights) > 0).sum(axis=-1) > 1
    best = largest(np.where(weighs[:, None] if weighs.any() else True, weights, np.nan))
    if best.kind == "all":
        return ALL_EQUAL.format(value=best.shown)
    cells = (divmod(place, weights.shape[1]) for place in best.places)
    row, key = max(cells, key=lambda cell: (cell[0] != cell[1], cell[0] > 0))
    words = {"asks": quoted(labels[row]), "key": quoted(labels[key])}
    apart = change(best.value, float(weights.max())) == "rises"
    told = best if apart else largest(weights)
    text = told.tell(none=OF_MAP, one=OF_MAP, several=OF_SEVERAL, all=OF_SEVERAL, **words)
    return APART.format(text[0].lower() + text[1:]) if apart else text


def largest_number(values: Matrix, rows: list[str], columns: list[str], what: str) -> str:
    best = furthest(values)
    if best.kind == "none":
        return ZERO.format(what=what)
    row, column = best.cell
    words = {"what": what, "row": quoted(rows[row]), "column": quoted(columns[column])}
    signed = number(float(values[row, column]))
    return best.tell(none=ZERO, one=FURTHEST, several=AMONG_OTHERS, all=AMONG_OTHERS, signed=signed, **words)
