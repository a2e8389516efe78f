"""Position encodings: sinusoids added to the embeddings, rotations of q and k (RoPE), a distance penalty (ALiBi)."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, frozen
from attention_core.checks import floats, integer, real

FARTHEST = 1 << 40  # positions; the angle of a larger one keeps too few digits


def check_base(base: float, name: str = "base") -> float:
    """Return the base of the wavelengths; raise ValueError unless it is positive and finite."""
    return real(name, base, "a finite number above 0", lambda value: value > 0)


def frequencies(width: int, base: float = 10000.0) -> Array:
    """Return the angle in radians between neighbouring positions for each pair of dimensions: base^(-2i / D)."""
    pairs = np.arange((integer("width", width, 1) + 1) // 2)
    return check_base(base) ** (-2.0 * pairs / width)  # (ceil(D / 2),)


def wavelengths(width: int, base: float = 10000.0) -> Array:
    """Return the period of each pair of dimensions in tokens: 2π / frequency."""
    return 2 * math.pi / frequencies(width, base)


def sinusoidal_positions(length: int, d_model: int, base: float = 10000.0) -> Array:
    """Return (T, D) with PE[t, 2i] = sin(t base^(-2i/D)) and PE[t, 2i+1] = cos of it; an odd D ends with a sine.

    >>> sinusoidal_positions(2, 4).round(3)
    array([[0.   , 1.   , 0.   , 1.   ],
           [0.841, 0.54 , 0.01 , 1.   ]])
    """
    angles = np.arange(integer("length", length, 0))[:, None] * frequencies(integer("d_model", d_model, 1), base)
    encoding = np.empty((length, d_model))  # (T, D)
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles[:, : d_model // 2])
    return encoding


@lru_cache(maxsize=64)
def rope_phase(length: int, width: int, base: float, offset: int, kind: str) -> Array:
    """Return e^(i t θ), complex (T, K / 2), for the positions t = offset ...: the rotations of RoPE."""
    angles = np.arange(offset, offset + length)[:, None] * frequencies(width, base)
    return frozen(np.exp(1j * angles).astype(np.result_type(np.dtype(kind), np.complex64)))  # (T, K / 2)


def apply_rope(x: Array, phase: Array) -> Array:
    """Return x with each pair (x[2i], x[2i+1]) rotated: as complex numbers this is one product."""
    return (x.view(phase.dtype) * phase).view(x.dtype)


def rotate(x: ArrayLike, base: float = 10000.0, offset: int = 0) -> Array:
    """Return RoPE of (..., T, K): at position t, pair i is rotated by the angle t * base^(-2i/K).

    >>> rotate([[1, 0], [1, 0]]).round(3)
    array([[1.   , 0.   ],
           [0.54 , 0.841]])
    """
    array = floats("x", x, ndim=2)
    if array.shape[-1] % 2 or array.shape[-1] == 0:
        raise ValueError(f"x must have an even width, because dimensions rotate in pairs, got x {array.shape}")
    kind = array.dtype if array.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    start = integer("offset", offset, -FARTHEST, FARTHEST)
    phase = rope_phase(array.shape[-2], array.shape[-1], check_base(base), start, kind.str)
    return apply_rope(np.ascontiguousarray(array, dtype=kind), phase)


def alibi_slopes(n_heads: int) -> Array:
    """Return the slope of each head, 2^(-8h/H) for h = 1 ... H: the first head is the steepest and most local."""
    heads = np.arange(1, integer("n_heads", n_heads, 1) + 1)
    return 2.0 ** (-8.0 * heads / n_heads)  # (H,)


def distance_bias(slopes: ArrayLike, length: int) -> Array:
    """Return the (H, T, T) bias -slope * distance."""
    position = np.arange(length)
    return -np.asarray(slopes, np.float64)[:, None, None] * np.abs(position[:, None] - position)


def alibi_bias(n_heads: int, length: int) -> Array:
    """Return the (H, T, T) penalty -slope * distance that ALiBi adds to the scores; slopes as in `alibi_slopes`.

    >>> alibi_bias(2, 3)[0, 2]
    array([-0.125 , -0.0625, -0.    ])
    """
    return distance_bias(alibi_slopes(n_heads), integer("length", length, 0))
