"""Who depends on whom, found by trying: change a word, the order of the words, or the order of the work."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import floats, regular, whole
from attention_core.equations.attention import attention_forward
from attention_core.experiments.one_head import HeadMatrices, attend


def one_row_changed(x: ArrayLike, changed: ArrayLike) -> Array:
    """Return (T, T, D): T copies of x (T, D), and in copy number j row j is that of `changed` instead."""
    x, changed = floats("x", x, ndim=2), floats("changed", changed, ndim=2)
    if x.shape != changed.shape:
        raise ValueError(f"x and changed must have the same shape, got {x.shape} and {changed.shape}")
    places = np.arange(len(x))
    copies = np.repeat(x[None], len(x), axis=0)
    copies[places, places] = changed
    return copies


def effects(x: Array, changed: ArrayLike, head: HeadMatrices, mask: Array | None = None) -> Array:
    """Return (T, T): how far output i moves when row j of x is exchanged for row j of `changed`; 0 if not at all."""
    copies = np.concatenate([one_row_changed(x, changed), x[None]])  # the last unchanged, computed like the others
    outputs = attend(copies, head, mask).output  # (T + 1, T, K)
    return np.linalg.norm(outputs[:-1] - outputs[-1], axis=-1).T  # (T, T)


def weight_on_blocked(weights: ArrayLike, blocked: ArrayLike) -> Array:
    """Return how much of each row of weights lies on blocked keys."""
    weights, mask = floats("weights", weights, ndim=2), regular("blocked", blocked)
    if mask.dtype != np.bool_ or mask.shape != weights.shape:
        raise ValueError(f"blocked must be boolean and of shape {weights.shape}, got {mask.dtype} {mask.shape}")
    return np.where(mask, weights, 0.0).sum(axis=-1)


def rows_one_by_one(x: Array, head: HeadMatrices, mask: Array, rows: Sequence[int]) -> Array:
    """Return (R, T): the weights of some rows, each computed by itself, in the order in which they are named."""
    k, v = x @ head.w_k, x @ head.w_v
    weights = [attention_row(x, head, k, v, mask, whole("rows", row, 0, len(x) - 1)) for row in rows]
    return np.array(weights).reshape(len(rows), len(x))


def attention_row(x: Array, head: HeadMatrices, k: Array, v: Array, mask: Array, row: int) -> Array:
    """Return the weights of one query alone."""
    here = slice(row, row + 1)
    return attention_forward(x[here] @ head.w_q, k, v, mask[here]).weights[0]


def largest_difference(rows: ArrayLike, matrix: ArrayLike, places: Sequence[int]) -> float:
    """Return the largest difference between some rows and those at these places of a matrix."""
    rows, matrix = floats("rows", rows, ndim=2), floats("matrix", matrix, ndim=2)
    for place in places:
        whole("places", place, 0, len(matrix) - 1)
    return float(np.abs(rows - matrix[list(places)]).max(initial=0))


def shuffled_order(length: int, seed: int) -> list[int]:
    """Return the places 0 ... length - 1 in an order that differs from theirs, if there are two or more."""
    rng = np.random.default_rng(whole("seed", seed, 0))
    order = list(range(whole("length", length, 0)))
    while length > 1 and order == sorted(order):
        order = rng.permutation(length).tolist()
    return order


def in_order(rows: ArrayLike, order: Sequence[int]) -> Array:
    """Return rows in another order: first the one whose place is named first."""
    array = floats("rows", rows, ndim=2)
    if sorted(order) != list(range(len(array))):
        raise ValueError(f"order must hold each of {len(array)} places once, got {list(order)}")
    return array[list(order)]


def back_in_place(rows: ArrayLike, order: Sequence[int]) -> Array:
    """Return rows that stand in some order, each back where `in_order` took it from."""
    return in_order(rows, np.argsort(order).tolist())


def distances(before: ArrayLike, after: ArrayLike) -> Array:
    """Return how far each row has moved: the length of the difference."""
    before, after = floats("before", before, ndim=2), floats("after", after, ndim=2)
    if before.shape != after.shape:
        raise ValueError(f"before and after must have the same shape, got {before.shape} and {after.shape}")
    return np.linalg.norm(after - before, axis=-1)
