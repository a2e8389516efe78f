"""Mistakes made on purpose, so that a lesson can show what they do."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import floats, whole
from attention_core.masks import Blocked
from attention_core.softmax import softmax

LARGE = -1e9  # what some add in place of -inf


def softmax_without_shift(x: ArrayLike) -> Array:
    """Return e^x / sum(e^x) over the last axis, as the formula stands in a textbook.

    Wrong: nothing is subtracted before the exponential, and e^710 is more than a float64 can hold. From there on the
    student sees NaN, which is inf / inf, in place of the largest weight, and 0 in place of the others; far below
    zero, where every exponential is 0, NaN everywhere.
    """
    with np.errstate(all="ignore"):  # the NaN is the lesson, a warning would spoil it
        values = np.exp(floats("x", x, ndim=1).astype(np.float64))
        return values / values.sum(axis=-1, keepdims=True)


def zeroed_after_softmax(scores: ArrayLike, blocked: Blocked) -> Array:
    """Return softmax(scores) with 0 in the blocked cells.

    Wrong: the shares were divided by a sum that counts the blocked keys too, so what is left sums to less than 1.
    """
    return np.where(mask_of_scores(scores, blocked), 0.0, softmax(scores))


def zeroed_and_divided_again(scores: ArrayLike, blocked: Blocked) -> Array:
    """Return softmax(scores) with 0 in the blocked cells and each row divided by what is left of it.

    Right, by a detour: the sum of all keys cancels. A row of which nothing is left stays 0.
    """
    weights = zeroed_after_softmax(scores, blocked)
    left = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(left == 0, 1, left)


def softmax_of_zeroed_scores(scores: ArrayLike, blocked: Blocked) -> Array:
    """Return softmax(scores times 0 where blocked, times 1 elsewhere).

    Wrong: a score of 0 is a score like any other, and e^0 = 1 is more than the exponential of every score below 0.
    """
    return softmax(np.where(mask_of_scores(scores, blocked), 0.0, scores))


def softmax_with_large_number(scores: ArrayLike, blocked: Blocked, bits: int) -> Array:
    """Return softmax(scores - 10^9 where blocked) in floats of 32 or 64 bits.

    As good as -inf while a row has a key left. In a row without, 10^9 is subtracted from every score alike, and softmax
    does not see that: with 64 bits the row is as if nothing were blocked. With 32 bits the scores are lost beside
    10^9, where the nearest numbers are 64 apart, and every key gets the same share.
    """
    dtype = {32: np.float32, 64: np.float64}.get(whole("bits", bits, 1))
    if dtype is None:
        raise ValueError(f"bits must be 32 or 64, got {bits}")
    added = np.where(mask_of_scores(scores, blocked), LARGE, 0.0).astype(dtype)
    return softmax(floats("scores", scores).astype(dtype) + added)


def triangle_times_infinity(length: int) -> Array:
    """Return a triangle of ones above the diagonal, times -inf.

    Wrong: where the triangle is 0, 0 * -inf is NaN; one NaN in a row of scores makes the whole row NaN.
    """
    with np.errstate(invalid="ignore"):  # the NaN is the lesson
        return np.triu(np.ones((whole("length", length, 0), length)), k=1) * -np.inf


def softmax_of_sum(scores: ArrayLike, mask: ArrayLike) -> Array:
    """Return softmax(scores + mask) as the formula stands, whatever the mask holds: NaN spoils every row it is in."""
    return softmax_without_shift(floats("scores", scores, ndim=1) + floats("mask", mask))


def mask_of_scores(scores: ArrayLike, blocked: Blocked) -> Blocked:
    """Return the mask, or say that it does not fit the scores."""
    mask = np.asarray(blocked)
    if mask.dtype != np.bool_ or mask.shape != np.shape(scores):
        raise ValueError(
            f"blocked must be boolean and of the shape of scores {np.shape(scores)}, got {mask.dtype} {mask.shape}"
        )
    return mask
