"""Two simple position codes that models do not add to words: the number of the position, and a one-hot vector."""

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.positions.position_similarity import cosine_matrix
from attention_core.rows import row_cosines


def counted_positions(length: int, d_model: int) -> Array:
    """Return (T, D): the number of each position, 1, 2, 3 ..., in every column."""
    numbers = np.arange(1.0, length + 1)
    return np.repeat(numbers[:, None], d_model, axis=1)


def one_hot_positions(length: int, d_model: int) -> Array:
    """Return (T, D): a 1 in the column of each position; zeros for positions that have no column."""
    return np.eye(length, d_model)


def word_left(x: Array, positions: Array) -> Array:
    """Return (T,): how similar the words are to their sums with each position: the mean cosine of x and x + p."""
    return np.array([row_cosines(x, x + row).mean() for row in positions])


def similarity_to(positions: Array, position: int) -> Array:
    """Return (T,): the cosine of each position's vector with that of one position."""
    similar = cosine_matrix(positions)
    return similar[position]
