"""Sentences: the one a student types, and the one that says what a heatmap shows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.hand_set import LONGEST
from attention_core.text import split_words


def words_of(text: str) -> tuple[list[str], str | None]:
    """Return the words of a sentence, and a note if some had to be left out."""
    words = split_words(text)
    if len(words) <= LONGEST:
        return words, None
    note = f"Only the first {LONGEST} of your {len(words)} words are used, so that they fit the picture."
    return words[:LONGEST], note


def brightest_cell(weights: NDArray[np.floating[Any]], labels: list[str]) -> str:
    """Return where the largest weight lies: what it says, and no more."""
    query, key = np.unravel_index(weights.argmax(), weights.shape)
    return f"“{labels[query]}” looks most at “{labels[key]}”: {weights[query, key]:.2f}."
