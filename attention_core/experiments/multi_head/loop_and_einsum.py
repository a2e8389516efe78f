"""Multi-head attention in two other ways: by a loop over heads, and by einsum."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import regular
from attention_core.equations.attention import scaled_dot_product_attention
from attention_core.inputs import multi_head_inputs


def multi_head_by_loop(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    w_o: ArrayLike,
    n_heads: int,
    mask: ArrayLike | None = None,
    context: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """Return multi-head attention by a loop over heads: slice the matrices, attend, concatenate."""
    x, context, w_q, w_k, w_v, w_o = multi_head_inputs(x, context, w_q, w_k, w_v, w_o, n_heads)
    columns = zip(*(np.split(w, n_heads, axis=1) for w in (w_q, w_k, w_v)), strict=True)
    masks = [None] * n_heads if mask is None else mask_of_each_head(regular("mask", mask), n_heads)
    pairs = [
        scaled_dot_product_attention(x @ wq, context @ wk, context @ wv, own)
        for (wq, wk, wv), own in zip(columns, masks, strict=True)
    ]
    outputs, weights = zip(*pairs, strict=True)
    return np.concatenate(outputs, axis=-1) @ w_o, np.stack(weights, axis=-3)


def multi_head_by_einsum(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    w_o: ArrayLike,
    n_heads: int,
    mask: ArrayLike | None = None,
    context: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """Return multi-head attention with the heads as an axis of the matrices, every sum written as an einsum."""
    x, context, w_q, w_k, w_v, w_o = multi_head_inputs(x, context, w_q, w_k, w_v, w_o, n_heads)
    per_head = (w.reshape(len(w), n_heads, w.shape[1] // n_heads) for w in (w_q, w_k, w_v))  # (D, H, K)
    q, k, v = (np.einsum("...td,dhk->...htk", s, w) for s, w in zip((x, context, context), per_head, strict=True))
    heads, weights = scaled_dot_product_attention(q, k, v, mask)
    return np.einsum("...htk,hkd->...td", heads, w_o.reshape(n_heads, len(w_o) // n_heads, w_o.shape[1])), weights


def mask_of_each_head(mask: Array, n_heads: int) -> list[Array]:
    """Return one mask for each head; the mask may or may not have an axis for the heads."""
    if mask.ndim < 3:
        return [mask] * n_heads
    if mask.shape[-3] not in (1, n_heads):
        raise ValueError(f"mask must broadcast to the scores, got mask {mask.shape} and n_heads {n_heads}")
    return [mask[..., min(head, mask.shape[-3] - 1), :, :] for head in range(n_heads)]
