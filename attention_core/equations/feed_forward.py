"""The feed-forward layer (MLP): each position is projected to a wider layer, activated and projected back."""

import math
from typing import Literal, NamedTuple

import numpy as np

from attention_core.arrays import Allocator, Array, aligned, column_sums, project, project_backward

Activation = Literal["gelu", "relu"]
CURVE = math.sqrt(2 / math.pi)  # factor inside the tanh of GELU
CUBIC = 0.044715  # coefficient of x³ inside the tanh of GELU
CHUNK = 1 << 15  # numbers; GELU works in chunks that fit into the processor's cache


class FeedForward(NamedTuple):
    """The parameters of a feed-forward layer, or their gradients."""

    w1: Array  # (D, F)
    b1: Array  # (F,)
    w2: Array  # (F, D)
    b2: Array  # (D,)


class FeedForwardCache(NamedTuple):
    """The intermediate results of the feed-forward layer."""

    x: Array  # (..., D)
    hidden: Array  # (..., F), after the activation
    slope: Array  # (..., F), the derivative of the activation there
    params: FeedForward


def gelu_forward(x: Array, slope: Array) -> Array:
    """Overwrite x with x * (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, and `slope` with its derivative.

    One pass computes value and derivative from one tanh, so that the backward pass is a single product. x³ is written
    as x * x², because `x**3` is a hundred times as slow.
    """
    all_x, all_slopes = x.reshape(-1), slope.reshape(-1)
    rooms = aligned((2, min(CHUNK, x.size)), x.dtype)
    for start in range(0, x.size, CHUNK):
        part, slopes = all_x[start : start + CHUNK], all_slopes[start : start + CHUNK]
        square, gate = rooms[:, : part.size]
        np.multiply(part, part, out=square)
        np.multiply(square, CURVE * CUBIC, out=gate)
        gate += CURVE
        gate *= part
        np.tanh(gate, out=gate)
        gate *= 0.5
        gate += 0.5  # gate = (1 + tanh) / 2
        part *= gate  # gelu(x) = x * gate
        # gelu'(x) = gate + gelu(x) * (1 - gate) * 2 * √(2/π) * (1 + 3 * 0.044715 x²)
        square *= 6 * CURVE * CUBIC
        square += 2 * CURVE
        square *= part
        np.subtract(1, gate, out=slopes)
        slopes *= square
        slopes += gate
    return x


def relu_forward(x: Array, slope: Array) -> Array:
    """Overwrite x with max(x, 0), and `slope` with its derivative."""
    np.greater(x, 0, out=slope)
    x *= slope
    return x


def feed_forward_forward(
    x: Array, params: FeedForward, activation: Activation = "gelu", *, new: Allocator = np.empty
) -> tuple[Array, FeedForwardCache]:
    """Return activation(x w1 + b1) w2 + b2."""
    hidden = project(x, params.w1, new)  # (..., F)
    hidden += params.b1
    slope = new(hidden.shape, hidden.dtype)
    hidden = gelu_forward(hidden, slope) if activation == "gelu" else relu_forward(hidden, slope)
    out = project(hidden, params.w2, new)  # (..., D)
    out += params.b2
    return out, FeedForwardCache(x, hidden, slope, params)


def feed_forward_backward(
    dout: Array, cache: FeedForwardCache, *, into: FeedForward | None = None, new: Allocator = np.empty
) -> tuple[Array, FeedForward]:
    """Return dx and the gradients of the parameters, written to `into` where given."""
    x, hidden, slope, params = cache
    into = into or FeedForward(*(np.empty_like(p) for p in params))
    # out = hidden @ w2 + b2
    column_sums(dout, out=into.b2)
    dhidden, _ = project_backward(dout, hidden, params.w2, into.w2, new)  # (..., F)
    # hidden = activation(x @ w1 + b1)
    dhidden *= slope
    column_sums(dhidden, out=into.b1)
    dx, _ = project_backward(dhidden, x, params.w1, into.w1, new)  # (..., D)
    return dx, into
