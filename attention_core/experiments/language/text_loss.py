"""A text as (context, target) pairs: the loss of each token, and their mean."""

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
