"""LayerNorm: each row is normalised to mean 0 and variance 1, then scaled by a gain and shifted by a bias.

RMSNorm divides by the root mean square instead: no mean is subtracted, and no bias is added.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, column_sums, row_dots, row_sums
from attention_core.checks import real
from attention_core.inputs import norm_inputs

EPSILON = 1e-5  # usually added to the variance, so that a constant row does not divide by 0


class Norm(NamedTuple):
    """The parameters of a LayerNorm (γ and β in papers) or an RMSNorm, or their gradients."""

    gain: Array  # (D,)
    bias: Array | None  # (D,); None: RMSNorm


class NormCache(NamedTuple):
    """The normalised rows and 1 / standard deviation, which the backward pass reads."""

    normal: Array  # (..., D)
    inverse: Array  # (..., 1), 1 / standard deviation, or 1 / root mean square
    params: Norm


def norm_forward(x: Array, params: Norm, epsilon: float = EPSILON) -> tuple[Array, NormCache]:
    """Return (x - mean) / √(variance + ε) * gain + bias over the last axis; RMSNorm has neither mean nor bias."""
    width = x.shape[-1]
    normal = np.empty_like(x)
    centred = x if params.bias is None else np.subtract(x, row_sums(x) / width, out=normal)
    inverse = 1 / np.sqrt(np.vecdot(centred, centred)[..., None] / width + epsilon)  # (..., 1)
    np.multiply(centred, inverse, out=normal)
    out = normal * params.gain
    if params.bias is not None:
        out += params.bias
    return out, NormCache(normal, inverse, params)


def norm_backward(dout: Array, cache: NormCache) -> tuple[Array, Norm]:
    """Return dx = (d - mean(d) - normal * mean(d * normal)) * inverse with d = dnormal, and dgain and dbias."""
    normal, inverse, params = cache
    # out = normal * gain + bias
    product = dout * normal
    grads = Norm(column_sums(product), None if params.bias is None else column_sums(dout))
    dnormal = dout * params.gain
    # normal = (x - mean) * inverse: no shift of a whole row changes it, which mean(d) removes, and no scaling of one
    averaging = params.gain / dout.shape[-1]  # (D,), whose product with dout is mean(dnormal)
    if params.bias is not None:
        dnormal -= row_dots(dout, averaging)
    dnormal -= np.multiply(normal, row_dots(product, averaging), out=product)  # normal * mean(dnormal * normal)
    dnormal *= inverse
    return dnormal, grads


def layer_norm(x: ArrayLike, gain: ArrayLike, bias: ArrayLike, epsilon: float = EPSILON) -> Array:
    """Return (x - mean) / √(variance + ε) * gain + bias over the last axis of x (..., D); gain and bias are (D,).

    >>> layer_norm([1, 2, 3], gain=[1, 1, 1], bias=[0, 0, 0]).round(3)
    array([-1.225,  0.   ,  1.225])
    """
    x, gain, bias = norm_inputs(x, gain=gain, bias=bias)
    return checked_norm(x, Norm(gain, bias), epsilon)


def rms_norm(x: ArrayLike, gain: ArrayLike, epsilon: float = EPSILON) -> Array:
    """Return x / √(mean of x² + ε) * gain over the last axis of x (..., D); gain is (D,).

    >>> rms_norm([3, 4], gain=[1, 10]).round(3)
    array([ 0.849, 11.314])
    """
    x, gain = norm_inputs(x, gain=gain)
    return checked_norm(x, Norm(gain, None), epsilon)


def checked_norm(x: Array, params: Norm, epsilon: float) -> Array:
    """Return x normalised; raise ValueError if its variance overflows."""
    real("epsilon", epsilon, "a finite number above 0", lambda value: value > 0)
    with np.errstate(over="ignore", invalid="ignore"):
        out, cache = norm_forward(x, params, epsilon)
    if not cache.inverse.all():  # 1 / √inf: the row would be 0
        raise ValueError(f"the variance of x must be finite, got x up to {np.abs(x).max():.3g} in {x.dtype}")
    return out
