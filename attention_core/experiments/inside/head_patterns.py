"""Attention patterns of a model's heads over many texts, compared with uniform attention."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array, Tokens
from attention_core.equations.masks import causal_mask
from attention_core.experiments.scaling.head_metrics import entropy_share
from attention_core.model.forward import attention_weights
from attention_core.model.generate import generate
from attention_core.model.parameters import Model

CLEAR = 0.15  # weight above uniform attention that makes a pattern clear
NOTHING = -1  # index of a head without a clear pattern


class Patterns(NamedTuple):
    """Mean attention weights, (L, H) each, over the positions that have such a key."""

    previous: Array  # on the previous token
    same: Array  # on the same token elsewhere
    first: Array  # on the first token
    self: Array  # on the token itself
    induction: Array  # on the token after an earlier occurrence of the same token
    spread: Array  # entropy of a row as a fraction of its maximum; 1 is uniform


class Habits(NamedTuple):
    """The clearest pattern of each head, (L, H) each."""

    pattern: NDArray[np.int64]  # index in the fields of `Patterns` or of the links, or NOTHING
    above: Array  # its weight above uniform attention


def patterns(model: Model, rows: Array) -> Patterns:
    """Return the attention patterns of every head over sequences of tokens (B, T)."""
    tokens = np.asarray(rows)
    return measure_patterns(attention_weights(model, tokens), tokens, model.config.causal)


def uniform_patterns(model: Model, rows: Array) -> Patterns:
    """Return the patterns, (1, 1) each, of uniform attention over the same rows."""
    tokens = np.asarray(rows)
    length = tokens.shape[1]
    allowed = np.tri(length) if model.config.causal else np.ones((length, length))
    even = allowed / allowed.sum(axis=-1, keepdims=True)
    return measure_patterns(np.broadcast_to(even, (len(tokens), 1, 1, length, length)), tokens, model.config.causal)


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


def habits_above(found: Patterns, even: Patterns) -> Habits:
    """Return the pattern of each head that is farthest above uniform attention; entropy is excluded."""
    above = np.stack([one - other for one, other in zip(found[:-1], even[:-1], strict=True)])  # (patterns, L, H)
    best = above.argmax(axis=0)
    most = above.max(axis=0)
    return Habits(np.where(most >= CLEAR, best, NOTHING), most)


def generate_rows(model: Model, n_rows: int, length: int, seed: int = 0) -> Tokens:
    """Return texts (B, T) that the model generates, each from a random first token, at most max_len long."""
    rng = np.random.default_rng(seed)
    firsts = rng.integers(model.config.vocab_size, size=n_rows)
    n_new = min(length, model.config.max_len) - 1
    texts = [[int(first), *generate(model, [int(first)], n_new, seed=row)] for row, first in enumerate(firsts)]
    return np.array(texts, np.int64)
