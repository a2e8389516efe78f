"""Mistakes made on purpose, so that a lesson can show what they do."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import floats


def softmax_without_shift(x: ArrayLike) -> Array:
    """Return e^x / sum(e^x) over the last axis, as the formula stands in a textbook.

    Wrong: nothing is subtracted before the exponential, and e^710 is more than a float64 can hold. From there on the
    student sees NaN, which is inf / inf, in place of the largest weight, and 0 in place of the others; far below
    zero, where every exponential is 0, NaN everywhere.
    """
    with np.errstate(all="ignore"):  # the NaN is the lesson, a warning would spoil it
        values = np.exp(floats("x", x, ndim=1).astype(np.float64))
        return values / values.sum(axis=-1, keepdims=True)
