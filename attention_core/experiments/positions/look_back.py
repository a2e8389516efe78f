"""A head built by hand that attends to the word a number of positions before its own, from positions alone."""

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.positions import shift_matrix
from attention_core.experiments.qkv.one_head import HeadMatrices

FURTHEST = 1 << 20  # positions


def look_back_head(steps: int, d_model: int, sharpness: float = 1.0, base: float = 10000.0) -> HeadMatrices:
    """Return the head W_Q = sharpness · M(-steps), W_K = W_V = 1 over sinusoidal positions.

    The query of position t is the vector of position t - steps, so its product with that position's key is the largest.
    """
    back = shift_matrix(-steps, d_model, base)
    return HeadMatrices(sharpness * back, np.eye(d_model), np.eye(d_model))


def weights_back(weights: Array, steps: int) -> Array:
    """Return the weight of each query on the key `steps` positions before it, where there is one."""
    return np.diagonal(weights, -steps)
