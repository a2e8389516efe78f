"""Dependence of outputs on inputs, measured by replacing rows and reordering the work."""

from collections.abc import Sequence

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.attention import attention_forward
from attention_core.experiments.qkv.one_head import HeadMatrices, attend
from attention_core.rows import row_norms


def one_row_changed(x: Array, changed: Array) -> Array:
    """Return (T, T, D): T copies of x (T, D), copy j with row j replaced by that of `changed`."""
    places = np.arange(len(x))
    copies = np.repeat(x[None], len(x), axis=0)
    copies[places, places] = changed
    return copies


def input_effects(x: Array, changed: Array, head: HeadMatrices, mask: Array | None = None) -> Array:
    """Return (T, T): how far output i moves when row j of x is replaced by row j of `changed`; 0 if independent."""
    copies = np.concatenate([one_row_changed(x, changed), x[None]])  # an unchanged copy, with the same rounding
    outputs = attend(copies, head, mask).output  # (T + 1, T, K)
    return row_norms(outputs[:-1] - outputs[-1]).T  # (T, T)


def weight_on_blocked(weights: Array, blocked: Array) -> Array:
    """Return how much weight each row gives to blocked keys."""
    return np.where(blocked, weights, 0.0).sum(axis=-1)


def rows_one_by_one(x: Array, head: HeadMatrices, mask: Array, rows: Sequence[int]) -> Array:
    """Return (R, T): the attention weights of the given rows, each computed alone, in the given order."""
    k, v = x @ head.w_k, x @ head.w_v
    weights = [attention_row(x, head, k, v, mask, row) for row in rows]
    return np.array(weights).reshape(len(rows), len(x))


def attention_row(x: Array, head: HeadMatrices, k: Array, v: Array, mask: Array, row: int) -> Array:
    """Return the attention weights of one query."""
    here = slice(row, row + 1)
    return attention_forward(x[here] @ head.w_q, k, v, mask[here]).weights[0]
