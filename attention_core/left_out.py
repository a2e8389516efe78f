"""What a model says when one of its parts writes nothing: the whole effect of the part, straight and through others."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import whole
from attention_core.model import checked_tokens, model_forward
from attention_core.parameters import Block, Model


def without_head(model: Model, layer: int, head: int) -> Model:
    """Return the model with one head's rows of W_O set to zero: it looks as before, and what it saw is not written."""
    whole("head", head, 0, model.config.n_heads - 1)
    changed, block = copied(model, layer)
    width = model.config.d_head
    block.attention.w_o[head * width : (head + 1) * width] = 0
    return changed


def without_attention(model: Model, layer: int) -> Model:
    """Return the model with one layer's W_O set to zero: its attention adds nothing."""
    changed, block = copied(model, layer)
    block.attention.w_o[...] = 0
    return changed


def without_feed_forward(model: Model, layer: int) -> Model:
    """Return the model with the second matrix and bias of one feed-forward layer set to zero: it adds nothing."""
    changed, block = copied(model, layer)
    if block.feed_forward is None:
        raise ValueError(f"layer must be one with a feed-forward, got {layer} of a model that has none")
    block.feed_forward.w2[...] = 0
    block.feed_forward.b2[...] = 0
    return changed


def copied(model: Model, layer: int) -> tuple[Model, Block]:
    """Return a copy of the model, and the block in it that may be changed."""
    whole("layer", layer, 0, model.config.n_layers - 1)
    changed = Model.of(model.config, model.flat.copy())
    return changed, changed.parameters.blocks[layer]


def logits_without_heads(model: Model, tokens: ArrayLike, position: int) -> Array:
    """Return the logits (L, H, V) at a position of one sequence (T,) when this or that head writes nothing."""
    layers, heads = range(model.config.n_layers), range(model.config.n_heads)
    changed = (without_head(model, layer, head) for layer in layers for head in heads)
    return at_position(changed, model, tokens, position).reshape(len(layers), len(heads), -1)


def logits_without_parts(model: Model, tokens: ArrayLike, position: int) -> Array:
    """Return the logits (L, 2, V) at a position when a layer's attention, or its feed-forward, writes nothing.

    Where there is no feed-forward, only the attention is left out: (L, 1, V).
    """
    ways = (without_attention, without_feed_forward) if model.config.d_hidden else (without_attention,)
    layers = range(model.config.n_layers)
    changed = (without(model, layer) for layer in layers for without in ways)
    return at_position(changed, model, tokens, position).reshape(len(layers), len(ways), -1)


def at_position(changed: Iterator[Model], model: Model, tokens: ArrayLike, position: int) -> Array:
    """Return what each of some models says at a position of one sequence."""
    ids = checked_tokens(model, "tokens", tokens)
    if ids.ndim != 1:
        raise ValueError(f"tokens must be one sequence (T,), got shape {ids.shape}")
    whole("position", position, 0, len(ids) - 1)
    return np.stack([model_forward(one, ids).logits[position] for one in changed])


def falls(logits: Array, without: Array, token: int, against: int | None = None) -> Array:
    """Return how far a token's logit (of V) falls in each of the cases (..., V), or how far its lead over another does.

    Negative where it rises.
    """
    whole("token", token, 0, len(logits) - 1)
    if against is None:
        return np.asarray(logits[token] - without[..., token])
    whole("against", against, 0, len(logits) - 1)
    lead = without[..., token] - without[..., against]
    return np.asarray(logits[token] - logits[against] - lead)
