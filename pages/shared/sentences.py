"""Sentences: the one a student types, the numbers they type, and the ones that say what a picture shows."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.hand_set import LONGEST
from attention_core.text import LONGEST_WORD, fitting, split_words
from pages.shared.markup import number, quoted

Matrix = NDArray[np.floating[Any]]
MOST_NUMBERS = 8


def words_of(text: str, usual: str) -> tuple[list[str], str | None]:
    """Return the words of a sentence, and a note if some had to be left out, or if there are none."""
    words = split_words(text)
    if not words:
        return split_words(usual), "There is no word in the field yet, so this is the usual sentence."
    used = [fitting(word) for word in words[:LONGEST]]
    notes = []
    if len(words) > LONGEST:
        notes.append(f"Only the first {LONGEST} of your {len(words)} words are used, so that they fit the picture.")
    if used != words[:LONGEST]:
        notes.append(f"Of a word that is longer than {LONGEST_WORD} letters, or too high, only the beginning is used.")
    return used, " ".join(notes) or None


def numbers_of(text: str) -> list[float] | None:
    """Return the numbers that a text lists, at most eight between -99 and 99, or None if it is no such list."""
    parts = text.replace(",", " ").replace(";", " ").split()
    try:
        numbers = [float(part.replace("−", "-")) for part in parts]
    except ValueError:
        return None
    return (
        numbers
        if 0 < len(numbers) <= MOST_NUMBERS and all(math.isfinite(x) and abs(x) <= 99 for x in numbers)
        else None
    )


def vectors_of(texts: dict[str, str], defaults: dict[str, str]) -> tuple[Matrix, list[str]]:
    """Return the vectors that a student typed, one row each, and notes on what had to be mended."""
    notes, rows = [], []
    for name, text in texts.items():
        numbers = numbers_of(text)
        if numbers is None:
            limits = f"up to {MOST_NUMBERS} numbers between −99 and 99, such as “{defaults[name]}”"
            notes.append(f"The vector of {name} must be {limits}; it stands so for now.")
            numbers = numbers_of(defaults[name]) or [0.0]
        rows.append(numbers)
    width = max(map(len, rows))
    if min(map(len, rows)) < width:
        notes.append(
            f"Vectors can only be multiplied at the same length: the shorter are filled with zeros to {width}."
        )
    return np.array([row + [0.0] * (width - len(row)) for row in rows]), notes


def brightest_cell(weights: Matrix, labels: list[str], row: int | None = None) -> str:
    """Return where the largest weight lies, of a row or of all: what it says, and no more."""
    if row is None:
        row = int(weights.max(axis=-1).argmax())
    best, asks = float(weights[row].max()), quoted(labels[row])
    keys = [quoted(labels[key]) for key in np.flatnonzero(weights[row] >= best - 1e-9)]
    if best == 0:
        return f"{asks} may look at nothing: all its weights are 0."
    if len(keys) == len(labels) > 1:
        return f"{asks} looks at all words alike: {best:.2f} each."
    if len(keys) > 1:
        more = f" and {len(keys) - 3} more" if len(keys) > 3 else ""
        return f"{asks} looks most, and equally, at {' and '.join(keys[:3])}{more}: {best:.2f} each."
    return f"{asks} looks most at {keys[0]}: {best:.2f}."


def largest_number(values: Matrix, rows: list[str], columns: list[str], what: str) -> str:
    """Return where the number furthest from zero lies."""
    if not values.any():
        return f"{what}: every number is 0."
    row, column = np.unravel_index(np.abs(values).argmax(), values.shape)
    where = f"in row {quoted(rows[row])}, column {quoted(columns[column])}"
    others = ", among others" if np.isclose(np.abs(values), abs(values[row, column])).sum() > 1 else ""
    return f"{what} furthest from zero: {number(values[row, column])}, {where}{others}."


def rows_that_moved(moved: NDArray[np.bool_], name: str) -> str:
    """Return how many rows of a matrix have moved."""
    n_moved = int(moved.any(axis=-1).sum())
    return f"{name}: {n_moved} of {len(moved)} rows moved" if n_moved else f"{name}: nothing moved"
