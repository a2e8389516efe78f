"""Overflow and saturation of softmax, and the remedy for each."""

import math
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array


class SoftmaxOutcome(NamedTuple):
    """Softmax of one row in float32, and whether it overflowed."""

    scores: Array  # (S,), after division, added constant and subtraction of the maximum, if any
    exponentials: Array  # (S,)
    weights: Array  # (S,), NaN where inf was divided by inf or 0 by 0
    overflowed: bool  # whether any exponential, their sum or a weight is not finite
    largest: float  # weight; NaN once overflowed


class Remedies(NamedTuple):
    """The same row with neither remedy, with each, and with both."""

    neither: SoftmaxOutcome
    divided: SoftmaxOutcome
    subtracted: SoftmaxOutcome
    both: SoftmaxOutcome


def softmax_in_float32(products: Array, constant: float, divide_by: float, subtract: bool) -> SoftmaxOutcome:
    """Return softmax of products / divide_by + constant in float32, with or without subtracting the maximum."""
    scores = (products / divide_by + constant).astype(np.float32)
    scores -= scores.max() * subtract
    with np.errstate(all="ignore"):  # the lesson shows the overflow
        exponentials = np.exp(scores)
        total = exponentials.sum()  # may be inf although no exponential is: then all weights are 0
        weights = exponentials / total
    overflowed = not (np.isfinite(total) and np.isfinite(weights).all())
    if overflowed:
        return SoftmaxOutcome(scores, exponentials, weights, True, math.nan)
    return SoftmaxOutcome(scores, exponentials, weights, False, float(weights.max()))


def remedies(products: Array, row: int, constant: float, divide_by: float) -> Remedies:
    """Return the softmax of one row with and without division, with and without subtracting the maximum."""
    chosen = products[row]
    return Remedies(
        *(softmax_in_float32(chosen, constant, by, subtract) for subtract in (False, True) for by in (1.0, divide_by))
    )
