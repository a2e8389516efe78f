"""Attention masks: boolean, True = blocked; or additive, 0 = allowed and -inf = blocked."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array
from attention_core.checks import integer, regular

Blocked = NDArray[np.bool_]  # (T, S), True = blocked


def no_mask(length: int) -> Blocked:
    """Return the (T, T) mask that blocks nothing."""
    return np.zeros((integer("length", length, 0), length), dtype=bool)


def causal_mask(length: int) -> Blocked:
    """Return the (T, T) mask that blocks every later position, True where key > query.

    >>> causal_mask(3)
    array([[False,  True,  True],
           [False, False,  True],
           [False, False, False]])
    """
    position = np.arange(integer("length", length, 0))
    return position[None, :] > position[:, None]  # (T, T)


def sliding_window_mask(length: int, window: int) -> Blocked:
    """Return the causal mask restricted to each position and the `window` - 1 before it."""
    integer("window", window, 1)
    position = np.arange(integer("length", length, 0))
    return causal_mask(length) | (position[:, None] - position[None, :] >= window)


def prefix_mask(length: int, prefix: int) -> Blocked:
    """Return the causal mask with the first `prefix` positions visible to all."""
    integer("prefix", prefix, 0)
    return causal_mask(length) & (np.arange(length) >= prefix)


def padding_mask(lengths: ArrayLike, length: int) -> Blocked:
    """Return the (..., 1, S) mask that blocks the padding after each sequence's length.

    With heads, add an axis for them: `padding_mask(...)[:, None]`. Without it, a batch of H sequences is read as H
    heads.
    """
    each = regular("lengths", lengths)
    integer("length", length, 0)
    if each.dtype.kind not in "iu" or (each < 0).any() or (each > length).any():
        raise ValueError(f"lengths must be whole numbers between 0 and length {length}, got {each.tolist()}")
    return np.arange(length) >= each[..., None, None]  # (..., 1, S)


def block_mask(length: int, size: int) -> Blocked:
    """Return the mask that restricts each position to its own block of `size` positions."""
    block = np.arange(integer("length", length, 0)) // integer("size", size, 1)
    return block[None, :] != block[:, None]  # (T, T)


def additive_mask(blocked: ArrayLike) -> Array:
    """Return 0 where allowed and -inf where blocked, to be added to the scores.

    Selected with `where`, not multiplied: 0 * -inf is NaN, and one NaN spreads through the whole model.

    >>> additive_mask([[False, True], [False, False]])
    array([[  0., -inf],
           [  0.,   0.]])
    """
    mask = regular("blocked", blocked)
    if mask.dtype != np.bool_:
        raise ValueError(f"blocked must be boolean, True = blocked, got dtype {mask.dtype}")
    return np.where(mask, -np.inf, 0.0)
