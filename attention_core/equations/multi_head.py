"""Multi-head attention written in three ways, as self-attention or cross-attention, and the write of each head."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, project
from attention_core.checks import floats, integer, regular
from attention_core.equations.attention import scaled_dot_product_attention
from attention_core.equations.heads import merge_heads, split_heads


def multi_head_attention(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    w_o: ArrayLike,
    n_heads: int,
    mask: ArrayLike | None = None,
    context: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """Return the output (..., T, D) and the weights (..., H, T, S), by one projection and a reshape.

    With `context`, x gives the queries and the context the keys and values: cross-attention. The mask broadcasts to the
    weights, so one mask for each sequence needs an axis for the heads: (B, 1, T, S).
    """
    x, context, w_q, w_k, w_v, w_o = checked(x, context, w_q, w_k, w_v, w_o, n_heads)
    q, k, v = (split_heads(project(s, w), n_heads) for s, w in ((x, w_q), (context, w_k), (context, w_v)))
    heads, weights = scaled_dot_product_attention(q, k, v, mask)  # (..., H, T, K), (..., H, T, S)
    return project(merge_heads(heads), w_o), weights


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
    """Return the same numbers by a loop over heads: slice the matrices, attend, concatenate."""
    x, context, w_q, w_k, w_v, w_o = checked(x, context, w_q, w_k, w_v, w_o, n_heads)
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
    """Return the same numbers with the heads as an axis of the matrices, every sum written as an einsum."""
    x, context, w_q, w_k, w_v, w_o = checked(x, context, w_q, w_k, w_v, w_o, n_heads)
    per_head = (w.reshape(len(w), n_heads, w.shape[1] // n_heads) for w in (w_q, w_k, w_v))  # (D, H, K)
    q, k, v = (np.einsum("...td,dhk->...htk", s, w) for s, w in zip((x, context, context), per_head, strict=True))
    heads, weights = scaled_dot_product_attention(q, k, v, mask)
    return np.einsum("...htk,hkd->...td", heads, w_o.reshape(n_heads, len(w_o) // n_heads, w_o.shape[1])), weights


def head_writes(heads: ArrayLike, w_o: ArrayLike) -> Array:
    """Return (..., H, T, D): what each head (..., H, T, K) adds to the output through its rows of W_O."""
    heads, w_o = floats("heads", heads, ndim=3), floats("w_o", w_o, ndim=2)
    n_heads, d_head = heads.shape[-3], heads.shape[-1]
    if w_o.ndim != 2 or w_o.shape[0] != n_heads * d_head:
        raise ValueError(
            f"w_o must have a row for each number of each head, got w_o {w_o.shape} and heads {heads.shape}"
        )
    return heads @ w_o.reshape(n_heads, d_head, w_o.shape[1])


def mask_of_each_head(mask: Array, n_heads: int) -> list[Array]:
    """Return one mask for each head; the mask may or may not have an axis for the heads."""
    if mask.ndim < 3:
        return [mask] * n_heads
    if mask.shape[-3] not in (1, n_heads):
        raise ValueError(f"mask must broadcast to the scores, got mask {mask.shape} and n_heads {n_heads}")
    return [mask[..., min(head, mask.shape[-3] - 1), :, :] for head in range(n_heads)]


def checked(
    x: object, context: object, w_q: object, w_k: object, w_v: object, w_o: object, n_heads: int
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Return the inputs and matrices in one dtype; raise ValueError if their shapes do not fit."""
    integer("n_heads", n_heads, 1)
    x = floats("x", x, ndim=2)
    context = x if context is None else floats("context", context, ndim=2)
    given = {"w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o}
    matrices = {name: floats(name, w) for name, w in given.items()}
    for name, w in matrices.items():
        if w.ndim != 2:
            raise ValueError(f"{name} must be a matrix, got shape {w.shape}")
    for name, source, rows in (("w_q", "x", x), ("w_k", "context", context), ("w_v", "context", context)):
        w = matrices[name]
        if w.shape[0] != rows.shape[-1]:
            raise ValueError(f"{name} must have a row for each column of {source}, got {w.shape} and {rows.shape}")
        if w.shape[1] == 0 or w.shape[1] % n_heads:
            raise ValueError(f"n_heads must divide the width of {name}, got n_heads {n_heads} and {name} {w.shape}")
    w_q, w_k, w_v, w_o = matrices.values()
    if w_q.shape[1] != w_k.shape[1]:
        raise ValueError(f"w_q and w_k must have the same width, got w_q {w_q.shape} and w_k {w_k.shape}")
    if w_o.shape[0] != w_v.shape[1]:
        raise ValueError(f"w_o must have a row for each column of w_v, got w_o {w_o.shape} and w_v {w_v.shape}")
    dtype = np.result_type(x, context, w_q, w_k, w_v, w_o)
    x, context, w_q, w_k, w_v, w_o = (a.astype(dtype, copy=False) for a in (x, context, w_q, w_k, w_v, w_o))
    return x, context, w_q, w_k, w_v, w_o
