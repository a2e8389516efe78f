"""One attention weight or one output number, derived step by step from its dot products."""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.equations.softmax import exponentials


class DotProduct(NamedTuple):
    """A dot product, term by term."""

    left: Array  # (K,)
    right: Array  # (K,)
    products: Array  # (K,), left * right
    total: float


class WeightSteps(NamedTuple):
    """One attention weight, from q · k to the division by the row sum."""

    left: Array  # (K,), row of q
    right: Array  # (K,), row of k
    products: Array  # (K,)
    total: float
    scale: float
    score: float  # total * scale
    added: float  # by the mask: 0, a distance bias, or -inf
    blocked: bool
    shift: float  # subtracted from the row; 0 unless its maximum is beyond ±40
    exponential: float  # exp(score + added - shift)
    row_exponentials: Array  # (S,)
    row_sum: float
    weight: float  # exponential / row_sum; 0 where the whole row is blocked


def product_terms(left: Array, right: Array) -> DotProduct:
    """Return left · right term by term; a number of Q is `product_terms(x[row], w_q[:, column])`."""
    products = left * right  # (K,)
    return DotProduct(left, right, products, float(products.sum()))


def masked_scores(cache: AttentionCache) -> Array:
    """Return the scores that softmax reads: with the mask added, if there is one."""
    return cache.scores if cache.mask is None else cache.scores + cache.mask


def explain_weight(cache: AttentionCache, query: int, key: int) -> WeightSteps:
    """Return all steps to weights[query, key] of one head; shift and exponentials come from softmax itself."""
    mask = 0.0 if cache.mask is None else cache.mask
    added = float(np.broadcast_to(mask, cache.scores.shape)[query, key])
    values, sums, shift = exponentials(cache.scores, cache.mask)
    return WeightSteps(
        *product_terms(cache.q[query], cache.k[key]),
        scale=cache.scale,
        score=float(cache.scores[query, key]),
        added=added,
        blocked=added == -np.inf,
        shift=float(shift[query, 0]),
        exponential=float(values[query, key]),
        row_exponentials=values[query],
        row_sum=float(sums[query, 0]),
        weight=float(cache.weights[query, key]),
    )


def explain_output(cache: AttentionCache, query: int, dimension: int) -> DotProduct:
    """Return output[query, dimension] of one head as the dot product of its weights with a column of v."""
    return product_terms(cache.weights[query], cache.v[:, dimension])
