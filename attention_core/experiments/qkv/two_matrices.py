"""W_Q and W_K: what a head loses if one matrix makes queries and keys, and both merged into one matrix."""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.qkv.one_head import HeadMatrices

CLEARLY = 1e-9  # by so much a word must prefer itself: less is rounding


class ScoreParameters(NamedTuple):
    """How many parameters decide the scores of a head."""

    two: int  # W_Q and W_K
    merged: int  # W_Q W_Kᵀ


def attends_most_to_itself(scores: Array) -> Array:
    """Return a boolean array: the queries whose own key has a higher score, or weight, than any other key."""
    own = np.eye(scores.shape[-1], dtype=bool)
    others = np.where(own, -np.inf, scores).max(axis=-1, initial=-np.inf)
    return np.diagonal(scores, axis1=-2, axis2=-1) > others + CLEARLY


def merged_matrix(head: HeadMatrices) -> Array:
    """Return W_Q W_Kᵀ (D, D): x_a W_Q · x_b W_K is x_a (W_Q W_Kᵀ) x_b."""
    return head.w_q @ head.w_k.mT


def scores_of_merged(x: Array, merged: Array) -> Array:
    """Return the scores x M xᵀ (T, T), before scaling."""
    return x @ merged @ x.mT


def score_parameters(d_model: int, d_head: int) -> ScoreParameters:
    """Return the parameters of W_Q and W_K together, and of their product."""
    return ScoreParameters(2 * d_model * d_head, d_model * d_model)
