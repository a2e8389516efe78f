"""Similarity of positions by distance, and the invariants of a correct encoding."""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.positions import frequencies, rotate
from attention_core.rows import row_cosines, row_norms


class ByDistance(NamedTuple):
    """Mean, minimum and maximum of a square table along its diagonals, by distance from 0 to T - 1."""

    distance: Array  # (T,)
    mean: Array  # (T,)
    low: Array  # (T,)
    high: Array  # (T,)


class Invariants(NamedTuple):
    """Invariants of a sinusoidal encoding: each is 0 for a correct one, up to rounding."""

    diagonals: float  # largest difference of two products p · p at the same distance
    norms: float  # largest difference of the lengths (norms) of two rows
    steps: float  # largest difference of a row from the row before with each pair rotated by its frequency


def gram_matrix(rows: Array) -> Array:
    """Return P Pᵀ: the dot product of every two rows."""
    return rows @ rows.mT


def cosine_matrix(rows: Array) -> Array:
    """Return the cosine similarity of every two rows; 0 where either row is 0."""
    long = row_norms(rows)[..., None]
    return gram_matrix(np.divide(rows, long, out=np.zeros_like(rows), where=long > 0))


def by_distance(table: Array) -> ByDistance:
    """Return mean, minimum and maximum of a square table (T, T) at each distance from its diagonal."""
    both = [np.r_[np.diagonal(table, d), np.diagonal(table, -d)] for d in range(len(table))]
    mean, low, high = (np.array([f(values) for values in both]) for f in (np.mean, np.min, np.max))
    return ByDistance(np.arange(len(table)), mean, low, high)


def diagonal_spread(table: Array) -> float:
    """Return the largest difference of two numbers at the same distance; 0 if only the distance matters."""
    found = by_distance(table)
    return float((found.high - found.low).max(initial=0))


def step_error(encoding: Array, base: float = 10000.0) -> float:
    """Return the largest error of predicting a row by rotating the pairs (2i, 2i+1) of the row before by base^(-2i/D).

    An unpaired last column is ignored.
    """
    n_pairs = encoding.shape[-1] // 2
    turns = frequencies(encoding.shape[-1], base)[:n_pairs]
    sines, cosines = encoding[:, 0 : 2 * n_pairs : 2], encoding[:, 1 : 2 * n_pairs : 2]  # (T, D / 2)
    next_sines = sines * np.cos(turns) + cosines * np.sin(turns)
    next_cosines = cosines * np.cos(turns) - sines * np.sin(turns)
    errors = np.abs([next_sines[:-1] - sines[1:], next_cosines[:-1] - cosines[1:]])
    return float(errors.max(initial=0))


def encoding_invariants(encoding: Array, base: float = 10000.0) -> Invariants:
    """Return the three invariants; a wrong encoding violates at least one."""
    long = row_norms(encoding)
    return Invariants(diagonal_spread(gram_matrix(encoding)), float(np.ptp(long)), step_error(encoding, base))


def rope_products(q: Array, k: Array, base: float = 10000.0, offset: int = 0) -> Array:
    """Return the dot products of q and k after RoPE, with positions offset ...."""
    return rotate(q, base, offset) @ rotate(k, base, offset).mT


def counted_positions(length: int, d_model: int) -> Array:
    """Return (T, D): the number of each position, 0, 1, 2 ..., in every column."""
    return np.repeat(np.arange(float(length))[:, None], d_model, axis=1)


def one_hot_positions(length: int, d_model: int) -> Array:
    """Return (T, D): a 1 in the column of each position; zeros for positions that have no column."""
    return np.eye(length, d_model)


def word_left(x: Array, positions: Array) -> Array:
    """Return (T,): how similar the words are to their sums with each position: the mean cosine of x and x + p."""
    return np.array([row_cosines(x, x + row).mean() for row in positions])


def similarity_to(positions: Array, position: int) -> Array:
    """Return (T,): the cosine of each position's vector with that of one position."""
    return cosine_matrix(positions)[position]
