"""The logit lens: predictions read from earlier layers; and direct logit attribution."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.model.activations import Insides
from attention_core.model.parameters import Model


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


class LogitAttribution(NamedTuple):
    """Direct logit attribution: what each part of a pre-norm model adds to one logit."""

    embedding: float
    heads: Array  # (L, H)
    feed_forwards: Array  # (L,)
    final_bias: float  # the bias of the final LayerNorm
    logit: float

    @property
    def total(self) -> float:
        """Return the sum of all parts, which is the logit up to rounding."""
        return float(self.embedding + self.heads.sum() + self.feed_forwards.sum() + self.final_bias)

    @property
    def factor(self) -> float:
        """Return e^logit: the factor by which the logit, or a lead in logits, multiplies the odds."""
        return float(np.exp(np.clip(self.logit, -700.0, 700.0)))


def attribute_logit(model: Model, inside: Insides, position: int, token: int) -> LogitAttribution:
    """Return the direct logit attribution of a token at a position: embedding, heads and feed-forwards.

    The final LayerNorm divides the stream by its standard deviation. With that held fixed, the logit is linear in the
    stream, which is the sum of everything written to it.
    """
    direction, bias = model.parameters.unembedding[token], model.parameters.final_norm.bias
    return LogitAttribution(
        embedding=float(contribution(model, inside, position, inside.embedded[position], direction)),
        heads=contribution(model, inside, position, inside.head_writes[:, :, position], direction),
        feed_forwards=contribution(model, inside, position, inside.feed_forward_adds[:, position], direction),
        final_bias=0.0 if bias is None else float(bias @ direction),
        logit=float(inside.logits[position, token]),
    )


def contribution(model: Model, inside: Insides, position: int, part: Array, direction: Array) -> Array:
    """Return what parts (..., D) of the final stream add along a direction (D,) of the unembedding, its scale fixed."""
    has_mean = model.config.normalization == "layer"  # which it subtracts
    centred = part - part.mean(axis=-1, keepdims=True) if has_mean else part
    return np.asarray((centred * inside.final_norm.inverse[position] * model.parameters.final_norm.gain) @ direction)


def attribution_difference(first: LogitAttribution, second: LogitAttribution) -> LogitAttribution:
    """Return the attribution of the lead of one token's logit over another's."""
    return LogitAttribution(
        embedding=first.embedding - second.embedding,
        heads=first.heads - second.heads,
        feed_forwards=first.feed_forwards - second.feed_forwards,
        final_bias=first.final_bias - second.final_bias,
        logit=first.logit - second.logit,
    )


class HeadAttribution(NamedTuple):
    """What one head writes for each key, on the lead of one token's logit over another's."""

    weights: Array  # (T,), attention weights of the position
    at_weight_one: Array  # (T,), contribution of a key to the lead if it had all of the weight: v W_O of the key
    keys: Array  # (T,), contribution of each key: weight times that

    @property
    def total(self) -> float:
        """Return the sum over the keys, which is the head's contribution to the lead up to rounding."""
        return float(self.keys.sum())


def attribute_head(
    model: Model, inside: Insides, position: int, layer: int, head: int, token: int, other: int
) -> HeadAttribution:
    """Return a head's contribution to the lead of a token over another at a position, key by key.

    A head writes the sum over the keys of weight times v W_O, and the lead is linear in what it writes.
    """
    values, weights = inside.values[layer, head], inside.weights[layer, head, position]
    width = values.shape[-1]
    writes = values @ model.parameters.blocks[layer].attention.w_o[head * width : (head + 1) * width]  # (T, D)
    embedding = model.parameters.unembedding
    found = contribution(model, inside, position, writes, embedding[token] - embedding[other])
    return HeadAttribution(weights, found, weights * found)
