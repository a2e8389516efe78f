"""The logit lens: what a model would bet if it ended after an earlier layer."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array
from attention_core.checks import whole
from attention_core.insides import Insides
from attention_core.softmax import softmax


class Lens(NamedTuple):
    """The bets of the embedding alone, and of the stream after each layer; the last are those of the model."""

    bets: Array  # (L + 1, ..., T, V)
    likeliest: NDArray[np.intp]  # (L + 1, ..., T)
    shares: Array  # (L + 1, ..., T), what the likeliest is given
    settled: NDArray[np.bool_]  # (L + 1, ..., T), whether it is the token on which the model bets in the end


def logit_lens(inside: Insides) -> Lens:
    """Return softmax(norm(stream) Eᵀ) after every layer: the last norm and the embedding E read what they end on.

    They were trained on the last layer alone. What they make of an earlier one is a reading, not a bet that it made.
    """
    bets = softmax(inside.layer_logits)
    likeliest = bets.argmax(axis=-1)
    return Lens(bets, likeliest, bets.max(axis=-1), likeliest == likeliest[-1])


class TokenPath(NamedTuple):
    """How one token fares from layer to layer."""

    shares: Array  # (L + 1,)
    ranks: NDArray[np.intp]  # (L + 1,), 1 for the likeliest


def token_path(lens: Lens, position: int, token: int) -> TokenPath:
    """Return the share and the rank of a token at a position, by layer, for one sequence (T,)."""
    if lens.bets.ndim != 3:
        raise ValueError(f"token_path needs the lens of one sequence (T,), got bets {lens.bets.shape}")
    whole("position", position, 0, lens.bets.shape[1] - 1)
    whole("token", token, 0, lens.bets.shape[2] - 1)
    bets = lens.bets[:, position]
    return TokenPath(bets[:, token], 1 + (bets > bets[:, [token]]).sum(axis=-1))
