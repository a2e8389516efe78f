"""Sampling of the next token: one decision as a table, temperatures, repeated sampling, and surprisal."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array
from attention_core.experiments.scaling.head_metrics import entropy
from attention_core.model.generate import Decisions, choose, decisions
from attention_core.model.parameters import Model


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


class TemperatureSweep(NamedTuple):
    """One prediction at N temperatures."""

    temperatures: Array  # (N,)
    shares: Array  # (N, V), probabilities in the order of the ids
    entropies: Array  # (N,), in nats
    hesitation: Array  # (N,), e^entropy: the number of equally likely tokens with the same entropy


def sweep_temperatures(decided: Decisions, place: int, temperatures: Sequence[float]) -> TemperatureSweep:
    """Return softmax(logits / T) of one prediction, at several temperatures T."""
    logits = decided.logits[place].astype(np.float64)
    values = np.asarray(temperatures, np.float64)
    powers = np.exp((logits - logits.max()) / values[:, None])  # (N, V)
    shares = powers / powers.sum(axis=-1, keepdims=True)
    spread = entropy(shares)
    return TemperatureSweep(values, shares, spread, np.exp(spread))


def nucleus_sizes(
    logits: Array, temperatures: Sequence[float], top_p: float | None, top_k: int | None = None
) -> NDArray[np.int64]:
    """Return (..., N): how many tokens top-k and top-p keep of predictions (..., V), at N temperatures."""
    ordered = -np.sort(-logits.astype(np.float64), axis=-1)  # the same order at every temperature
    found = np.full((*logits.shape[:-1], len(temperatures)), ordered[..., :top_k].shape[-1])
    for place, temperature in enumerate(temperatures if top_p is not None else ()):
        scaled = ordered / temperature
        sums = np.exp(scaled - scaled[..., :1])[..., :top_k].cumsum(axis=-1)
        found[..., place] = (sums < top_p * sums[..., -1:]).sum(axis=-1) + 1
    return found


class Surprisal(NamedTuple):
    """Surprisal and repetition of a generated text."""

    surprises: Array  # (N,), nats, -log of the model's probability, before temperature, top-k and top-p
    surprise: float  # nats, the mean
    repeats: NDArray[np.bool_]  # (N,), whether the token ends a repeated n-gram
    period: int  # tokens; the text repeats at its end with this period, 0 if it does not


def measure_surprisal(decided: Decisions, run: int = 4) -> Surprisal:
    """Return each token's surprisal, and mark the tokens that end a repeated n-gram of length `run`."""
    tokens = decided.tokens.tolist()
    logits = decided.logits.astype(np.float64)
    highest = logits.max(axis=-1)
    sums = np.log(np.exp(logits - highest[:, None]).sum(axis=-1)) + highest
    surprises = sums - logits[np.arange(len(tokens)), tokens]
    runs = [tuple(tokens[max(0, stop - run) : stop]) for stop in range(1, len(tokens) + 1)]
    repeats = [place >= run and found in runs[:place] for place, found in enumerate(runs)]
    return Surprisal(surprises, float(surprises.mean()), np.array(repeats), repetition_period(tokens))


class SeedSurprisals(NamedTuple):
    """Surprisal and repetition of texts that are sampled with S seeds."""

    surprises: Array  # (S,), nats, the mean of each text
    mean: float  # nats, of all texts
    deviation: float  # nats, the standard deviation between texts
    repeated: Array  # (S,), the fraction of tokens that end a repeated n-gram


def surprisals_of_seeds(
    model: Model,
    prompt: ArrayLike,
    n_new: int,
    n_seeds: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> SeedSurprisals:
    """Return how surprising texts are that are sampled with the seeds 0, 1, … of a number."""
    seeds = range(n_seeds)
    found = [measure_surprisal(decisions(model, prompt, n_new, temperature, top_k, top_p, seed)) for seed in seeds]
    surprises = np.array([one.surprise for one in found])
    repeated = np.array([one.repeats.mean() for one in found])
    return SeedSurprisals(surprises, float(surprises.mean()), float(surprises.std()), repeated)


def repetition_period(tokens: Sequence[int]) -> int:
    """Return the period with which the text repeats at its end, or 0.

    Its last `period` tokens occur twice, and of a short period at least four tokens are repeated: “ll” is no loop.
    """
    for period in range(1, len(tokens) // 2 + 1):
        repeated = max(period, 4)
        if period + repeated <= len(tokens) and tokens[-repeated:] == tokens[-repeated - period : -period]:
            return period
    return 0
