"""Scaled dot-product attention: softmax(q kᵀ / √K + mask) v, and its gradient."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import floats, real
from attention_core.equations.masks import as_additive
from attention_core.equations.softmax import softmax_backward, softmax_forward


class AttentionCache(NamedTuple):
    """The intermediate results of attention, read by the backward pass and by the lessons."""

    q: Array  # (..., T, K)
    k: Array  # (..., S, K)
    v: Array  # (..., S, K)
    scale: float
    scores: Array  # (..., T, S), scaled, before the mask
    mask: Array | None  # broadcasts to (..., T, S), added to the scores
    weights: Array  # (..., T, S)
    output: Array  # (..., T, K)


def attention_forward(
    q: Array,
    k: Array,
    v: Array,
    mask: Array | None = None,
    scale: float | None = None,
) -> AttentionCache:
    """Return softmax(q kᵀ / √K + mask) v with all intermediate results; q, k and v have the same batch axes."""
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = q @ k.mT  # (..., T, S)
    scores *= scale
    weights = softmax_forward(scores, mask)
    output = weights @ v  # (..., T, K)
    return AttentionCache(q, k, v, scale, scores, mask, weights, output)


def attention_backward(
    dout: Array,
    cache: AttentionCache,
    *,
    into: tuple[Array | None, ...] = (None, None, None),
) -> tuple[Array, Array, Array]:
    """Return dq, dk and dv, written to `into` where given. Each step undoes one line of the forward pass."""
    q, k, v, weights = cache.q, cache.k, cache.v, cache.weights
    # output = weights @ v
    dweights = dout @ v.mT  # (..., T, S)
    dv = np.matmul(weights.mT, dout, out=into[2])
    # weights = softmax(scores + mask)
    dscores = softmax_backward(dweights, weights)
    # scores = q kᵀ * scale
    dscores *= cache.scale
    dq = np.matmul(dscores, k, out=into[0])
    dk = np.matmul(dscores.mT, q, out=into[1])
    return dq, dk, dv


def broadcast_attention(
    q: object, k: object, v: object, mask: ArrayLike | None
) -> tuple[Array, Array, Array, Array | None]:
    """Return q, k and v with common batch axes and the mask as an additive one; raise ValueError if they do not fit."""
    q, k, v = floats("q", q, ndim=2), floats("k", k, ndim=2), floats("v", v, ndim=2)
    if q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise ValueError(f"q and k must have the same width, at least 1, got q {q.shape} and k {k.shape}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"k and v must have the same length, got k {k.shape} and v {v.shape}")
    dtype = np.result_type(q, k, v)
    additive = as_additive(mask, dtype)
    try:
        batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except ValueError:
        raise ValueError(
            f"the batch axes of q, k and v must fit, got q {q.shape}, k {k.shape} and v {v.shape}"
        ) from None
    if additive is not None:
        scores = (*batch, q.shape[-2], k.shape[-2])
        try:
            full = np.broadcast_shapes(additive.shape, scores)
        except ValueError:
            full = ()
        if full[-2:] != scores[-2:]:
            raise ValueError(f"mask must broadcast to the scores, got mask {additive.shape} and scores {scores}")
        batch = full[:-2]
    q, k, v = (np.broadcast_to(x.astype(dtype, copy=False), (*batch, *x.shape[-2:])) for x in (q, k, v))
    return q, k, v, additive


def scaled_dot_product_attention(
    q: ArrayLike, k: ArrayLike, v: ArrayLike, mask: ArrayLike | None = None, scale: float | None = None
) -> tuple[Array, Array]:
    """Return softmax(q kᵀ / √K + mask) v and the weights; a fully blocked row gives zeros."""
    scale = None if scale is None else real("scale", scale)
    q, k, v, additive = broadcast_attention(q, k, v, mask)
    with np.errstate(over="ignore", invalid="ignore"):
        cache = attention_forward(q, k, v, additive, scale)
    if not np.isfinite(cache.scores).all():  # a row of -inf would be taken for a blocked one
        raise ValueError(f"the scores q kᵀ must be finite, got {too_large(q, k)}")
    if additive is not None:
        with np.errstate(over="ignore"):
            highest = (cache.scores + additive).max(axis=-1, initial=-np.inf)  # (..., T)
        # one cell below the range of the type is as good as blocked, a whole row is not
        if (np.isinf(highest) & (np.broadcast_to(additive, cache.scores.shape) > -np.inf).any(axis=-1)).any():
            raise ValueError(f"mask must keep the scores finite, got sums beyond the range of {cache.scores.dtype}")
    return cache.output, cache.weights


def too_large(q: Array, k: Array) -> str:
    """Return what made scores overflow, for a message."""
    return f"q up to {np.abs(q).max():.3g} and k up to {np.abs(k).max():.3g} in {q.dtype}"
