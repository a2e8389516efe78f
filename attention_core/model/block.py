"""One transformer block: attention and feed-forward (MLP), each with a residual connection.

Each has a LayerNorm or an RMSNorm, and dropout in training.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.feed_forward import feed_forward_backward, feed_forward_forward
from attention_core.equations.heads import heads_backward, heads_forward
from attention_core.equations.norm import Norm, NormCache, norm_backward, norm_forward
from attention_core.model.config import Config
from attention_core.model.parameters import Block


class ResidualCache(NamedTuple):
    """The intermediate results of one half of a block."""

    norm: NormCache
    layer: Any  # HeadsCache or FeedForwardCache
    kept: Array | None  # (..., D), the dropout mask: 0 where dropped, 1 / (1 - rate) elsewhere
    added: Array  # (..., D), what the half adds to the residual stream
    out: Array  # (..., D), the stream after it


class BlockCache(NamedTuple):
    """The intermediate results of a block."""

    attention: ResidualCache
    feed_forward: ResidualCache | None  # None where d_ff is 0

    @property
    def out(self) -> Array:
        """Return the residual stream after the block (..., D)."""
        return (self.feed_forward or self.attention).out


def dropout_forward(x: Array, rate: float, rng: np.random.Generator | None) -> tuple[Array, Array | None]:
    """Return x with dropout and the scaled dropout mask; without an rng, x itself and None."""
    if rng is None or rate == 0:
        return x, None
    kept = (rng.random(x.shape, np.float32) >= rate) * x.dtype.type(1 / (1 - rate))
    return x * kept, kept


def dropout_backward(dout: Array, kept: Array | None) -> Array:
    """Return dx = dout times the dropout mask."""
    return dout if kept is None else dout * kept


def residual_forward(
    x: Array,
    norm: Norm,
    layer: Callable[[Array], tuple[Array, Any]],
    config: Config,
    rng: np.random.Generator | None = None,
) -> ResidualCache:
    """Return x + layer(norm(x)) for norm "pre", norm(x + layer(x)) for "post"."""
    if config.norm == "pre":
        normal, norm_cache = norm_forward(x, norm, config.epsilon)
        raw, layer_cache = layer(normal)
        added, kept = dropout_forward(raw, config.dropout, rng)
        out = x + added
    else:
        raw, layer_cache = layer(x)
        added, kept = dropout_forward(raw, config.dropout, rng)
        out, norm_cache = norm_forward(x + added, norm, config.epsilon)
    return ResidualCache(norm_cache, layer_cache, kept, added, out)


def residual_backward(
    dout: Array, cache: ResidualCache, layer: Callable[[Array, Any], tuple[Array, Any]], config: Config
) -> tuple[Array, Norm, Any]:
    """Return dx and the gradients of normalization and layer; dx adds the residual connection and the layer’s path."""
    if config.norm == "pre":
        # out = x + layer(norm(x))
        dnormal, dlayer = layer(dropout_backward(dout, cache.kept), cache.layer)
        dx, dnorm = norm_backward(dnormal, cache.norm)
        dx += dout
    else:
        # out = norm(x + layer(x))
        dsum, dnorm = norm_backward(dout, cache.norm)
        dx, dlayer = layer(dropout_backward(dsum, cache.kept), cache.layer)
        dx += dsum
    return dx, dnorm, dlayer


def block_forward(
    x: Array,
    params: Block,
    config: Config,
    mask: Array | None = None,
    phase: Array | None = None,
    rng: np.random.Generator | None = None,
) -> tuple[Array, BlockCache]:
    """Return the residual stream after attention and, if there is one, the feed-forward layer."""
    attend = partial(heads_forward, params=params.attention, n_heads=config.n_heads, mask=mask, phase=phase)
    attention = residual_forward(x, params.norm1, attend, config, rng)
    cache = BlockCache(attention, second_half(attention.out, params, config, rng))
    return cache.out, cache


def second_half(
    x: Array, params: Block, config: Config, rng: np.random.Generator | None = None
) -> ResidualCache | None:
    """Return the feed-forward layer with its residual connection; None in a block without one."""
    if params.feed_forward is None or params.norm2 is None:
        return None
    feed = partial(feed_forward_forward, params=params.feed_forward, activation=config.activation)
    return residual_forward(x, params.norm2, feed, config, rng)


def block_backward(dout: Array, cache: BlockCache, config: Config) -> tuple[Array, Block]:
    """Return dx and the gradients of the parameters."""
    dnorm2, dlayer = None, None
    if cache.feed_forward is not None:
        dout, dnorm2, dlayer = residual_backward(dout, cache.feed_forward, feed_forward_backward, config)
    dx, dnorm1, dheads = residual_backward(dout, cache.attention, heads_backward, config)
    return dx, Block(dheads, dlayer, dnorm1, dnorm2)
