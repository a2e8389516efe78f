"""A head built by hand that attends to the word a number of positions before its own, from positions alone."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import floats, real, whole
from attention_core.equations.positions import shift_matrix
from attention_core.experiments.qkv.one_head import HeadMatrices

FURTHEST = 1 << 20  # positions


def look_back_head(steps: int, d_model: int, sharpness: float = 1.0, base: float = 10000.0) -> HeadMatrices:
    """Return the head W_Q = sharpness · M(-steps), W_K = W_V = 1 over sinusoidal positions.

    The query of position t is the vector of position t - steps, so its product with that position's key is the largest.
    """
    back = shift_matrix(-whole("steps", steps, -FURTHEST, FURTHEST), d_model, base)
    return HeadMatrices(real("sharpness", sharpness) * back, np.eye(d_model), np.eye(d_model))


def weights_back(weights: ArrayLike, steps: int) -> Array:
    """Return the weight of each query on the key `steps` positions before it, where there is one."""
    return np.diagonal(floats("weights", weights, ndim=2), -whole("steps", steps, -FURTHEST, FURTHEST))
