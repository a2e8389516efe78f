"""Activations of the feed-forward layer: each returns its values and its derivatives at all numbers of x (...).

One pass computes both, so that the backward pass is a single product.
"""

import math
from typing import Literal

import numpy as np

from attention_core.arrays import Array

Activation = Literal["gelu", "gelu_erf", "relu", "silu"]
CURVE = math.sqrt(2 / math.pi)  # factor inside the tanh of GELU
CUBIC = 0.044715  # coefficient of x³ inside the tanh of GELU
CHUNK = 1 << 15  # numbers; GELU works in chunks that fit into the processor's cache


def gelu_forward(x: Array) -> tuple[Array, Array]:
    """Return x * (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2; x³ as x * x², because `x**3` is a hundred times as slow."""
    flat, values, slopes = x.reshape(-1), np.empty(x.size, x.dtype), np.empty(x.size, x.dtype)
    scratch = np.empty((2, min(CHUNK, x.size)), x.dtype)
    for start in range(0, x.size, CHUNK):
        part, value, slope = (array[start : start + CHUNK] for array in (flat, values, slopes))
        square, gate = scratch[:, : part.size]
        np.multiply(part, part, out=square)
        np.multiply(square, CURVE * CUBIC, out=gate)
        gate += CURVE
        gate *= part
        np.tanh(gate, out=gate)
        gate *= 0.5
        gate += 0.5  # gate = (1 + tanh) / 2
        np.multiply(part, gate, out=value)  # gelu(x) = x * gate
        # gelu'(x) = gate + gelu(x) * (1 - gate) * 2 * √(2/π) * (1 + 3 * 0.044715 x²)
        square *= 6 * CURVE * CUBIC
        square += 2 * CURVE
        square *= value
        np.subtract(1, gate, out=slope)
        slope *= square
        slope += gate
    return values.reshape(x.shape), slopes.reshape(x.shape)


def gelu_erf_forward(x: Array) -> tuple[Array, Array]:
    """Return x * (1 + erf(x / √2)) / 2, as GELU is defined. NumPy has no erf: Python's is 50 times as slow as tanh."""
    wide = (x * math.sqrt(1 / 2)).reshape(-1).tolist()
    gate = (np.fromiter(map(math.erf, wide), x.dtype, x.size).reshape(x.shape) + 1) * 0.5
    # gelu'(x) = gate + x * e^(-x²/2) / √(2π)
    return x * gate, np.exp(x * x * -0.5) * (x / math.sqrt(2 * math.pi)) + gate


def relu_forward(x: Array) -> tuple[Array, Array]:
    """Return max(x, 0)."""
    slope = (x > 0).astype(x.dtype)
    return x * slope, slope


def silu_forward(x: Array, alpha: float = 1.0) -> tuple[Array, Array]:
    """Return x / (1 + e^-αx) = x * (1 + tanh(αx / 2)) / 2; it is called Swish where α is not 1."""
    gate = (np.tanh(x * (alpha / 2)) + 1) * 0.5  # not e^-αx, which can overflow
    value = x * gate
    # silu'(x) = gate + α * silu(x) * (1 - gate)
    return value, (alpha - alpha * gate) * value + gate


ACTIVATIONS = {"gelu": gelu_forward, "gelu_erf": gelu_erf_forward, "relu": relu_forward, "silu": silu_forward}
