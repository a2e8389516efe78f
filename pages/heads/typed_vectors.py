"""The vectors that a student typed, used as far as they can be."""

import math

import numpy as np

from pages.look.sentences import Matrix

MOST_NUMBERS = 8
FARTHEST = 99  # from 0


def numbers_of(text: str) -> list[float] | None:
    """Return the numbers that a text lists, at most eight and none too far from 0, or None if it is no such list."""
    parts = text.replace(",", " ").replace(";", " ").split()
    try:
        numbers = [float(part.replace("−", "-")) for part in parts]
    except ValueError:
        return None
    near = all(math.isfinite(x) and abs(x) <= FARTHEST for x in numbers)
    return numbers if near and 0 < len(numbers) <= MOST_NUMBERS else None


def vectors_of(texts: dict[str, str], defaults: dict[str, str]) -> tuple[Matrix, list[str]]:
    """Return the vectors that a student typed, one row each, and notes on what had to be changed."""
    notes, rows = [], []
    for name, text in texts.items():
        numbers = numbers_of(text)
        if numbers is None:
            limits = f"up to {MOST_NUMBERS} numbers between −{FARTHEST} and {FARTHEST}, such as “{defaults[name]}”"
            notes.append(f"The vector of {name} must be {limits}. The default is used instead.")
            numbers = numbers_of(defaults[name]) or [0.0]
        rows.append(numbers)
    width = max(map(len, rows))
    if min(map(len, rows)) < width:
        notes.append(
            f"A dot product needs vectors of one width, so shorter ones are filled with zeros to width {width}."
        )
    return np.array([row + [0.0] * (width - len(row)) for row in rows]), notes
