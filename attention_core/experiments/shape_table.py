"""The glossary of shapes for given sizes: each array of attention with its shape and meaning."""

import math
from typing import NamedTuple

from attention_core.checks import whole


class Shape(NamedTuple):
    """One array of multi-head attention."""

    name: str
    letters: tuple[str, ...]  # names of the axes
    sizes: tuple[int, ...]
    meaning: str

    @property
    def numbers(self) -> int:
        """Return how many numbers the array holds."""
        return math.prod(self.sizes)


def attention_shapes(length: int, d_model: int, n_heads: int) -> list[Shape]:
    """Return every array of multi-head attention, in order of computation."""
    t, d, h = whole("length", length, 1), whole("d_model", d_model, 1), whole("n_heads", n_heads, 1)
    if d % h:
        raise ValueError(f"d_model must be a multiple of n_heads, got {d_model} and {n_heads}")
    k = d // h
    return [
        Shape("X", ("T", "D"), (t, d), "a row for each word"),
        Shape("W_Q, W_K, W_V", ("D", "D"), (d, d), "three matrices, learned: each makes rows of another kind"),
        Shape("q, k, v", ("H", "T", "K"), (h, t, k), "a query, a key and a value for each word and head"),
        Shape("scores", ("H", "T", "T"), (h, t, t), "every query with every key"),
        Shape("weights", ("H", "T", "T"), (h, t, t), "the same as shares: each row sums to 1"),
        Shape("mix", ("H", "T", "K"), (h, t, k), "for each word the mean of the values, by its shares"),
        Shape("joined", ("T", "D"), (t, d), "the heads of a word side by side again"),
        Shape("W_O", ("D", "D"), (d, d), "learned: mixes what the heads found"),
        Shape("output", ("T", "D"), (t, d), "what attention adds to each word"),
    ]
