"""Attention masks: boolean, True = blocked; or additive, 0 = allowed and -inf = blocked."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array
from attention_core.checks import integer, regular

Blocked = NDArray[np.bool_]  # (T, S), True = blocked


def no_mask(length: int) -> Blocked:
    """Return the (T, T) mask that blocks nothing."""
    return np.zeros((integer("length", length, 0), length), dtype=bool)


def causal_mask(length: int) -> Blocked:
    """Return the (T, T) mask that blocks every later position."""
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
    own = regular("lengths", lengths)
    integer("length", length, 0)
    if own.dtype.kind not in "iu" or (own < 0).any() or (own > length).any():
        raise ValueError(f"lengths must be whole numbers between 0 and length {length}, got {own.tolist()}")
    return np.arange(length) >= own[..., None, None]  # (..., 1, S)


def block_mask(length: int, size: int) -> Blocked:
    """Return the mask that restricts each position to its own block of `size` positions."""
    block = np.arange(integer("length", length, 0)) // integer("size", size, 1)
    return block[None, :] != block[:, None]  # (T, T)


def every_query(blocked: ArrayLike) -> Blocked:
    """Return the (1, S) mask repeated for every query, (S, S)."""
    mask = regular("blocked", blocked)
    if mask.dtype != np.bool_ or mask.ndim != 2 or mask.shape[0] != 1:
        raise ValueError(f"blocked must be a boolean (1, S) mask, got {mask.dtype} {mask.shape}")
    return np.repeat(mask, mask.shape[1], axis=0)


def toggle_cells(blocked: ArrayLike, cells: Sequence[tuple[int, int]]) -> Blocked:
    """Return a copy of the mask with these (query, key) cells toggled."""
    mask = regular("blocked", blocked)
    if mask.dtype != np.bool_ or mask.ndim != 2:
        raise ValueError(f"blocked must be a boolean (T, S) mask, got {mask.dtype} {mask.shape}")
    turned = mask.copy()
    for query, key in cells:
        integer("query", query, 0, mask.shape[0] - 1)
        integer("key", key, 0, mask.shape[1] - 1)
        turned[query, key] ^= True
    return turned


def additive_mask(blocked: ArrayLike) -> Array:
    """Return 0 where allowed and -inf where blocked, to be added to the scores.

    Selected with `where`, not multiplied: 0 * -inf is NaN, and one NaN spreads through the whole model.
    """
    mask = regular("blocked", blocked)
    if mask.dtype != np.bool_:
        raise ValueError(f"blocked must be boolean, True = blocked, got dtype {mask.dtype}")
    return np.where(mask, -np.inf, 0.0)


def as_additive(mask: ArrayLike | None, dtype: np.dtype[np.floating]) -> Array | None:
    """Return a boolean or float mask as the float array that is added to the scores; None stays None."""
    if mask is None:
        return None
    array = regular("mask", mask)
    if array.dtype == np.bool_:
        return additive_mask(array).astype(dtype)
    if array.dtype.kind != "f":
        raise ValueError(
            f"mask must be boolean (True = blocked) or a float of NumPy (added to the scores), got dtype {array.dtype}"
        )
    with np.errstate(over="ignore"):  # values below the range of the type become -inf and block
        array = array.astype(dtype, copy=False)
    if np.isnan(array).any() or (array == np.inf).any():
        raise ValueError("mask must not contain NaN or +inf; -inf blocks")
    return array


def reachable(blocked: ArrayLike, layers: int) -> NDArray[np.bool_]:
    """Return (L, T, T): the inputs that can reach an output after 1, 2, ... layers, with the residual path."""
    mask = regular("blocked", blocked)
    if mask.dtype != np.bool_ or mask.ndim != 2 or mask.shape[0] != mask.shape[1]:
        raise ValueError(f"blocked must be a boolean (T, T) mask, got {mask.dtype} {mask.shape}")
    step = ~mask | np.eye(len(mask), dtype=bool)
    reach = [step]
    for _ in range(1, integer("layers", layers, 1)):
        reach.append(reach[-1] @ step)
    return np.stack(reach)  # (L, T, T)


def layers_needed(reach: ArrayLike) -> NDArray[np.int64]:
    """Return (T, T): the number of layers after which an input first reaches an output; 0 if it never does."""
    steps = regular("reach", reach)
    if steps.dtype != np.bool_ or steps.ndim != 3:
        raise ValueError(f"reach must be boolean (L, T, T), got {steps.dtype} {steps.shape}")
    return np.where(steps.any(axis=0), steps.argmax(axis=0) + 1, 0)
