"""Multi-head attention: head h owns its columns of W_Q, W_K, W_V and the same rows of W_O.

With grouped queries, each of G groups of heads has one set of keys and values: head h reads group h // (H / G).
"""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, project, project_backward
from attention_core.equations.attention import AttentionCache, attention_backward, attention_forward
from attention_core.equations.positions import apply_rope


class Heads(NamedTuple):
    """The parameters of multi-head attention, or their gradients; head h owns columns hK ... (h+1)K of each part."""

    w_qkv: Array  # (D, D + 2GK): W_Q, W_K and W_V side by side, so that one product projects all three; GK is D at most
    w_o: Array  # (D, D)
    b_qkv: Array | None = None  # (D + 2GK,)
    b_o: Array | None = None  # (D,)


class HeadsCache(NamedTuple):
    """The intermediate results of multi-head attention."""

    x: Array  # (..., T, D)
    attention: AttentionCache  # batch axes (..., H), also where heads share keys; q and k are after RoPE
    merged: Array  # (..., T, D), the heads' outputs side by side
    phase: Array | None  # (T, K / 2), the rotations of RoPE; None without it
    params: Heads


def split_heads(x: Array, n_heads: int) -> Array:
    """Return (..., T, H * K) as a view (..., H, T, K)."""
    return x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads).swapaxes(-3, -2)


def merge_heads(x: Array) -> Array:
    """Return (..., H, T, K) as (..., T, H * K): the head outputs side by side."""
    moved = x.swapaxes(-3, -2)
    return moved.reshape(*moved.shape[:-2], moved.shape[-2] * moved.shape[-1])


def split_qkv(qkv: Array, width: int) -> tuple[Array, Array, Array]:
    """Return the columns of queries, keys and values as views; those of the queries are `width` wide."""
    shared = (qkv.shape[-1] - width) // 2
    return qkv[..., :width], qkv[..., width : width + shared], qkv[..., width + shared :]


def heads_forward(
    x: Array, params: Heads, n_heads: int, mask: Array | None = None, phase: Array | None = None
) -> tuple[Array, HeadsCache]:
    """Return multi-head self-attention of x: project once, split by a reshape, attend, merge, project back."""
    width = x.shape[-1]
    parts = split_qkv(project(x, params.w_qkv, params.b_qkv), width)
    q, k, v = (split_heads(part, part.shape[-1] * n_heads // width) for part in parts)  # (..., H or G, T, K)
    if phase is not None:
        q, k = apply_rope(q, phase), apply_rope(k, phase)
    if (shared := n_heads // k.shape[-3]) > 1:
        k, v = np.repeat(k, shared, axis=-3), np.repeat(v, shared, axis=-3)  # (..., H, T, K)
    attention = attention_forward(q, k, v, mask)
    merged = merge_heads(attention.output)
    return project(merged, params.w_o, params.b_o), HeadsCache(x, attention, merged, phase, params)


def heads_backward(dout: Array, cache: HeadsCache) -> tuple[Array, Heads]:
    """Return dx and the gradients of the parameters."""
    x, attention, merged, phase, params = cache
    n_heads, d_head = attention.q.shape[-3], attention.q.shape[-1]
    # out = merged @ w_o + b_o
    dmerged, dw_o, db_o = project_backward(dout, merged, params.w_o, params.b_o)
    # merged = head outputs side by side; q, k and v are parts of qkv, as are their gradients
    dqkv = np.empty((*x.shape[:-1], params.w_qkv.shape[1]), x.dtype)
    dq, dk, dv = (split_heads(part, part.shape[-1] // d_head) for part in split_qkv(dqkv, x.shape[-1]))
    if dk.shape[-3] == n_heads:  # written where they belong: copies would make a step 4 % slower
        attention_backward(split_heads(dmerged, n_heads), attention, into=(dq, dk, dv))
    else:  # a group's keys and values serve several heads, so their gradients are sums
        dq[...], *dshared = attention_backward(split_heads(dmerged, n_heads), attention)
        for part, each in zip((dk, dv), dshared, strict=True):
            part[...] = each.reshape(*each.shape[:-3], part.shape[-3], -1, *each.shape[-2:]).sum(axis=-3)
    if phase is not None:  # the gradient of a rotation is the inverse rotation
        for part in (dq, dk):
            pairs = part.view(phase.dtype)
            pairs *= phase.conj()
    # qkv = x @ w_qkv + b_qkv
    dx, dw_qkv, db_qkv = project_backward(dqkv, x, params.w_qkv, params.b_qkv)
    return dx, Heads(dw_qkv, dw_o, db_qkv, db_o)
