"""N-gram models: the next token predicted from counts of what followed the last n − 1 tokens, the baselines of a model.

Each order is interpolated with the one below it by the rule of Witten and Bell (1991), down to the uniform prediction:

    p_n(w | h) = (c(hw) + t(h) p_{n-1}(w | h')) / (c(h) + t(h))

c counts, t(h) is how many different tokens followed h, and h' is h without its first token. It needs no setting, and
what never came may come. After a context h that never came, p_n is p_{n-1}.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array, Tokens
from attention_core.checks import regular

ORDER = 3  # the longest n-grams are trigrams


class NGrams(NamedTuple):
    """The n-grams of n = 1, 2, 3 that occurred, each as a code: its tokens are the digits of a number in base V."""

    vocab_size: int
    codes: tuple[Tokens, ...]  # (N,) for each n, sorted, so that those of one context are neighbours
    sums: tuple[Tokens, ...]  # (N + 1,) for each n, how often those before a code occurred together


class Baselines(NamedTuple):
    """The mean losses in nats of four models that use no attention."""

    uniform: float
    unigram: float
    bigram: float
    trigram: float


def count_n_grams(rows: Tokens, vocab_size: int, counted: NDArray[np.bool_] | None = None) -> NGrams:
    """Return the n-grams of rows (B, T + 1) that end at a target: at all targets, or those of `counted` (B, T)."""
    codes, sums = list[Tokens](), list[Tokens]()
    for n in range(1, ORDER + 1):
        found = codes_of(rows, n, vocab_size)
        ends = found.ravel() if counted is None else found[counted[:, max(0, n - 2) :]]
        distinct, times = np.unique(ends, return_counts=True)
        codes.append(distinct)
        sums.append(np.concatenate([[0], times.cumsum()]))
    return NGrams(vocab_size, tuple(codes), tuple(sums))


def codes_of(rows: Tokens, n: int, vocab_size: int) -> Tokens:
    """Return the codes (B, T') of the n-grams in rows (B, T + 1) that end at a target: not at the first token."""
    ends = rows.astype(np.int64)[:, 1 if n == 1 else 0 :]
    if ends.shape[1] < n:
        return np.zeros((len(rows), 0), np.int64)
    return sliding_window_view(ends, n, axis=1) @ vocab_size ** np.arange(n)[::-1]


def target_probabilities(grams: NGrams, rows: Tokens) -> list[Array]:
    """Return the probability (B, T) of each target in rows (B, T + 1) for each order, from 0 (uniform) to 3."""
    size = grams.vocab_size
    found = [np.full((len(rows), rows.shape[1] - 1), 1 / size)]
    for n, (codes, sums) in enumerate(zip(grams.codes, grams.sums, strict=True), start=1):
        code = codes_of(rows, n, size)
        first = code - code % size  # the smallest code of the same context
        start, stop, left, right = (codes.searchsorted(edge) for edge in (first, first + size, code, code + 1))
        kinds, times, all_times = stop - start, sums[right] - sums[left], sums[stop] - sums[start]
        below = found[-1][:, found[0].shape[1] - code.shape[1] :]  # earlier targets have too short a context
        found.append(found[-1].copy())
        found[-1][:, found[0].shape[1] - code.shape[1] :] = np.where(
            kinds > 0, (times + kinds * below) / np.maximum(all_times + kinds, 1), below
        )
    return found


def n_gram_losses(grams: NGrams, rows: ArrayLike, counted: NDArray[np.bool_] | None = None) -> Baselines:
    """Return the mean loss in nats of each order over the targets of rows (B, T + 1): all, or those of `counted`."""
    tokens = checked_ids("rows", rows, grams.vocab_size, 2)
    which = np.ones((len(tokens), tokens.shape[1] - 1), bool) if counted is None else counted
    each = [-np.log(probabilities[which]) for probabilities in target_probabilities(grams, tokens)]
    return Baselines(*(float(losses.sum() / max(1, losses.size)) for losses in each))


def checked_ids(name: str, tokens: ArrayLike, vocab_size: int, ndim: int) -> Tokens:
    """Return token ids as an array of so many axes; raise ValueError if they are none of the vocabulary."""
    ids = regular(name, tokens)
    if ids.ndim != ndim or ids.dtype.kind not in "iu" or ids.size == 0:
        raise ValueError(f"{name} must be token ids with {ndim} axes, got {ids.dtype} {ids.shape}")
    if ids.min() < 0 or ids.max() >= vocab_size:
        raise ValueError(f"{name} must be ids below {vocab_size}, got {ids.min()} to {ids.max()}")
    return ids
