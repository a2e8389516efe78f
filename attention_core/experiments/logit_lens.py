"""The logit lens: what a model would bet if it ended after an earlier layer."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array
from attention_core.checks import whole
from attention_core.equations.softmax import softmax
from attention_core.model.activations import Insides
from attention_core.model.parameters import Model


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


class LogitPushes(NamedTuple):
    """What each part of a pre-norm model adds to one logit; all of it sums to the logit."""

    embedding: float
    heads: Array  # (L, H)
    feed_forwards: Array  # (L,)
    final_bias: float
    logit: float

    @property
    def total(self) -> float:
        """Their sum, which is the logit up to rounding."""
        return float(self.embedding + self.heads.sum() + self.feed_forwards.sum() + self.final_bias)

    @property
    def factor(self) -> float:
        """By how much the logit, or a lead over another token, multiplies the odds."""
        return float(np.exp(np.clip(self.logit, -700.0, 700.0)))


def logit_pushes(model: Model, inside: Insides, position: int, token: int) -> LogitPushes:
    """Return how far the embedding, each head and each feed-forward push the logit of a token at a position.

    The last norm divides the whole stream by its deviation; with that held at what it was, the logit is linear in
    the stream, and the stream is the sum of what was written into it.
    """
    if model.config.norm != "pre" or inside.tokens.ndim != 1:
        raise ValueError("logit_pushes needs a pre-norm model and one sequence (T,): only there the stream is a sum")
    whole("position", position, 0, len(inside.tokens) - 1)
    whole("token", token, 0, model.config.vocab_size - 1)
    gain, bias = model.parameters.final_norm
    direction = model.parameters.token_embedding[token]
    inverse = inside.final_norm.inverse[position]

    def push(part: Array) -> Array:
        return ((part - part.mean(axis=-1, keepdims=True)) * inverse * gain) @ direction

    return LogitPushes(
        embedding=float(push(inside.embedded[position])),
        heads=push(inside.head_writes[:, :, position]),
        feed_forwards=push(inside.feed_forward_adds[:, position]),
        final_bias=float(bias @ direction),
        logit=float(inside.logits[position, token]),
    )


def pushes_apart(first: LogitPushes, second: LogitPushes) -> LogitPushes:
    """Return how far each part pushes one token's logit above another's."""
    return LogitPushes(
        embedding=first.embedding - second.embedding,
        heads=first.heads - second.heads,
        feed_forwards=first.feed_forwards - second.feed_forwards,
        final_bias=first.final_bias - second.final_bias,
        logit=first.logit - second.logit,
    )
