"""The feed-forward layer (MLP): each position is projected to a wider layer, activated and projected back.

A gated one multiplies the activated layer by a second projection; with SiLU it is called SwiGLU.
"""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, project, project_backward
from attention_core.equations.activation_functions import ACTIVATIONS, Activation


class FeedForward(NamedTuple):
    """The parameters of a feed-forward layer, or their gradients."""

    w1: Array  # (D, F); gated: (D, 2F), W_gate and W_up side by side
    b1: Array | None  # as wide as w1
    w2: Array  # (F, D)
    b2: Array | None  # (D,)


class FeedForwardCache(NamedTuple):
    """The intermediate results of the feed-forward layer."""

    x: Array  # (..., D)
    gate: Array  # (..., F), after the activation
    slope: Array  # (..., F), the derivative of the activation there
    up: Array  # (..., F), the factor of the gate; (..., 0) without gates
    hidden: Array  # (..., F), gate * up, or the gate alone
    params: FeedForward


def feed_forward_forward(
    x: Array, params: FeedForward, activation: Activation = "gelu"
) -> tuple[Array, FeedForwardCache]:
    """Return activation(x w1 + b1) w2 + b2; gated, (activation(x W_gate) * (x W_up)) w2, plus biases, if any."""
    raw, up = np.split(project(x, params.w1, params.b1), [len(params.w2)], axis=-1)  # (..., F), or up (..., 0)
    gate, slope = ACTIVATIONS[activation](raw)
    hidden = gate * up if up.shape[-1] else gate
    return project(hidden, params.w2, params.b2), FeedForwardCache(x, gate, slope, up, hidden, params)


def feed_forward_backward(dout: Array, cache: FeedForwardCache) -> tuple[Array, FeedForward]:
    """Return dx and the gradients of the parameters."""
    x, gate, slope, up, hidden, params = cache
    # out = hidden @ w2 + b2
    dhidden, dw2, db2 = project_backward(dout, hidden, params.w2, params.b2)  # (..., F)
    # hidden = activation(x @ w1 + b1), or activation(x @ w_gate) * (x @ w_up)
    if up.shape[-1]:
        dhidden = np.concatenate([dhidden * up * slope, dhidden * gate], axis=-1)  # (..., 2F)
    else:
        dhidden *= slope
    dx, dw1, db1 = project_backward(dhidden, x, params.w1, params.b1)  # (..., D)
    return dx, FeedForward(dw1, db1, dw2, db2)
