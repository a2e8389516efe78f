"""Masks painted cell by cell, and which inputs can reach which outputs through one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.checks import integer, regular
from attention_core.equations.masks import Blocked


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
