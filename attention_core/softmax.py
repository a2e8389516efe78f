"""Softmax: scores of any size become shares that sum to one."""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, floats, row_sums

FAR_BELOW = 1e-25  # a row whose exponentials sum to less than this lies too far under the common maximum


class Exponentials(NamedTuple):
    """exp(x + mask - shift), its row sums, and the shift: the three parts of a stable softmax."""

    values: Array  # (..., S)
    sums: Array  # (..., 1)
    shift: Array  # scalar, or (..., 1)


def exponentials(x: Array, mask: Array | None = None, out: Array | None = None) -> Exponentials:
    """Return the exponentials of x + mask after a shift that keeps them from overflowing.

    Softmax is the same whatever is subtracted from a row. One maximum for the whole array is cheap and nearly always
    enough (a maximum for each row makes a training step up to 11 % slower); where a row lies so far below it that
    its exponentials would vanish, every row gets its own. A row that is -inf everywhere keeps sum 0.
    """
    shift = x.max(initial=-np.inf) if mask is None else x.max(initial=-np.inf) + mask.max(initial=0)
    if not np.isfinite(shift):
        shift = x.dtype.type(0)
    shifted = np.subtract(x, shift, out=out) if mask is None else np.add(x, mask - shift, out=out)
    values = np.exp(shifted, out=shifted)
    sums = row_sums(values)
    if sums.min(initial=1) < FAR_BELOW:
        masked = x if mask is None else x + mask
        shift = masked.max(axis=-1, keepdims=True)
        shift = np.where(np.isfinite(shift), shift, x.dtype.type(0))
        values = np.exp(np.subtract(masked, shift, out=shifted), out=shifted)
        sums = row_sums(values)
    return Exponentials(values, sums, shift)


def softmax_forward(scores: Array, mask: Array | None = None, out: Array | None = None) -> Array:
    """Return exp(scores + mask) divided by its row sums; rows of -inf give zeros."""
    values, sums, _ = exponentials(scores, mask, out)
    if sums.min(initial=1) == 0:
        sums = np.where(sums == 0, scores.dtype.type(1), sums)
    return np.divide(values, sums, out=values)


def softmax_backward(dweights: Array, weights: Array) -> Array:
    """Return dscores = weights * (dweights - sum(dweights * weights)), written over dweights to save a pass."""
    dweights -= np.vecdot(dweights, weights)[..., None]
    dweights *= weights
    return dweights


def softmax(x: object, axis: int = -1) -> Array:
    """Return e^x / sum(e^x) along an axis, without overflow; a slice that is -inf everywhere gives zeros."""
    array = floats("x", x, ndim=1)
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"axis must be one of the {array.ndim} axes of x, got axis {axis} and x {array.shape}")
    if np.isnan(array).any() or (array == np.inf).any():
        raise ValueError(
            f"x must not hold NaN or +inf, got {np.count_nonzero(~(array < np.inf))} such in x {array.shape}"
        )
    return np.moveaxis(softmax_forward(np.moveaxis(array, axis, -1)), -1, axis)
