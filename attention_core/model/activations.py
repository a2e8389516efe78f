"""All activations of one forward pass, under the names that the lessons use."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens, project
from attention_core.checks import integer
from attention_core.equations.attention import AttentionCache
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
    """Return all activations of the forward pass over tokens (..., T): layers come first, (L, ...), then a batch."""
    ids = checked_tokens(model, "tokens", tokens)
    forward = model_forward(model, ids)
    layers = [block.attention.layer for block in forward.blocks]
    attentions = [layer.attention for layer in layers]
    outputs = np.stack([split_heads(layer.merged, model.config.n_heads) for layer in layers])
    stream = np.stack([forward.embedded, *((b.feed_forward or b.attention).out for b in forward.blocks)])
    return Insides(
        tokens=ids.copy(),  # what is returned may be cached, and then nobody may change it
        embedded=forward.embedded,
        queries=np.stack([a.q for a in attentions]),
        keys=np.stack([a.k for a in attentions]),
        values=np.stack([a.v for a in attentions]),
        scores=np.stack([a.scores for a in attentions]),
        masked_scores=np.stack([a.scores if a.mask is None else a.scores + a.mask for a in attentions]),
        weights=np.stack([a.weights for a in attentions]),
        head_outputs=outputs,
        head_writes=np.stack([head_writes(out, layer.params.w_o) for out, layer in zip(outputs, layers, strict=True)]),
        attention_adds=np.stack([b.attention.added for b in forward.blocks]),
        feed_forward_adds=np.stack(
            [
                np.zeros_like(b.attention.added) if b.feed_forward is None else b.feed_forward.added
                for b in forward.blocks
            ]
        ),
        stream=stream,
        middle=np.stack([b.attention.out for b in forward.blocks]),
        layer_logits=np.stack([unembed(model, x) for x in stream]),
        logits=forward.logits,
        final_norm=forward.final_norm,
    )


def head_inside(inside: Insides, layer: int, head: int) -> AttentionCache:
    """Return the attention cache of one head over one sequence (T,)."""
    if inside.tokens.ndim != 1:
        raise ValueError(f"head_inside needs one sequence (T,), got tokens {inside.tokens.shape}")
    n_layers, n_heads = inside.weights.shape[:2]
    own = integer("layer", layer, 0, n_layers - 1), integer("head", head, 0, n_heads - 1)
    q, scores = inside.queries[own], inside.scores[own]
    mask = inside.masked_scores[own] - scores
    scale = 1 / math.sqrt(q.shape[-1])
    return AttentionCache(
        q, inside.keys[own], inside.values[own], scale, scores, mask, inside.weights[own], inside.head_outputs[own]
    )


def unembed(model: Model, stream: Array) -> Array:
    """Return the logits (..., T, V) of a residual stream (..., T, D): final normalization, then unembedding."""
    hidden, _ = norm_forward(stream, model.parameters.final_norm, model.config.epsilon)
    return project(hidden, model.parameters.unembedding.T)
