"""The glossary of shapes for given sizes: each array of attention with its shape and meaning."""

import math
from typing import NamedTuple


class Shape(NamedTuple):
    """One array of multi-head attention."""

    name: str
    letters: tuple[str, ...]  # names of the axes
    sizes: tuple[int, ...]
    meaning: str

    @property
    def numbers(self) -> int:
        """Return the number of entries of the array."""
        return math.prod(self.sizes)


def attention_shapes(length: int, d_model: int, n_heads: int) -> list[Shape]:
    """Return every array of multi-head attention, in order of computation."""
    t, d, h, k = length, d_model, n_heads, d_model // n_heads
    return [
        Shape("X", ("T", "D"), (t, d), "one row for each word"),
        Shape("W_Q, W_K, W_V", ("D", "D"), (d, d), "learned: they project words to queries, keys and values"),
        Shape("q, k, v", ("H", "T", "K"), (h, t, k), "one query, key and value for each word and head"),
        Shape("scores", ("H", "T", "T"), (h, t, t), "the score of every query with every key"),
        Shape("attention weights", ("H", "T", "T"), (h, t, t), "softmax of the scores: each row sums to 1"),
        Shape("head outputs", ("H", "T", "K"), (h, t, k), "the weighted sum of the values for each word"),
        Shape("concatenated", ("T", "D"), (t, d), "the head outputs of each word, side by side"),
        Shape("W_O", ("D", "D"), (d, d), "learned: combines the head outputs"),
        Shape("output", ("T", "D"), (t, d), "what attention adds to each word"),
    ]
