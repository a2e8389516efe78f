"""Overflow and saturation: two troubles of softmax, and the two remedies, of which each mends one."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import floats, real, whole
from attention_core.experiments.head_metrics import jacobian_norm


class Softened(NamedTuple):
    """One row of scores made shares in 32 bits, as models reckon, and what became of it."""

    scores: Array  # (S,), divided or not, and the constant added
    exponentials: Array  # (S,), after the maximum was subtracted or not
    weights: Array  # (S,), NaN where inf was divided by inf or 0 by 0
    overflowed: bool  # whether a share is no number
    largest: float  # weight; NaN once overflowed
    gradient: float  # norm of d weights / d scores; NaN once overflowed


class Remedies(NamedTuple):
    """The same row with neither remedy, with each, and with both."""

    neither: Softened
    divided: Softened
    subtracted: Softened
    both: Softened


def softened(products: ArrayLike, constant: float, divide_by: float, subtract: bool) -> Softened:
    """Return e^x / sum(e^x) of a row x = products / divide_by + constant, the maximum subtracted or not."""
    row = floats("products", products, ndim=1)
    if row.ndim != 1 or not row.size:
        raise ValueError(f"products must be one row, got shape {row.shape}")
    by = real("divide_by", divide_by, "above 0", lambda value: value > 0)
    scores = (row / by + real("constant", constant)).astype(np.float32)
    with np.errstate(all="ignore"):  # the overflow is what the lesson shows
        exponentials = np.exp(scores - scores.max() if subtract else scores)
        weights = exponentials / exponentials.sum()
    overflowed = not np.isfinite(weights).all() or not np.isfinite(exponentials).all()
    if overflowed:
        return Softened(scores, exponentials, weights, True, math.nan, math.nan)
    return Softened(scores, exponentials, weights, False, float(weights.max()), float(jacobian_norm(weights)))


def remedies(products: ArrayLike, row: int, constant: float, divide_by: float) -> Remedies:
    """Return what a row of products becomes with and without dividing, with and without subtracting the maximum."""
    table = floats("products", products, ndim=2)
    chosen = table[whole("row", row, 0, len(table) - 1)]
    return Remedies(
        *(softened(chosen, constant, by, subtract) for subtract in (False, True) for by in (1.0, divide_by))
    )
