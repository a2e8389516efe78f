"""Overflow and saturation of softmax, and the remedy for each."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import floats, real, whole
from attention_core.experiments.scaling.head_metrics import jacobian_norm


class SoftmaxOutcome(NamedTuple):
    """Softmax of one row in float32, and whether it overflowed."""

    scores: Array  # (S,), after division and added constant
    exponentials: Array  # (S,), after subtraction of the maximum, if any
    weights: Array  # (S,), NaN where inf was divided by inf or 0 by 0
    overflowed: bool  # whether any exponential, their sum or a weight is not finite
    largest: float  # weight; NaN once overflowed
    gradient: float  # norm of d weights / d scores; NaN once overflowed


class Remedies(NamedTuple):
    """The same row with neither remedy, with each, and with both."""

    neither: SoftmaxOutcome
    divided: SoftmaxOutcome
    subtracted: SoftmaxOutcome
    both: SoftmaxOutcome


def softmax_in_float32(products: ArrayLike, constant: float, divide_by: float, subtract: bool) -> SoftmaxOutcome:
    """Return softmax of products / divide_by + constant in float32, with or without subtracting the maximum."""
    row = floats("products", products, ndim=1)
    if row.ndim != 1 or not row.size:
        raise ValueError(f"products must be one row, got shape {row.shape}")
    by = real("divide_by", divide_by, "above 0", lambda value: value > 0)
    scores = (row / by + real("constant", constant)).astype(np.float32)
    with np.errstate(all="ignore"):  # the lesson shows the overflow
        exponentials = np.exp(scores - scores.max() if subtract else scores)
        total = exponentials.sum()  # may be inf although no exponential is: then all weights are 0
        weights = exponentials / total
    overflowed = not (np.isfinite(total) and np.isfinite(weights).all())
    if overflowed:
        return SoftmaxOutcome(scores, exponentials, weights, True, math.nan, math.nan)
    return SoftmaxOutcome(scores, exponentials, weights, False, float(weights.max()), float(jacobian_norm(weights)))


def remedies(products: ArrayLike, row: int, constant: float, divide_by: float) -> Remedies:
    """Return the softmax of one row with and without division, with and without subtracting the maximum."""
    table = floats("products", products, ndim=2)
    chosen = table[whole("row", row, 0, len(table) - 1)]
    return Remedies(
        *(softmax_in_float32(chosen, constant, by, subtract) for subtract in (False, True) for by in (1.0, divide_by))
    )
