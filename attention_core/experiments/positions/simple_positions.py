"""Two simple position codes that models do not add to words: the number of the position, and a one-hot vector."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import floats, whole
from attention_core.experiments.positions.position_similarity import cosine_matrix
from attention_core.rows import row_cosines


def counted_positions(length: int, d_model: int) -> Array:
    """Return (T, D): the number of each position, 1, 2, 3 ..., in every column."""
    numbers = np.arange(1.0, whole("length", length, 0) + 1)
    return np.repeat(numbers[:, None], whole("d_model", d_model, 1), axis=1)


def one_hot_positions(length: int, d_model: int) -> Array:
    """Return (T, D): a 1 in the column of each position; zeros for positions that have no column."""
    return np.eye(whole("length", length, 0), whole("d_model", d_model, 1))


def word_left(x: ArrayLike, positions: ArrayLike) -> Array:
    """Return (T,): how similar the words are to their sums with each position: the mean cosine of x and x + p."""
    words, rows = floats("x", x, ndim=2), floats("positions", positions, ndim=2)
    return np.array([row_cosines(words, words + row).mean() for row in rows])


def similarity_to(positions: ArrayLike, position: int) -> Array:
    """Return (T,): the cosine of each position's vector with that of one position."""
    similar = cosine_matrix(positions)
    return similar[whole("position", position, 0, len(similar) - 1)]
