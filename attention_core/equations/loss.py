"""Cross-entropy: how surprised the model is by the token that came, in nats, on average over all positions."""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, Tokens
from attention_core.equations.softmax import exponentials


class LossCache(NamedTuple):
    """What the backward pass and the lessons need."""

    probabilities: Array  # (N, V), which the backward pass turns into dlogits
    targets: Tokens  # (N,)
    each: Array  # (N,), the loss of every position; their mean is the loss


def cross_entropy_forward(logits: Array, targets: Tokens, *, out: Array | None = None) -> tuple[float, LossCache]:
    """Return the mean of log(sum(exp(logits))) - logits[target], for logits (N, V) and targets (N,)."""
    rows = np.arange(len(targets))
    chosen = logits[rows, targets]
    values, sums, shift = exponentials(logits, out=out)
    each = np.log(sums[:, 0]) + shift[:, 0] - chosen
    probabilities = np.divide(values, sums, out=values)
    return float(each.mean(dtype=np.float64)), LossCache(probabilities, targets, each)


def cross_entropy_backward(cache: LossCache, share: float | Array) -> Array:
    """Return dlogits = (probabilities - one-hot) * share, over the probabilities.

    The share of a position in the loss is 1/N if all N count alike, or a number for each of them (N,).
    """
    dlogits = cache.probabilities
    dlogits[np.arange(len(cache.targets)), cache.targets] -= 1
    dlogits *= share if np.isscalar(share) else np.reshape(share, (-1, 1))
    return dlogits
