"""Which words a vector is near, before and after the output of a head is added to it, and a plane to see them in."""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.rows import first_largest, row_cosines


class Nearness(NamedTuple):
    """How near the vector of one word is to each word's own: cosines, before and after its output is added."""

    before: Array  # (T,), 0 for a vector of zeros
    after: Array  # (T,)


def add_output(x: Array, output: Array, w_o: Array | None = None) -> Array:
    """Return x + output W_O (T, D); without W_O the output must be as wide as x."""
    return x + (output if w_o is None else output @ w_o)


def nearness(vectors: Array, moved: Array, word: int) -> Nearness:
    """Return the cosines of one word's vector, and of its moved one, with the vectors (T, D) of all words."""
    before, after = (row_cosines(np.broadcast_to(row, vectors.shape), vectors) for row in (vectors[word], moved[word]))
    return Nearness(before, after)


def widest_columns(vectors: Array) -> tuple[int, int]:
    """Return the two columns of vectors (T, D) in which the rows spread over the largest area.

    The area is the determinant of the two columns' covariance: two columns that say the same have none.
    """
    centred = vectors - vectors.mean(axis=0)
    covariance = centred.T @ centred
    variances = covariance.diagonal()
    area = np.triu(np.outer(variances, variances) - covariance**2, 1).round(9)  # of two rows it is rounding alone
    area[np.tril_indices(len(area))] = -np.inf
    first, second = np.unravel_index(first_largest(area.ravel()), area.shape)
    return int(first), int(second)
