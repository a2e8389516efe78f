"""Sentences: the one a student types, the numbers they type, and the ones that say what a picture shows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pages.look.html import number, quoted

Matrix = NDArray[np.floating[Any]]


def first_query(words: Sequence[str], otherwise: int = 2) -> int:
    """Return which word asks at first: the last “it” that does not begin the sentence, or else another."""
    its = [i for i, word in enumerate(words) if i and word.rstrip("₀₁₂₃₄₅₆₇₈₉") == "it"]
    return its[-1] if its else min(otherwise, len(words) - 1)


def brightest_cell(weights: Matrix, labels: list[str], row: int | None = None, keys: list[str] | None = None) -> str:
    """Return a sentence on the largest weight, of a row or of the whole map; `keys` are other words than the rows."""
    if row is None:
        if len(weights) > 1 and weights.any():
            return largest_weight(weights, labels)
        row = 0
    keys = keys or labels
    best, asks = float(weights[row].max()), quoted(labels[row])
    largest = [quoted(keys[key]) for key in np.flatnonzero(weights[row] >= best - 1e-9)]
    if best == 0:
        return f"{asks} has no key to attend to, so all its weights are 0."
    if len(largest) == len(keys) > 1:
        return f"{asks} attends equally to all words: {best:.2f} each."
    if len(largest) > 1:
        more = f" and {len(largest) - 3} more" if len(largest) > 3 else ""
        return f"{asks} attends most, and equally, to {' and '.join(largest[:3])}{more}: {best:.2f} each."
    alone = np.count_nonzero(weights[row]) == 1
    return f"{asks} attends {'only' if alone else 'most'} to {largest[0]}: {best:.2f}."


def largest_weight(weights: Matrix, labels: list[str]) -> str:
    """Return a sentence on the largest weight of a map, of those rows that have more than one key to weigh.

    Where several look as large, it is one between two words, if there is any.
    """
    if np.ptp(weights) < 1e-9:
        return f"All weights are equal: {weights[0, 0]:.2f}."
    weighs = (weights > 0).sum(axis=-1) > 1
    shown = np.where(weighs[:, None] if weighs.any() else True, weights, -1.0).round(2)
    row, key = max(np.argwhere(shown == shown.max()).tolist(), key=lambda cell: (cell[0] != cell[1], cell[0] > 0))
    apart = "Apart from rows with a single weight, " if weights.max().round(2) > shown.max() else ""
    one = "one of the largest weights" if (weights.round(2) == shown.max()).sum() > 1 else "the largest weight"
    said = f"{apart}{one} is {weights[row, key]:.2f}, from {quoted(labels[row])} to {quoted(labels[key])}."
    return said[0].upper() + said[1:]


def largest_number(values: Matrix, rows: list[str], columns: list[str], what: str) -> str:
    """Return a sentence on the number furthest from zero."""
    if not values.any():
        return f"{what}: every number is 0."
    row, column = np.unravel_index(np.abs(values).argmax(), values.shape)
    where = f"in row {quoted(rows[row])}, column {quoted(columns[column])}"
    others = ", among others" if np.isclose(np.abs(values), abs(values[row, column])).sum() > 1 else ""
    return f"{what} furthest from zero: {number(values[row, column])}, {where}{others}."


def rows_that_moved(moved: NDArray[np.bool_], name: str) -> str:
    """Return a sentence on how many rows of a matrix changed."""
    n_moved = int(moved.any(axis=-1).sum())
    return f"{name}: {n_moved} of {len(moved)} rows changed" if n_moved else f"{name}: no row changed"
