"""All activations of one forward pass, under the names that the lessons use."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens, project
from attention_core.equations.heads import split_heads
from attention_core.equations.multi_head import head_writes
from attention_core.equations.norm import NormCache, norm_forward
from attention_core.model.forward import checked_tokens, model_forward
from attention_core.model.parameters import Model


class Insides(NamedTuple):
    """All activations between the tokens and the logits; layers are the first axis, then any batch axes."""

    tokens: Tokens  # (..., T)
    embedded: Array  # (..., T, D), token embeddings plus positions
    queries: Array  # (L, ..., H, T, K), after RoPE if positions are "rope"
    keys: Array  # (L, ..., H, T, K), likewise
    values: Array  # (L, ..., H, T, K)
    scores: Array  # (L, ..., H, T, T), scaled, before the mask
    masked_scores: Array  # (L, ..., H, T, T), with the mask and the distance bias
    weights: Array  # (L, ..., H, T, T)
    head_outputs: Array  # (L, ..., H, T, K)
    head_writes: Array  # (L, ..., H, T, D), the output of each head; the sum over H, and b_o, is attention_adds
    attention_adds: Array  # (L, ..., T, D)
    feed_forward_adds: Array  # (L, ..., T, D), zeros without a feed-forward layer
    stream: Array  # (L + 1, ..., T, D), the residual stream before the first block and after each block
    middle: Array  # (L, ..., T, D), the residual stream between attention and feed-forward
    layer_logits: Array  # (L + 1, ..., T, V), final normalization and unembedding of each stream: the logit lens
    logits: Array  # (..., T, V)
    final_norm: NormCache


def insides(model: Model, tokens: ArrayLike) -> Insides:
    """Return all activations of the forward pass over tokens (..., T): layers come first, (L, ...), then a batch.

    >>> from attention_core import Config, init_model
    >>> found = insides(init_model(Config(vocab_size=5, d_model=4, n_heads=2, n_layers=1, max_len=8)), [1, 2, 3])
    >>> found.scores.shape, found.stream.shape
    ((1, 2, 3, 3), (2, 3, 4))
    """
    ids = checked_tokens(model, "tokens", tokens)
    forward = model_forward(model, ids)
    layers = [block.attention.layer for block in forward.blocks]
    halves = [(block.attention, block.feed_forward) for block in forward.blocks]
    stream = np.stack(forward.streams)
    outputs = np.stack([split_heads(layer.merged, model.config.n_heads) for layer in layers])
    attentions = forward.attentions
    masked = [a.scores if a.mask is None else a.scores + a.mask for a in attentions]
    stacked = {name: np.stack([getattr(a, name) for a in attentions]) for name in ("q", "k", "v", "scores", "weights")}
    return Insides(
        tokens=ids.copy(),  # what is returned may be cached, and then nobody may change it
        embedded=forward.embedded,
        queries=stacked["q"],
        keys=stacked["k"],
        values=stacked["v"],
        scores=stacked["scores"],
        masked_scores=np.stack(masked),
        weights=stacked["weights"],
        head_outputs=outputs,
        head_writes=np.stack([head_writes(out, layer.params.w_o) for out, layer in zip(outputs, layers, strict=True)]),
        attention_adds=np.stack([first.added for first, _ in halves]),
        feed_forward_adds=np.stack([half.added if half else np.zeros_like(stream[0]) for _, half in halves]),
        stream=stream,
        middle=np.stack([first.out for first, _ in halves]),
        layer_logits=np.stack([unembed(model, x) for x in stream]),
        logits=forward.logits,
        final_norm=forward.final_norm,
    )


def unembed(model: Model, stream: Array) -> Array:
    """Return the logits (..., T, V) of a residual stream (..., T, D): final normalization, then unembedding."""
    hidden, _ = norm_forward(stream, model.parameters.final_norm, model.config.epsilon)
    return project(hidden, model.parameters.unembedding.T)
