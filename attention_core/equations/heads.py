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

    def n_groups(self, n_heads: int) -> int:
        """Return G, the number of sets of keys and values: as many as heads, unless groups of heads read one set."""
        d_head = len(self.w_o) // n_heads
        return (self.w_qkv.shape[1] // d_head - n_heads) // 2


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
    n_groups = params.n_groups(n_heads)
    qkv = split_heads(project(x, params.w_qkv, params.b_qkv), n_heads + 2 * n_groups)  # (..., H + 2G, T, K)
    q, k, v = np.split(qkv, [n_heads, n_heads + n_groups], axis=-3)
    if phase is not None:
        q, k = apply_rope(q, phase), apply_rope(k, phase)
    if n_groups < n_heads:
        k, v = (np.repeat(part, n_heads // n_groups, axis=-3) for part in (k, v))  # (..., H, T, K)
    attention = attention_forward(q, k, v, mask)
    merged = merge_heads(attention.output)
    return project(merged, params.w_o, params.b_o), HeadsCache(x, attention, merged, phase, params)


def heads_backward(dout: Array, cache: HeadsCache) -> tuple[Array, Heads]:
    """Return dx and the gradients of the parameters."""
    x, attention, merged, phase, params = cache
    n_heads = attention.q.shape[-3]
    n_groups = params.n_groups(n_heads)
    # out = merged @ w_o + b_o
    dmerged, dw_o, db_o = project_backward(dout, merged, params.w_o, params.b_o)
    # merged = head outputs side by side
    dq, dk, dv = attention_backward(split_heads(dmerged, n_heads), attention)
    if n_groups < n_heads:  # a group's keys and values serve several heads, so their gradients are sums
        apart = (*dk.shape[:-3], n_groups, n_heads // n_groups, *dk.shape[-2:])
        dk, dv = (part.reshape(apart).sum(axis=-3) for part in (dk, dv))  # (..., G, T, K)
    if phase is not None:  # the gradient of a rotation is the inverse rotation
        dq, dk = apply_rope(dq, phase.conj()), apply_rope(dk, phase.conj())
    # q, k and v are the heads of x @ w_qkv + b_qkv
    dqkv = merge_heads(np.concatenate([dq, dk, dv], axis=-3))  # (..., T, D + 2GK)
    dx, dw_qkv, db_qkv = project_backward(dqkv, x, params.w_qkv, params.b_qkv)
    return dx, Heads(dw_qkv, dw_o, db_qkv, db_o)
