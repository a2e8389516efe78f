"""The feed-forward layer (MLP): each position is projected to a wider layer, activated and projected back.

A gated one multiplies the activated layer by a second projection; with SiLU it is called SwiGLU.
"""

import math
from typing import Literal, NamedTuple

import numpy as np

from attention_core.arrays import Array, column_sums, project, project_backward

Activation = Literal["gelu", "gelu_erf", "relu", "silu"]
CURVE = math.sqrt(2 / math.pi)  # factor inside the tanh of GELU
CUBIC = 0.044715  # coefficient of x³ inside the tanh of GELU
CHUNK = 1 << 15  # numbers; GELU works in chunks that fit into the processor's cache


class FeedForward(NamedTuple):
    """The parameters of a feed-forward layer, or their gradients."""

    w1: Array  # (D, F)
    b1: Array  # (F,)
    w2: Array  # (F, D)
    b2: Array  # (D,)


class GatedFeedForward(NamedTuple):
    """The parameters of a gated feed-forward layer, or their gradients; it has no biases."""

    w_gate_up: Array  # (D, 2F): W_gate and W_up side by side
    w_down: Array  # (F, D)


class FeedForwardCache(NamedTuple):
    """The intermediate results of the feed-forward layer."""

    x: Array  # (..., D)
    hidden: Array  # (..., F), after the activation
    slope: Array  # (..., F), the derivative of the activation there
    params: FeedForward


class GatedCache(NamedTuple):
    """The intermediate results of a gated feed-forward layer."""

    x: Array  # (..., D)
    gate: Array  # (..., F), after the activation
    slope: Array  # (..., F), the derivative of the activation there
    up: Array  # (..., F)
    hidden: Array  # (..., F), gate * up
    params: GatedFeedForward


def gelu_forward(x: Array, slope: Array) -> Array:
    """Overwrite x with x * (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, and `slope` with its derivative.

    One pass computes value and derivative from one tanh, so that the backward pass is a single product. x³ is written
    as x * x², because `x**3` is a hundred times as slow.
    """
    all_x, all_slopes = x.reshape(-1), slope.reshape(-1)
    rooms = np.empty((2, min(CHUNK, x.size)), x.dtype)
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


def gelu_erf_forward(x: Array, slope: Array) -> Array:
    """Overwrite x with x * (1 + erf(x / √2)) / 2, as GELU is defined, and `slope` with its derivative.

    NumPy has no erf. That of Python takes eighty times as long as tanh, number by number.
    """
    wide = (x * math.sqrt(1 / 2)).reshape(-1).tolist()
    gate = np.fromiter(map(math.erf, wide), x.dtype, x.size).reshape(x.shape)
    gate += 1
    gate *= 0.5
    # gelu'(x) = gate + x * e^(-x²/2) / √(2π)
    np.exp(x * x * -0.5, out=slope)
    slope *= x / math.sqrt(2 * math.pi)
    slope += gate
    x *= gate
    return x


def relu_forward(x: Array, slope: Array) -> Array:
    """Overwrite x with max(x, 0), and `slope` with its derivative."""
    np.greater(x, 0, out=slope)
    x *= slope
    return x


def silu_forward(x: Array, slope: Array) -> Array:
    """Overwrite x with x * (1 + tanh(x / 2)) / 2 = x / (1 + e^-x), and `slope` with its derivative."""
    gate = np.tanh(x * x.dtype.type(0.5))  # not e^-x, which can overflow
    gate += 1
    gate *= x.dtype.type(0.5)
    # silu'(x) = gate + silu(x) * (1 - gate)
    np.subtract(1, gate, out=slope)
    x *= gate
    slope *= x
    slope += gate
    return x


ACTIVATIONS = {"gelu": gelu_forward, "gelu_erf": gelu_erf_forward, "relu": relu_forward, "silu": silu_forward}


def feed_forward_forward(
    x: Array, params: FeedForward, activation: Activation = "gelu"
) -> tuple[Array, FeedForwardCache]:
    """Return activation(x w1 + b1) w2 + b2."""
    hidden = project(x, params.w1, params.b1)  # (..., F)
    slope = np.empty_like(hidden)
    hidden = ACTIVATIONS[activation](hidden, slope)
    return project(hidden, params.w2, params.b2), FeedForwardCache(x, hidden, slope, params)


def feed_forward_backward(dout: Array, cache: FeedForwardCache) -> tuple[Array, FeedForward]:
    """Return dx and the gradients of the parameters."""
    x, hidden, slope, params = cache
    # out = hidden @ w2 + b2
    dhidden, dw2 = project_backward(dout, hidden, params.w2)  # (..., F)
    # hidden = activation(x @ w1 + b1)
    dhidden *= slope
    dx, dw1 = project_backward(dhidden, x, params.w1)  # (..., D)
    return dx, FeedForward(dw1, column_sums(dhidden), dw2, column_sums(dout))


def gated_forward(x: Array, params: GatedFeedForward, activation: Activation = "silu") -> tuple[Array, GatedCache]:
    """Return (activation(x W_gate) * (x W_up)) W_down."""
    gate, up = np.split(project(x, params.w_gate_up), 2, axis=-1)  # (..., F)
    gate = gate.copy()  # the activation overwrites it, and needs it in one piece
    slope = np.empty_like(gate)
    ACTIVATIONS[activation](gate, slope)
    hidden = gate * up
    return project(hidden, params.w_down), GatedCache(x, gate, slope, up, hidden, params)


def gated_backward(dout: Array, cache: GatedCache) -> tuple[Array, GatedFeedForward]:
    """Return dx and the gradients of the parameters."""
    x, gate, slope, up, hidden, params = cache
    # out = hidden @ w_down
    dhidden, dw_down = project_backward(dout, hidden, params.w_down)  # (..., F)
    # hidden = activation(x @ w_gate) * (x @ w_up)
    dgate_up = np.concatenate([dhidden * up * slope, dhidden * gate], axis=-1)  # (..., 2F)
    dx, dw_gate_up = project_backward(dgate_up, x, params.w_gate_up)  # (..., D)
    return dx, GatedFeedForward(dw_gate_up, dw_down)
