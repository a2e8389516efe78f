"""Parts of multi-head attention: input slices, what each head adds, and the ablation of a head or key."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.checks import integer
from attention_core.equations.attention import AttentionCache
from attention_core.equations.heads import split_heads
from attention_core.equations.multi_head import head_writes, multi_head_attention
from attention_core.experiments.multi_head.loop_and_einsum import multi_head_by_einsum, multi_head_by_loop
from attention_core.experiments.multi_head.several_heads import HeadSet
from attention_core.experiments.scaling.head_metrics import rank


class ThreeWays(NamedTuple):
    """Multi-head attention computed in three ways, and the largest difference between them."""

    by_loop: Array  # (T, D), head after head
    by_reshape: Array  # (T, D), one projection and a reshape
    by_einsum: Array  # (T, D), the heads as an axis of the matrices
    largest_difference: float


def three_ways(
    x: Array, heads: HeadSet, n_heads: int, mask: Array | None = None, context: Array | None = None
) -> ThreeWays:
    """Return multi-head attention by a loop, by a reshape and by einsum, with the largest difference."""
    ways = multi_head_by_loop, multi_head_attention, multi_head_by_einsum
    loop, reshape, einsum = (way(x, *heads, n_heads, mask, context)[0] for way in ways)
    return ThreeWays(loop, reshape, einsum, float(np.ptp(np.stack([loop, reshape, einsum]), axis=0).max(initial=0)))


def block_diagonal(matrix: Array, n_heads: int) -> Array:
    """Return W_Q, W_K or W_V made block diagonal, so that each head reads only its slice of x."""
    rows, columns = matrix.shape
    row_block, column_block = np.arange(rows) // (rows // n_heads), np.arange(columns) // (columns // n_heads)
    return np.where(row_block[:, None] == column_block, matrix, 0)


def block_diagonal_heads(heads: HeadSet, n_heads: int) -> HeadSet:
    """Return the heads with block-diagonal W_Q, W_K and W_V; each reads only its slice of x."""
    w_q, w_k, w_v, w_o = heads
    return HeadSet(block_diagonal(w_q, n_heads), block_diagonal(w_k, n_heads), block_diagonal(w_v, n_heads), w_o)


def without_output_matrix(heads: HeadSet) -> HeadSet:
    """Return the heads with the identity as W_O: the outputs are only concatenated."""
    return heads._replace(w_o=np.eye(len(heads.w_o), dtype=heads.w_o.dtype))


def zero_heads(writes: Array, off: Sequence[int]) -> Array:
    """Return the writes of the heads (H, T, D) with those in `off` set to zero."""
    kept = writes.copy()
    for head in off:
        kept[head] = 0
    return kept


def sum_of_heads(writes: Array) -> Array:
    """Return the output (T, D): the sum of all writes (H, T, D)."""
    return writes.sum(axis=0)


def output_without(attention: AttentionCache, w_o: Array, off: Sequence[int]) -> Array:
    """Return the attention output (T, D) without the heads in `off`."""
    return sum_of_heads(zero_heads(head_writes(attention.output, w_o), off))


def ranks(heads: HeadSet, n_heads: int) -> Array:
    """Return (H,): the rank of W_Q W_Kᵀ (D, D) of each head, at most the head width.

    The number of parameters does not depend on the number of heads, so more heads mean lower ranks.
    """
    w_q, w_k = split_heads(heads.w_q, n_heads), split_heads(heads.w_k, n_heads)  # (H, D, K)
    return np.array([rank(q @ k.mT) for q, k in zip(w_q, w_k, strict=True)])  # (H,)


def attention_parameters(d_model: int) -> int:
    """Return the number of parameters in W_Q, W_K, W_V and W_O: 4 D² for any number of heads."""
    return 4 * integer("d_model", d_model, 1) ** 2
