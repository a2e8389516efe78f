"""A text as (context, target) pairs: the loss of each token, and summary numbers of the loss."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens
from attention_core.equations.loss import cross_entropy_forward
from attention_core.model.forward import model_forward
from attention_core.model.parameters import Model


class Examples(NamedTuple):
    """The T training examples in a text of T + 1 tokens: predictions, targets and losses."""

    targets: Tokens  # (T,), token ids
    bets: Array  # (T, V), next-token probabilities
    target_bets: Array  # (T,), probabilities of the targets
    target_logits: Array  # (T,)
    log_sums: Array  # (T,), log(sum(exp(logits)))
    losses: Array  # (T,), nats: log_sums - target_logits = -log(target_bets)
    mean: float  # nats, the mean of the losses


def examples(model: Model, tokens: ArrayLike) -> Examples:
    """Return the training examples in a text: loss = log(sum(exp(logits))) - logits[target] at each position."""
    inputs, targets = inputs_and_targets(tokens)
    logits = model_forward(model, inputs).logits.astype(np.float64)  # (T, V)
    mean, cache = cross_entropy_forward(logits, targets)
    rows = np.arange(len(targets))
    chosen = logits[rows, targets]
    return Examples(
        targets, cache.probabilities, cache.probabilities[rows, targets], chosen, cache.each + chosen, cache.each, mean
    )


def inputs_and_targets(tokens: ArrayLike) -> tuple[Tokens, Tokens]:
    """Return inputs `tokens[:-1]` and targets `tokens[1:]`."""
    ids = np.asarray(tokens)
    return ids[:-1], ids[1:]


def mean_where(losses: Array, counted: Array) -> float:
    """Return the mean of the counted losses."""
    return float(losses[np.asarray(counted, bool)].mean())


class NextTokenDistribution(NamedTuple):
    """The distribution of the next token in texts with the same beginning, and its entropy."""

    shares: Array  # (V,), the probabilities
    entropy: float  # nats, -sum(p log p): the lowest mean loss of any prediction


def next_token_distribution(counts: Array) -> NextTokenDistribution:
    """Return counts (V,) as a distribution with its entropy."""
    found = np.asarray(counts, np.float64)
    shares = found / found.sum()
    some = shares[shares > 0]
    return NextTokenDistribution(shares, float(max(0.0, -(some * np.log(some)).sum())))


def expected_loss(shares: Array, bets: Array) -> float:
    """Return the cross-entropy of a prediction (V,) under true probabilities (V,), in nats; at least their entropy."""
    some = shares > 0
    return float(-(shares[some] * np.log(bets[some])).sum())
