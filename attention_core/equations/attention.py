"""Scaled dot-product attention: softmax(q kᵀ / √K + mask) v, and its gradient."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import real
from attention_core.equations.softmax import softmax_backward, softmax_forward
from attention_core.inputs import as_sink, broadcast_attention, check_scores


class AttentionCache(NamedTuple):
    """The intermediate results of attention, read by the backward pass and by the lessons."""

    q: Array  # (..., T, K)
    k: Array  # (..., S, K)
    v: Array  # (..., S, V)
    scale: float
    scores: Array  # (..., T, S), scaled and capped, before the mask
    mask: Array | None  # broadcasts to (..., T, S), added to the scores
    weights: Array  # (..., T, S)
    output: Array  # (..., T, V)
    softcap: float | None = None


def attention_forward(
    q: Array,
    k: Array,
    v: Array,
    mask: Array | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    sink: Array | None = None,
) -> AttentionCache:
    """Return softmax(q kᵀ / √K + mask) v with all intermediate results; q, k and v have the same batch axes.

    Scores are capped before the mask is added: capped after it, -inf would be -softcap, which blocks nothing.
    """
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = q @ k.mT  # (..., T, S)
    scores *= scale
    if softcap is not None:
        scores = softcap * np.tanh(scores / softcap)
    weights = softmax_forward(scores, mask, sink)
    output = weights @ v  # (..., T, V)
    return AttentionCache(q, k, v, scale, scores, mask, weights, output, softcap)


def attention_backward(dout: Array, cache: AttentionCache) -> tuple[Array, Array, Array]:
    """Return dq (..., T, K), dk (..., S, K) and dv (..., S, V). Each step undoes one line of the forward pass."""
    q, k, v, weights = cache.q, cache.k, cache.v, cache.weights
    # output = weights @ v
    dweights = dout @ v.mT  # (..., T, S)
    dv = weights.mT @ dout
    # weights = softmax(scores + mask), also with a sink: no output contains its weight, which adds 0 to the sum
    dscores = softmax_backward(dweights, weights)
    if cache.softcap is not None:
        # scores = softcap * tanh(scores / softcap)
        dscores *= 1 - (cache.scores / cache.softcap) ** 2
    # scores = q kᵀ * scale
    dscores *= cache.scale
    return dscores @ k, dscores.mT @ q, dv


def sink_backward(dout: Array, cache: AttentionCache) -> Array:
    """Return the gradient (...) of the sink, -Σ missing (dout · output): it has the weight missing to 1."""
    missing = 1 - cache.weights.sum(axis=-1)  # (..., T)
    return np.asarray(-np.vecdot(missing, np.vecdot(dout, cache.output)))


def scaled_dot_product_attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    mask: ArrayLike | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    sink: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """Return softmax(q kᵀ / √K + mask) v (..., T, V) and the weights (..., T, S); a fully blocked row gives zeros.

    q is (..., T, K), k (..., S, K) and v (..., S, V). The mask broadcasts to (..., T, S). With a `softcap` c, the
    scores before the mask are c tanh(scores / c). A `sink` (...), a number for each head, adds e^sink to the sum by
    which the weights of a row are divided.

    >>> output, weights = scaled_dot_product_attention([[1, 0]], [[1, 0], [0, 1]], [[10], [20]])
    >>> weights.round(3), output.round(3)
    (array([[0.67, 0.33]]), array([[13.302]]))
    """
    scale = None if scale is None else real("scale", scale)
    softcap = None if softcap is None else real("softcap", softcap, "a finite number above 0", lambda c: c > 0)
    q, k, v, additive = broadcast_attention(q, k, v, mask)
    own_sink = None if sink is None else as_sink(sink, q)
    with np.errstate(over="ignore", invalid="ignore"):
        cache = attention_forward(q, k, v, additive, scale, softcap, own_sink)
    check_scores(q, k, cache.scores, additive)
    return cache.output, cache.weights
