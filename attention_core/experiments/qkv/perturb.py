"""Small interventions on one head: a number, a row of scores, a matrix, an angle, a temperature; and what changes."""

import math

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.qkv.one_head import HeadMatrices, attend
from attention_core.rows import equal_to_largest


def dot_products(left: Array, right: Array) -> Array:
    """Return left rightᵀ: the dot product of every row of left with every row of right."""
    return left @ right.mT


def one_number_changed(matrix: Array, row: int, column: int, by: float) -> Array:
    """Return a copy of the matrix with `by` added to one number."""
    changed = matrix.copy()
    changed[row, column] += by
    return changed


def add_to_row(scores: Array, row: int, constant: float) -> Array:
    """Return the scores with a constant added to one row, which leaves softmax unchanged."""
    changed = scores.copy()
    changed[row] += constant
    return changed


def add_to_column(scores: Array, column: int, constant: float) -> Array:
    """Return the scores with a constant added to one column, which raises that key for every query."""
    changed = scores.copy()
    changed[:, column] += constant
    return changed


def queries_as_keys(head: HeadMatrices) -> HeadMatrices:
    """Return the head with W_K = W_Q, which makes its scores symmetric."""
    return head._replace(w_k=head.w_q)


def rotate_in_plane(vectors: Array, degrees: float) -> Array:
    """Return 2-D vectors (..., 2) rotated counterclockwise."""
    angle = math.radians(degrees)
    cosine, sine = math.cos(angle), math.sin(angle)
    return vectors @ np.array([[cosine, sine], [-sine, cosine]])


def softmax_at(scores: Array, temperature: float) -> Array:
    """Return softmax(scores / temperature): the argmax (equal weights for ties) at 0, uniform at infinity."""
    if 0 < temperature < math.inf:
        return softmax(scores / temperature)
    counted = scores > -np.inf
    if temperature == 0:
        counted &= equal_to_largest(scores)
    return softmax(np.where(counted, 0.0, -np.inf))


def changed_cells(before: Array, after: Array) -> Array:
    """Return a boolean array: the numbers that changed by more than rounding."""
    return ~np.isclose(before, after, rtol=1e-9, atol=1e-9, equal_nan=True)


def mix_values(weights: Array, values: Array) -> Array:
    """Return weights · values: the weighted sum of the values for each row of weights."""
    return weights @ values


def reaches(x: Array, head: HeadMatrices, mask: Array | None = None) -> dict[str, tuple[str, ...]]:
    """Return {X or matrix: results that depend on it}, found by adding noise to each in turn.

    The noise differs from number to number, because softmax cancels what all keys have in common.
    """
    rng = np.random.default_rng(0)
    before = attend(x, head, mask)
    shifted = {"X": attend(x + rng.standard_normal(x.shape), head, mask)}
    for name, matrix in head._asdict().items():
        other = matrix + rng.standard_normal(matrix.shape)
        shifted[f"W_{name[-1].upper()}"] = attend(x, head._replace(**{name: other}), mask)
    parts = {"Q": "q", "K": "k", "V": "v", "the weights": "weights", "the output": "output"}
    return {
        name: tuple(
            part for part, field in parts.items() if changed_cells(getattr(before, field), getattr(after, field)).any()
        )
        for name, after in shifted.items()
    }


def zeroed_rows(matrix: Array, *rows: int) -> Array:
    """Return a copy of the matrix with some rows set to 0."""
    changed = matrix.copy()
    changed[list(rows)] = 0
    return changed


def swapped_rows(matrix: Array, one: int, other: int) -> Array:
    """Return a copy of the matrix in which two rows are exchanged."""
    changed = matrix.copy()
    changed[[one, other]] = changed[[other, one]]
    return changed
