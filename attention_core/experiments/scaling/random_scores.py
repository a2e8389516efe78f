"""Random score matrices: the effect of scaling on average, and the spread of single trials.

One trial has as many queries as keys, all numbers standard normal. The trials of a width come in blocks with their own
seeds, so that any trial can be repeated without those before it. All divisors use the same trials.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, frozen
from attention_core.equations.softmax import softmax_forward
from attention_core.experiments.scaling.head_metrics import jacobian_norm

WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
DIVISORS = ("nothing", "√d_k", "d_k")
MEASURES = ("variance", "largest", "largest_in_row", "jacobian")
BLOCK = 100  # trials with the same seed
KEPT_BLOCKS = 2048  # of one kind, 6 KB each: 4,000 trials at every width take 400
MOST = 10_000  # trials; more would take too long


class Table(NamedTuple):
    """Queries and keys of one trial."""

    q: Array  # (T, K)
    k: Array  # (T, K)


class Spread(NamedTuple):
    """Mean and quantiles of the trials at W widths, by divisor."""

    mean: Array  # (3, W)
    low: Array  # (3, W), 10 % quantile
    high: Array  # (3, W), 90 % quantile


class Trial(NamedTuple):
    """A claim about growing d_k, tested on many trials."""

    mean: Array  # (W,)
    low: Array  # (W,), 10 % quantile
    high: Array  # (W,), 90 % quantile
    change: float  # of the mean, from the first width to the last
    std: float  # standard deviation of single trials around the mean, over all widths
    agreeing: int  # trials that change in the claimed direction from first to last width
    in_order: int  # trials that change in the claimed direction at every step
    n_draws: int


def divisor(name: str, d_k: int) -> float:
    """Return the number that divides the scores at this width."""
    return {"nothing": 1.0, "√d_k": math.sqrt(d_k), "d_k": float(d_k)}[name]


def vectors(d_k: int, length: int, seed: int, block: int, n_trials: int = BLOCK) -> tuple[Array, Array]:
    """Return the queries and keys (N, T, K) of the first trials of a block, and nothing of those after them."""
    rng = np.random.default_rng([seed, d_k, block])
    q, k = np.moveaxis(rng.standard_normal((n_trials, 2, length, d_k), dtype=np.float32), 1, 0)
    return q, k  # (N, T, K)


def one_table(d_k: int, length: int, seed: int, draw: int) -> Table:
    """Return the queries and keys of one trial, counted from 0."""
    block, place = divmod(draw, BLOCK)
    q, k = vectors(d_k, length, seed, block, place + 1)
    return Table(q[place].astype(np.float64), k[place].astype(np.float64))


def products_of_many(d_k: int, length: int, seed: int, n_draws: int) -> Array:
    """Return q kᵀ (N, T, T) of the first trials, at most one block."""
    q, k = vectors(d_k, length, seed, 0, n_draws)
    return q @ k.mT  # (N, T, T)


def statistics_of(products: Array, by: float) -> list[Array]:
    """Return the measures (N,) of divided products (N, T, T); those of rows are averaged over a trial."""
    scores = products / products.dtype.type(by)
    weights = softmax_forward(scores)
    largest = weights.max(axis=-1)  # (N, T)
    return [
        np.vecdot(scores, scores).mean(axis=-1) / scores.shape[-1],  # mean square, since the true mean is 0
        largest.max(axis=-1),
        largest.mean(axis=-1),
        jacobian_norm(weights).mean(axis=-1),
    ]


@lru_cache(maxsize=KEPT_BLOCKS)
def block_statistics(d_k: int, length: int, seed: int, block: int, n_trials: int) -> Array:
    """Return the statistics (3, measures, N) of one block of trials, cached: many of them are measured in steps."""
    q, k = vectors(d_k, length, seed, block, n_trials)
    products = q @ k.mT  # (N, T, T)
    return frozen(np.array([statistics_of(products, divisor(named, d_k)) for named in DIVISORS]))


def blocks(n_draws: int) -> list[tuple[int, int]]:
    """Return the blocks that contain n_draws trials, each with how many of them it has."""
    return [(start // BLOCK, min(BLOCK, n_draws - start)) for start in range(0, n_draws, BLOCK)]


def measure_in_steps(d_k: int, length: int, n_draws: int, seed: int) -> Iterator[float]:
    """Compute what `values_of` needs, block by block; yield after each the fraction that is done."""
    for block, n_trials in blocks(n_draws):
        block_statistics(d_k, length, seed, block, n_trials)
        yield (block + 1) / len(blocks(n_draws))


def values_of(measure: str, d_k: int, length: int, n_draws: int, seed: int) -> Array:
    """Return one measure of every trial (3, N), by divisor, read-only; its blocks are cached."""
    which = MEASURES.index(measure)
    parts = [block_statistics(d_k, length, seed, *block)[:, which] for block in blocks(n_draws)]
    return frozen(np.concatenate(parts, axis=-1).astype(np.float64))


@lru_cache(maxsize=32)
def over_widths(measure: str, widths: tuple[int, ...], length: int, n_draws: int, seed: int) -> Spread:
    """Return mean and quantiles of one measure at each width, by divisor."""
    values = np.stack([values_of(measure, d_k, length, n_draws, seed) for d_k in widths], axis=1)  # (3, W, N)
    return Spread(*frozen(np.stack([values.mean(axis=-1), *np.quantile(values, (0.1, 0.9), axis=-1)])))


@lru_cache(maxsize=16)
def try_claim(
    measure: str, named: str, rises: bool, widths: tuple[int, ...], length: int, n_draws: int, seed: int
) -> Trial:
    """Return how a claim fares in the trials: the measure rises, or falls, as d_k grows along these widths."""
    which = DIVISORS.index(named)
    values = np.stack([values_of(measure, d_k, length, n_draws, seed)[which] for d_k in widths])  # (W, N)
    steps = np.diff(values, axis=0) * (1 if rises else -1)
    mean = values.mean(axis=-1)
    low, high = np.quantile(values, (0.1, 0.9), axis=-1)
    return Trial(
        frozen(mean),
        frozen(low),
        frozen(high),
        change=float(mean[-1] - mean[0]),
        std=float(np.sqrt(values.var(axis=-1).mean())),
        agreeing=int((steps.sum(axis=0) > 0).sum()),
        in_order=int((steps > 0).all(axis=0).sum()),
        n_draws=n_draws,
    )


@lru_cache(maxsize=32)
def sample_trial(measure: str, named: str, widths: tuple[int, ...], length: int, seed: int, draw: int) -> Array:
    """Return one measure of a single trial (W,) at these widths."""
    block, place = divmod(draw, BLOCK)
    found = []
    for d_k in widths:
        q, k = (part[place:] for part in vectors(d_k, length, seed, block, place + 1))
        found.append(statistics_of(q @ k.mT, divisor(named, d_k))[MEASURES.index(measure)][0])
    return frozen(np.array(found, np.float64))


def scale_scores(products: Array, by: float) -> Array:
    """Return products / by, the scaled scores."""
    return products / by


def expected_variance(named: str, widths: tuple[int, ...]) -> Array:
    """Return the variance (W,) of a score of standard normal q and k: d_k over the divisor squared."""
    return np.array([d_k / divisor(named, d_k) ** 2 for d_k in widths])


def normal_density(at: Array, deviation: float) -> Array:
    """Return the normal density with mean 0 and this standard deviation."""
    return np.exp(-((at / deviation) ** 2) / 2) / (deviation * math.sqrt(2 * math.pi))
