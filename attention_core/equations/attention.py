"""Scaled dot-product attention: softmax(q kᵀ / √K + mask) v, and its gradient."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import real
from attention_core.equations.softmax import softmax_backward, softmax_forward
from attention_core.inputs import broadcast_attention, check_scores


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
    dout: Array, cache: AttentionCache, into: tuple[Array | None, ...] = (None, None, None)
) -> tuple[Array, Array, Array]:
    """Return dq, dk and dv, in the arrays `into` if given. Each step undoes one line of the forward pass."""
    q, k, v, weights = cache.q, cache.k, cache.v, cache.weights
    # output = weights @ v
    dweights = dout @ v.mT  # (..., T, S)
    dv = np.matmul(weights.mT, dout, out=into[2])
    # weights = softmax(scores + mask)
    dscores = softmax_backward(dweights, weights)
    # scores = q kᵀ * scale
    dscores *= cache.scale
    return np.matmul(dscores, k, out=into[0]), np.matmul(dscores.mT, q, out=into[1]), dv


def scaled_dot_product_attention(
    q: ArrayLike, k: ArrayLike, v: ArrayLike, mask: ArrayLike | None = None, scale: float | None = None
) -> tuple[Array, Array]:
    """Return softmax(q kᵀ / √K + mask) v (..., T, V) and the weights (..., T, S); a fully blocked row gives zeros.

    q is (..., T, K), k (..., S, K) and v (..., S, V). The mask broadcasts to (..., T, S).

    >>> output, weights = scaled_dot_product_attention([[1, 0]], [[1, 0], [0, 1]], [[10], [20]])
    >>> weights.round(3), output.round(3)
    (array([[0.67, 0.33]]), array([[13.302]]))
    """
    scale = None if scale is None else real("scale", scale)
    q, k, v, additive = broadcast_attention(q, k, v, mask)
    with np.errstate(over="ignore", invalid="ignore"):
        cache = attention_forward(q, k, v, additive, scale)
    check_scores(q, k, cache.scores, additive)
    return cache.output, cache.weights
