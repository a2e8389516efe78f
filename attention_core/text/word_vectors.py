"""Random word vectors, and axis labels that distinguish repeated words."""

from collections import Counter
from collections.abc import Iterable
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from attention_core.text.characters import short_label
from attention_core.text.vocabulary import listed

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def word_vector(word: str, width: int, seed: int = 0) -> NDArray[np.float64]:
    """Return the standard normal vector (width,) determined by the word, the width and the seed.

    Case is ignored. The length of the word is part of the seed because NumPy pads short seeds with zeros: words that
    differ only in trailing zeros would get the same vector.
    """
    folded = normalize("NFC", normalize("NFC", word).casefold()).encode("utf-8", "surrogatepass")
    return np.random.default_rng([width, len(folded), *folded, seed]).standard_normal(width)  # (D,)


def word_vectors(words: Iterable[str], width: int, seed: int = 0) -> NDArray[np.float64]:
    """Return the vectors of all words, (T, D)."""
    rows = [word_vector(word, width, seed) for word in listed("words", words)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), width)  # (T, D)


def position_labels(words: Iterable[str]) -> list[str]:
    """Return the words as axis labels; repeated words carry their position: "the₁ cat the₃"."""
    labels = [short_label(word) for word in listed("words", words)]
    while repeated := {label for label, count in Counter(labels).items() if count > 1}:
        labels = [
            label + str(position).translate(SUBSCRIPTS) if label in repeated else label
            for position, label in enumerate(labels, start=1)
        ]
    return labels
