"""Lengths (norms), cosines, distances, permutations and choices of rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array

CLOSE = {4: 1e-5, 8: 1e-9}  # of float32 and float64: within it, relative to the largest size, numbers count as equal


def row_norms(rows: Array) -> Array:
    """Return √(Σ x²) of each row, in float64: in float32 the squares of small gradients underflow."""
    fine = rows.astype(np.float64)
    return np.sqrt(np.vecdot(fine, fine))


def row_cosines(a: Array, b: Array) -> Array:
    """Return the cosine between each row of a and the same row of b; 0 where either row is 0."""
    norms = row_norms(a) * row_norms(b)
    return np.divide(np.vecdot(a, b), norms, out=np.zeros_like(norms), where=norms > 0)


def row_distances(before: Array, after: Array) -> Array:
    """Return the Euclidean distance between each row of `before` and the same row of `after`."""
    return row_norms(after - before)


def largest_difference(before: Array, after: Array, places: Sequence[int] | None = None) -> float:
    """Return the largest absolute difference of two arrays; `places` selects and orders the rows of `after`."""
    chosen = after if places is None else after[list(places)]
    return float(np.abs(chosen - before).max(initial=0))


def reorder(rows: Array, order: Sequence[int] | Array) -> Array:
    """Return the rows permuted: row i of the result is row order[i]."""
    return rows[np.asarray(order, int)]


def snapped(values: Array) -> Array:
    """Return numbers of which those that differ by rounding alone, relative to the largest of their row, are equal."""
    sizes = np.abs(values)
    largest = sizes.max(axis=-1, keepdims=True, initial=0, where=np.isfinite(sizes))
    return np.round(values / np.where(largest > 0, CLOSE[values.dtype.itemsize] * largest, 1))


def equal_to_largest(values: Array) -> NDArray[np.bool_]:
    """Return which numbers of each row (..., S) are as large as the largest, apart from rounding."""
    own = snapped(values)
    return own == own.max(axis=-1, keepdims=True, initial=-np.inf)


def first_largest(values: Array) -> NDArray[np.intp]:
    """Return where the largest number of each row (..., S) is; of equal ones, apart from rounding, the first."""
    return equal_to_largest(values).argmax(axis=-1)
