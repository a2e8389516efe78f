"""Cross-entropy: the surprisal of the next token in nats, averaged over positions."""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, Tokens
from attention_core.equations.softmax import exponentials


class LossCache(NamedTuple):
    """The intermediate results that the backward pass and the lessons read."""

    probabilities: Array  # (N, V); the backward pass overwrites it with dlogits
    targets: Tokens  # (N,)
    each: Array  # (N,), nats, the loss of each position; the mean is the loss


def cross_entropy_forward(logits: Array, targets: Tokens) -> tuple[float, LossCache]:
    """Return the mean of log(sum(exp(logits))) - logits[target], in nats, for logits (N, V) and targets (N,)."""
    rows = np.arange(len(targets))
    chosen = logits[rows, targets]
    values, sums, shift = exponentials(logits)
    each = np.log(sums[:, 0]) + shift[:, 0] - chosen
    probabilities = np.divide(values, sums, out=values)
    return float(each.mean(dtype=np.float64)), LossCache(probabilities, targets, each)


def cross_entropy_backward(cache: LossCache, share: float | Array) -> Array:
    """Return dlogits = (probabilities - one-hot) * share, overwriting the probabilities.

    `share` is the factor of a position in the loss: 1/N for a mean over all, or one number for each (N,).
    """
    dlogits = cache.probabilities
    dlogits[np.arange(len(cache.targets)), cache.targets] -= 1
    dlogits *= share if np.isscalar(share) else np.reshape(share, (-1, 1))
    return dlogits
