"""Steering: a direction added to the residual stream at one position, and the prediction at each strength."""

from collections.abc import Sequence

import numpy as np

from attention_core.arrays import Array
from attention_core.checks import whole
from attention_core.experiments.inside.ablation import logits_after, relevant_positions
from attention_core.model.activations import Insides
from attention_core.model.parameters import Model


def token_direction(model: Model, towards: int, away: int) -> Array:
    """Return the unembedding of one token minus that of another (D,)."""
    embedding = model.parameters.unembedding
    for name, token in (("towards", towards), ("away", away)):
        whole(name, token, 0, len(embedding) - 1)
    return np.asarray(embedding[towards] - embedding[away])


def steered_logits(
    model: Model, inside: Insides, layer: int, position: int, direction: Array, strengths: Sequence[float]
) -> Array:
    """Return the last position's logits (N, V) with strength × direction added to the stream before a layer.

    The number of layers, as `layer`, means after the last one.
    """
    last = len(inside.tokens) - 1
    seen = relevant_positions(model, inside, last)
    whole("layer", layer, 0, model.config.n_layers)
    whole("position", position, 0, last)
    if direction.shape != (model.config.d_model,):
        raise ValueError(f"direction must have the width {model.config.d_model}, got shape {direction.shape}")
    x = np.repeat(inside.stream[layer, seen][None], len(strengths), axis=0)  # (N, T, D)
    x[:, position] += np.asarray(strengths, x.dtype)[:, None] * direction
    return logits_after(model, x, layer, last)
