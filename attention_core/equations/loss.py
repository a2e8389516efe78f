"""Cross-entropy: the surprisal of the next token in nats, averaged over positions."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens
from attention_core.equations.softmax import exponentials
from attention_core.inputs import loss_inputs


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


def target_weights(targets: Tokens, class_weights: Array | None = None, ignore_index: int | None = None) -> Array:
    """Return the weight of each position (...): 0 where it is ignored, else that of its target (V,), or 1."""
    counted = targets != ignore_index
    return counted if class_weights is None else counted * class_weights[np.where(counted, targets, 0)]


def cross_entropy(
    logits: ArrayLike, targets: ArrayLike, class_weights: ArrayLike | None = None, ignore_index: int | None = None
) -> tuple[float, Array]:
    """Return the mean of log(sum(exp(logits))) - logits[target] in nats, and each, for logits (..., V), targets (...).

    Each is multiplied by the weight (V,) of its target, and is 0 where that is `ignore_index`; the mean is their sum
    divided by the sum of these weights.

    >>> cross_entropy([[0, 0], [0, 5]], [1, -100], ignore_index=-100)[1].round(3)
    array([0.693, 0.   ])
    """
    rows, ids, filled, by_class = loss_inputs(logits, targets, class_weights, ignore_index)  # filled: 0 where ignored
    _, cache = cross_entropy_forward(rows.reshape(-1, rows.shape[-1]), filled.reshape(-1))
    weights = target_weights(ids, by_class, ignore_index)
    each = cache.each.reshape(ids.shape) * weights
    return float(each.sum(dtype=np.float64) / weights.sum()), each
