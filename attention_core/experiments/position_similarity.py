"""How alike positions are: products of rows by their distance, and what must stay constant if an encoding is right."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import floats
from attention_core.equations.positions import frequencies, rotate
from attention_core.rows import row_norms


class ByDistance(NamedTuple):
    """A square table read along its diagonals: what there is at each distance from 0 to T - 1."""

    distance: Array  # (T,)
    mean: Array  # (T,)
    low: Array  # (T,)
    high: Array  # (T,)


class Meters(NamedTuple):
    """What is 0 if an encoding of waves is right, up to rounding."""

    diagonals: float  # the largest difference of two products p · p at one distance
    norms: float  # the largest difference of the lengths of two rows
    steps: float  # how far the next row is from this one with each pair turned by its own angle


def products(rows: ArrayLike) -> Array:
    """Return P Pᵀ: the dot product of every row with every other."""
    array = floats("rows", rows, ndim=2)
    return array @ array.mT


def cosines(rows: ArrayLike) -> Array:
    """Return the cosine between every two rows, 0 where one of them is 0: the product as if all had length 1."""
    array = floats("rows", rows, ndim=2)
    long = row_norms(array)[..., None]
    return products(np.divide(array, long, out=np.zeros_like(array), where=long > 0))


def closest_rows(rows: ArrayLike) -> tuple[int, int, float]:
    """Return the two rows that point most nearly the same way, the lower one first, and the cosine between them."""
    alike = cosines(rows)
    if len(alike) < 2:
        raise ValueError(f"rows must be at least 2, got {len(alike)}")
    alike[np.tril_indices(len(alike))] = -np.inf
    first, second = np.unravel_index(alike.argmax(), alike.shape)
    return int(first), int(second), float(alike[first, second])


def by_distance(table: ArrayLike) -> ByDistance:
    """Return what a square table (T, T) holds at each distance from its diagonal, on both sides."""
    square = floats("table", table, ndim=2)
    if square.ndim != 2 or square.shape[0] != square.shape[1]:
        raise ValueError(f"table must be square, got shape {square.shape}")
    both = [np.r_[np.diagonal(square, d), np.diagonal(square, -d)] for d in range(len(square))]
    mean, low, high = (np.array([f(values) for values in both]) for f in (np.mean, np.min, np.max))
    return ByDistance(np.arange(len(square)), mean, low, high)


def diagonal_spread(table: ArrayLike) -> float:
    """Return the largest difference of two numbers of a square table at the same distance: 0 if only that counts."""
    found = by_distance(table)
    return float((found.high - found.low).max(initial=0))


def step_error(encoding: ArrayLike, base: float = 10000.0) -> float:
    """Return how far rows are from the row before with its pairs (2i, 2i+1) turned by base^(-2i/D).

    A last column without a partner takes no part.
    """
    rows = floats("encoding", encoding, ndim=2)
    n_pairs = rows.shape[-1] // 2
    turns = frequencies(rows.shape[-1], base)[:n_pairs]
    sines, cosines = rows[:, 0 : 2 * n_pairs : 2], rows[:, 1 : 2 * n_pairs : 2]  # (T, D / 2)
    next_sines = sines * np.cos(turns) + cosines * np.sin(turns)
    next_cosines = cosines * np.cos(turns) - sines * np.sin(turns)
    errors = np.abs([next_sines[:-1] - sines[1:], next_cosines[:-1] - cosines[1:]])
    return float(errors.max(initial=0))


def encoding_meters(encoding: ArrayLike, base: float = 10000.0) -> Meters:
    """Return the three numbers that are 0 for the right encoding: a wrong one moves at least one of them."""
    long = row_norms(encoding)
    return Meters(diagonal_spread(products(encoding)), float(np.ptp(long)), step_error(encoding, base))


def rope_products(q: ArrayLike, k: ArrayLike, base: float = 10000.0, offset: int = 0) -> Array:
    """Return the dot products of q and k after both were turned by their positions, which start at an offset."""
    return rotate(q, base, offset) @ rotate(k, base, offset).mT
