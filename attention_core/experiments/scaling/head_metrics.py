"""Metrics of attention heads: entropy, size of the Jacobian, and the weight on typical targets."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.attention import scaled_dot_product_attention
from attention_core.equations.multi_head import head_writes
from attention_core.rows import row_norms


class HeadMeasures(NamedTuple):
    """Metrics in [0, 1], one number (...) for each head."""

    entropy: Array  # mean entropy of a row, as a fraction of the maximum
    previous_word: Array  # mean weight on the previous word
    first_word: Array  # mean weight on the first word
    self: Array  # mean weight on the word itself
    same_word: Array  # mean weight on the same word elsewhere
    induction: Array  # mean weight on what followed the same word earlier


def entropy(weights: Array) -> Array:
    """Return -sum(w log w) of each row (..., S), in nats: 0 for a single key, log S for uniform weights."""
    return -np.vecdot(weights, np.log(np.where(weights > 0, weights, 1)))


def entropy_share(weights: Array, blocked: Array | None = None) -> Array:
    """Return the entropy of each row as a fraction of its maximum over the allowed keys; 0 for a single key."""
    allowed = (
        np.ones(weights.shape, bool) if blocked is None else np.broadcast_to(~np.asarray(blocked, bool), weights.shape)
    )
    most = np.log(np.maximum(allowed.sum(axis=-1), 1))
    return np.divide(entropy(weights), most, out=np.zeros_like(most), where=most > 0)


def jacobian_norm(weights: Array) -> Array:
    """Return the Frobenius norm of d weights / d scores = diag(w) - w wᵀ of each row.

    It equals √(Σw² - 2Σw³ + (Σw²)²). It is 0 when one weight is 1, and at most 1/2, for two weights of 1/2.
    """
    squares = np.vecdot(weights, weights)
    cubes = np.vecdot(weights * weights, weights)
    return np.sqrt(np.maximum(squares - 2 * cubes + squares * squares, 0))


def previous_word_score(weights: Array) -> Array:
    """Return the mean weight (...) on the previous position; 0 for a single position."""
    before = np.diagonal(weights, offset=-1, axis1=-2, axis2=-1)
    return before.sum(axis=-1) / max(1, before.shape[-1])


def first_word_score(weights: Array) -> Array:
    """Return the mean weight (...) on the first position, over all later positions."""
    first = weights[..., 1:, 0]
    return first.sum(axis=-1) / max(1, first.shape[-1])


def self_score(weights: Array) -> Array:
    """Return the mean weight (...) of a position on itself."""
    return np.diagonal(weights, axis1=-2, axis2=-1).mean(axis=-1)


def same_word_score(weights: Array, words: Sequence[Hashable], blocked: Array | None = None) -> Array:
    """Return the mean weight (...) on other positions with the same word, over the rows with an allowed one."""
    elsewhere = same_word(words) & ~np.eye(len(words), dtype=bool)
    if blocked is not None:
        elsewhere &= ~np.asarray(blocked, bool)
    return mean_over_rows(weights, elsewhere)


def induction_score(weights: Array, words: Sequence[Hashable]) -> Array:
    """Return the mean weight (...) on the position after an earlier occurrence of the word, over repeated words."""
    after = np.zeros((len(words), len(words)), bool)
    after[:, 1:] = same_word(words)[:, :-1]  # position s follows the word at s - 1
    return mean_over_rows(weights, np.tril(after, -1))


def measure_heads(weights: Array, words: Sequence[Hashable], blocked: Array | None = None) -> HeadMeasures:
    """Return the metrics of heads with weights (..., T, T); the entropy skips rows with a single allowed key."""
    spread = entropy_share(weights, blocked)  # (..., T)
    choice = np.full(spread.shape[-1], spread.shape[-1] > 1)
    if blocked is not None:
        choice = (~np.asarray(blocked, bool)).sum(axis=-1) > 1
    return HeadMeasures(
        entropy=np.sum(spread, axis=-1, where=choice) / max(1, choice.sum()),
        previous_word=previous_word_score(weights),
        first_word=first_word_score(weights),
        self=self_score(weights),
        same_word=same_word_score(weights, words, blocked),
        induction=induction_score(weights, words),
    )


def same_word(words: Sequence[Hashable]) -> Array:
    """Return (T, T): which pairs of positions have the same word."""
    ids = {word: i for i, word in enumerate(dict.fromkeys(words))}
    row = np.array([ids[word] for word in words], dtype=int)
    return row[:, None] == row[None, :]


def mean_over_rows(weights: Array, target: Array) -> Array:
    """Return the mean weight on the target cells, over the rows with a target; 0 if there are none."""
    return (weights * target).sum(axis=(-2, -1)) / max(1, target.any(axis=-1).sum())


def contributions(weights: Array, v: Array, w_o: Array) -> Array:
    """Return (..., H, T, S): the length of what each key adds, weight * |v W_O|. A large weight may add little."""
    return weights * row_norms(head_writes(v, w_o))[..., None, :]


def removal_effects(q: Array, k: Array, v: Array, w_o: Array, blocked: Array | None = None) -> Array:
    """Return (..., H, T, S): how far the write of each head moves when one key is removed."""
    n_keys = k.shape[-2]
    hidden = np.zeros(n_keys, bool) if blocked is None else np.asarray(blocked, bool)
    before, _ = scaled_dot_product_attention(q, k, v, np.atleast_2d(hidden))
    effects = []
    for key in range(n_keys):
        after, _ = scaled_dot_product_attention(q, k, v, np.atleast_2d(hidden | (np.arange(n_keys) == key)))
        moved = head_writes(after - before, w_o)  # (..., H, T, D)
        effects.append(row_norms(moved))
    return np.stack(effects, axis=-1)


def rank(matrix: Array) -> int:
    """Return the rank of a matrix; for W_Q W_Kᵀ of one head it is at most the head width."""
    return int(np.linalg.matrix_rank(matrix))


def weight_on_blocked(weights: Array, blocked: Array) -> Array:
    """Return how much weight each row gives to blocked keys."""
    return np.where(blocked, weights, 0.0).sum(axis=-1)
