"""Rows of attention weights: what of them is on blocked keys, and each computed alone."""

import numpy as np

from attention_core.arrays import Array


def weight_on_blocked(weights: Array, blocked: Array) -> Array:
    """Return how much weight each row gives to blocked keys."""
    return np.where(blocked, weights, 0.0).sum(axis=-1)
