"""Rows of attention weights: what of them is on blocked keys, and each computed alone."""

from collections.abc import Sequence

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.attention import attention_forward
from attention_core.experiments.qkv.one_head import HeadMatrices


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
