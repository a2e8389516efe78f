"""The logit lens: predictions read from earlier layers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.model.activations import Insides


class Lens(NamedTuple):
    """Predictions from the embedding and from the residual stream after each layer; the last row is the model's."""

    bets: Array  # (L + 1, ..., T, V), next-token probabilities
    likeliest: NDArray[np.intp]  # (L + 1, ..., T)
    shares: Array  # (L + 1, ..., T), probability of the most likely token
    agrees_with_final: NDArray[np.bool_]  # (L + 1, ..., T), whether the most likely token is the final one


def logit_lens(inside: Insides) -> Lens:
    """Return softmax(LayerNorm(stream) Eᵀ) after every layer, with the final normalization and the unembedding E.

    Both were trained on the last layer only, so the reading of an earlier layer is an approximation.
    """
    probabilities = softmax(inside.layer_logits)
    likeliest = probabilities.argmax(axis=-1)
    return Lens(probabilities, likeliest, probabilities.max(axis=-1), likeliest == likeliest[-1])


class TokenPath(NamedTuple):
    """Probability and rank of one token, layer by layer."""

    shares: Array  # (L + 1,), its probability
    ranks: NDArray[np.intp]  # (L + 1,), 1 for the most likely


def token_path(lens: Lens, position: int, token: int) -> TokenPath:
    """Return the probability and rank of a token at a position of one sequence, by layer."""
    found = lens.bets[:, position]
    return TokenPath(found[:, token], 1 + (found > found[:, [token]]).sum(axis=-1))
