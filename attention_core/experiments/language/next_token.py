"""Sampling of the next token: one decision as a table, every temperature, and how many tokens top-p keeps."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array
from attention_core.checks import integer
from attention_core.equations.softmax import softmax
from attention_core.model.generate import choices, choose
from attention_core.model.parameters import Model


class Decisions(NamedTuple):
    """How each of N new tokens was chosen, one row for each."""

    tokens: NDArray[np.int64]  # (N,)
    logits: Array  # (N, V), of the model
    bets: Array  # (N, V), softmax of the logits, before temperature, top-k and top-p
    probabilities: Array  # (N, V), the distribution sampled from, after temperature, top-k and top-p
    drawn: Array  # (N,), the uniform random numbers; NaN for greedy decoding
    n_kept: NDArray[np.int64]  # (N,), number of tokens that top-k and top-p keep
    n_computed: NDArray[np.int64]  # (N,), positions computed by the model for this token


def decisions(model: Model, prompt: ArrayLike, n_new: int, *sampling: Any, **more: Any) -> Decisions:
    """Return the choices of n_new tokens as arrays; what else is given is for `choices`."""
    found = list(choices(model, prompt, integer("n_new", n_new, 1), *sampling, **more))
    logits = np.array([choice.logits for choice in found])
    return Decisions(
        np.array([choice.token for choice in found]),
        logits,
        softmax(logits),
        np.array([choice.probabilities for choice in found]),
        np.array([np.nan if choice.drawn is None else choice.drawn for choice in found]),
        np.array([choice.n_kept for choice in found]),
        np.array([choice.n_computed for choice in found]),
    )


class DecisionTable(NamedTuple):
    """One sampling decision, one row for each token of the vocabulary, the most likely first."""

    tokens: NDArray[np.int64]  # (V,)
    logits: Array  # (V,), of the model
    bets: Array  # (V,), softmax of the logits, before temperature, top-k and top-p
    scaled: Array  # (V,), logits divided by the temperature
    kept_by_k: NDArray[np.bool_]  # (V,)
    kept: NDArray[np.bool_]  # (V,), by top-k and top-p
    shares: Array  # (V,), probabilities of the kept tokens, summing to 1
    sums: Array  # (V,), cumulative probability; the first row above the random number is sampled
    drawn: float  # the uniform random number; NaN for greedy decoding
    rank: int  # the row that was sampled


def decision_table(
    decided: Decisions, place: int, temperature: float, top_k: int | None = None, top_p: float | None = None
) -> DecisionTable:
    """Return how the token at index `place` was sampled."""
    drawn = float(decided.drawn[place])
    number = 0.0 if np.isnan(drawn) else drawn
    choice = choose(decided.logits[place], temperature, top_k, top_p, number, int(decided.n_computed[place]))
    ranks = np.arange(len(choice.order))
    shares = choice.probabilities[choice.order]
    allowed = len(ranks) if top_k is None else top_k
    return DecisionTable(
        tokens=choice.order.astype(np.int64),
        logits=choice.logits[choice.order],
        bets=decided.bets[place][choice.order],
        scaled=choice.scaled[choice.order],
        kept_by_k=ranks < (1 if temperature == 0 else allowed),
        kept=ranks < choice.n_kept,
        shares=shares,
        sums=np.minimum(shares.cumsum(), 1.0),
        drawn=np.nan if temperature == 0 else drawn,
        rank=int(np.flatnonzero(choice.order == choice.token)[0]),
    )


def tempered(decided: Decisions, place: int, temperatures: Sequence[float]) -> Array:
    """Return softmax(logits / T) of one prediction (N, V), at several temperatures T."""
    logits = decided.logits[place].astype(np.float64)
    return softmax((logits - logits.max()) / np.asarray(temperatures, np.float64)[:, None])


def nucleus_size(probabilities: Sequence[float], top_p: float) -> int:
    """Return how many tokens top-p keeps of a prediction (V,)."""
    return int((np.sort(probabilities)[::-1].cumsum() < top_p).sum()) + 1
