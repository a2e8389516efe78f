"""What temperature and cutting make of one bet, many draws from it, and how a text that was drawn surprised."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array
from attention_core.checks import real, whole
from attention_core.experiments.head_metrics import entropy
from attention_core.model.generate import Decisions, choose


class DecisionTable(NamedTuple):
    """One decision, a row for each token of the vocabulary, the likeliest first."""

    tokens: NDArray[np.int64]  # (V,)
    logits: Array  # (V,), as the model gave them
    bets: Array  # (V,), their softmax: what the model expects, before anything is done to it
    scaled: Array  # (V,), logits divided by the temperature
    kept_by_k: NDArray[np.bool_]  # (V,)
    kept: NDArray[np.bool_]  # (V,), by top-k and then by top-p
    shares: Array  # (V,), of what is kept: they sum to 1
    sums: Array  # (V,), of the shares so far; the first one above the random number is drawn
    drawn: float  # the random number; NaN where nothing was left to chance
    rank: int  # the row that was drawn


def decision_table(
    decided: Decisions, place: int, temperature: float, top_k: int | None = None, top_p: float | None = None
) -> DecisionTable:
    """Return how one of the tokens decided was drawn from the bet on it."""
    whole("place", place, 0, len(decided.tokens) - 1)
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


class Tempered(NamedTuple):
    """One bet at several temperatures, a row for each."""

    temperatures: Array  # (N,)
    shares: Array  # (N, V), in the order of the ids
    entropies: Array  # (N,), in nats
    hesitation: Array  # (N,), e^entropy: among how many equally likely tokens one would hesitate as much


def tempered(decided: Decisions, place: int, temperatures: Sequence[float]) -> Tempered:
    """Return softmax(logits / T) of one of the bets, at several temperatures T."""
    whole("place", place, 0, len(decided.tokens) - 1)
    for temperature in temperatures:
        real("temperatures", temperature, "above 0", lambda value: value > 0)
    logits = decided.logits[place].astype(np.float64)
    values = np.asarray(temperatures, np.float64)
    powers = np.exp((logits - logits.max()) / values[:, None])  # (N, V)
    shares = powers / powers.sum(axis=-1, keepdims=True)
    spread = entropy(shares)
    return Tempered(values, shares, spread, np.exp(spread))


def draw_counts(decided: Decisions, place: int, n_draws: int, seed: int) -> NDArray[np.int64]:
    """Return how often each token (V,) comes when one decision is drawn so many times."""
    whole("place", place, 0, len(decided.tokens) - 1)
    rng = np.random.default_rng(whole("seed", seed, 0))
    shares = decided.probabilities[place]
    sums = shares.cumsum()
    found = sums.searchsorted(rng.random(whole("n_draws", n_draws, 1)) * sums[-1], side="right")
    return np.bincount(np.minimum(found, shares.nonzero()[0][-1]), minlength=len(shares))


class Telling(NamedTuple):
    """How a text that was drawn surprised the model that drew it, token by token."""

    surprises: Array  # (N,), -log of the model's bet on the token, in nats, whatever it was drawn from
    surprise: float  # their mean
    repeats: NDArray[np.bool_]  # (N,), whether the token ends a run that stood in the text before
    period: int  # so many tokens go round and round at the end of the text; 0 if none do


def telling(decided: Decisions, run: int = 4) -> Telling:
    """Return how surprising the tokens decided were, and where runs of so many of them came again."""
    whole("run", run, 1)
    tokens = decided.tokens.tolist()
    logits = decided.logits.astype(np.float64)
    highest = logits.max(axis=-1)
    sums = np.log(np.exp(logits - highest[:, None]).sum(axis=-1)) + highest
    surprises = sums - logits[np.arange(len(tokens)), tokens]
    runs = [tuple(tokens[max(0, stop - run) : stop]) for stop in range(1, len(tokens) + 1)]
    repeats = [place >= run and found in runs[:place] for place, found in enumerate(runs)]
    return Telling(surprises, float(surprises.mean()), np.array(repeats), period_of(tokens))


def period_of(tokens: Sequence[int]) -> int:
    """Return the fewest tokens of which the end of a text is two full turns; 0 if it does not go round."""
    for period in range(1, len(tokens) // 2 + 1):
        if tokens[-period:] == tokens[-2 * period : -period]:
            return period
    return 0
