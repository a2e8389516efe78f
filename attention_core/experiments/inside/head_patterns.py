"""Attention patterns of a model's heads over many texts."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array, Tokens
from attention_core.equations.masks import causal_mask
from attention_core.experiments.scaling.head_metrics import entropy_share


class Patterns(NamedTuple):
    """Mean attention weights, (L, H) each, over the positions that have such a key."""

    previous: Array  # on the previous token
    same: Array  # on the same token elsewhere
    first: Array  # on the first token
    self: Array  # on the token itself
    induction: Array  # on the token after an earlier occurrence of the same token
    spread: Array  # entropy of a row as a fraction of its maximum; 1 is uniform


def pattern_targets(tokens: Tokens, causal: bool) -> dict[str, NDArray[np.bool_]]:
    """Return for each pattern with a target which cells (B, T, T) it is about; blocked cells are none."""
    length = tokens.shape[1]
    itself = np.eye(length, dtype=bool)
    same = tokens[:, :, None] == tokens[:, None, :]  # (B, T, T)
    followed = np.zeros_like(same)
    followed[:, :, 1:] = same[:, :, :-1]  # position s follows the token at s - 1
    first = np.zeros((length, length), bool)
    first[1:, 0] = True
    found = {
        "previous": np.eye(length, k=-1, dtype=bool),
        "same": same & ~itself,
        "first": first,
        "self": itself,
        "induction": followed & np.tri(length, k=-1, dtype=bool),
    }
    blocked = causal_mask(length) if causal else np.zeros((length, length), bool)
    return {name: np.broadcast_to(targets & ~blocked, same.shape) for name, targets in found.items()}


def measure_patterns(weights: Array, tokens: Tokens, causal: bool) -> Patterns:
    """Return the patterns of weights (B, L, H, T, T) over tokens (B, T)."""
    n_rows, length = tokens.shape
    blocked = causal_mask(length) if causal else np.zeros((length, length), bool)

    def mean(targets: NDArray[np.bool_]) -> Array:
        """Return the mean weight (L, H) on the target cells (B, T, T), over the rows with a target."""
        total = (weights * targets[:, None, None]).sum(axis=(0, 3, 4), dtype=np.float64)
        return np.asarray(total / max(1, int(targets.any(axis=-1).sum())))

    choice = (~blocked).sum(axis=-1) > 1  # with a single key the entropy is always 0
    spread = np.sum(entropy_share(weights, blocked), axis=(0, 3), where=choice, dtype=np.float64)
    means = {name: mean(targets) for name, targets in pattern_targets(tokens, causal).items()}
    return Patterns(**means, spread=np.asarray(spread / max(1, n_rows * int(choice.sum()))))
