"""Words: a vector that belongs to each, and labels that tell two of the same apart."""

from collections import Counter
from collections.abc import Iterable
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from attention_core.checks import whole
from attention_core.text.characters import short_label
from attention_core.text.vocabulary import listed

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def word_vector(word: str, width: int, seed: int = 0) -> NDArray[np.float64]:
    """Return the standard normal vector that belongs to a word, a width and a seed, and to nothing else.

    Upper and lower case are one word. The length goes in because NumPy fills short seeds up with zeros, and
    without it words that differ only in zeros at their end would share a vector.
    """
    whole("width", width, 1)
    whole("seed", seed, 0)
    folded = normalize("NFC", normalize("NFC", word).casefold()).encode("utf-8", "surrogatepass")
    return np.random.default_rng([width, len(folded), *folded, seed]).standard_normal(width)  # (D,)


def word_vectors(words: Iterable[str], width: int, seed: int = 0) -> NDArray[np.float64]:
    """Return the vectors of all words, one row for each."""
    rows = [word_vector(word, width, seed) for word in listed("words", words)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), whole("width", width, 1))  # (T, D)


def position_labels(words: Iterable[str]) -> list[str]:
    """Return the words as labels of an axis: one that occurs again carries its position, "the₁ cat the₃"."""
    labels = [short_label(word) for word in listed("words", words)]
    while repeated := {label for label, count in Counter(labels).items() if count > 1}:
        labels = [
            label + str(position).translate(SUBSCRIPTS) if label in repeated else label
            for position, label in enumerate(labels, start=1)
        ]
    return labels
