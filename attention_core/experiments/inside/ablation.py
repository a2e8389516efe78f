"""Ablation: the logits of a model with one head or sub-layer switched off, direct and indirect effects included.

Only the layers after the ablated part are computed again.
"""

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.norm import Norm, norm_forward
from attention_core.equations.positions import rope_angles
from attention_core.model.activations import Insides, unembed
from attention_core.model.block import block_forward, fed_forward
from attention_core.model.forward import score_bias
from attention_core.model.parameters import Model


def logits_without_heads(model: Model, inside: Insides, position: int) -> Array:
    """Return the logits (L, H, V) at a position for each head ablated, as if its rows of W_O were zero."""
    seen = relevant_positions(model, inside, position)
    found = []
    for layer, block in enumerate(model.parameters.blocks):
        added = inside.attention_adds[layer, seen] - inside.head_writes[layer, :, seen]  # (H, T, D)
        middle = add_to_stream(model, inside.stream[layer, seen], added, block.norm1)
        x = apply_feed_forward(model, middle, layer)
        found.append(logits_after(model, x, layer + 1, position))
    return np.stack(found)


def logit_drops(logits: Array, without: Array, token: int, against: int | None = None) -> Array:
    """Return how much a token's logit drops in each ablation (..., V), or its lead over the token `against`.

    Negative where it rises.
    """
    if against is None:
        return np.asarray(logits[token] - without[..., token])
    lead = without[..., token] - without[..., against]
    return np.asarray(logits[token] - logits[against] - lead)


def relevant_positions(model: Model, inside: Insides, position: int) -> slice:
    """Return the positions that the logits at `position` depend on: all up to it in a causal model."""
    return slice(position + 1 if model.config.causal else None)


def add_to_stream(model: Model, stream: Array, added: Array, norm: Norm) -> Array:
    """Return the residual stream after an addition, and after its LayerNorm if the model is post-norm."""
    total = np.asarray(stream + added)
    return total if model.config.norm == "pre" else norm_forward(total, norm)[0]


def apply_feed_forward(model: Model, middle: Array, layer: int) -> Array:
    """Return the residual stream (..., T, D) after the feed-forward of a layer, if it has one."""
    config, block = model.config, model.parameters.blocks[layer]
    own = block.feed_forward
    if own is None or block.norm2 is None:
        return middle
    return fed_forward(middle, own, block.norm2, config).out


def logits_after(model: Model, x: Array, layer: int, position: int) -> Array:
    """Return the logits (..., V) at a position for the residual stream x (..., T, D) before a layer."""
    config, length, kind = model.config, x.shape[-2], model.flat.dtype
    phase = rope_angles(length, config.d_head, config.rope_base, 0, kind.str) if config.positions == "rope" else None
    mask = score_bias(config.slopes, config.causal, length, kind.str)
    for block in model.parameters.blocks[layer:]:
        x, _ = block_forward(x, block, config, mask, phase)
    return unembed(model, x[..., position, :])
