"""The language model: embedding, a stack of blocks, a final LayerNorm or RMSNorm, and the unembedding."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens, frozen, project
from attention_core.checks import regular
from attention_core.equations.attention import AttentionCache
from attention_core.equations.loss import cross_entropy_backward, cross_entropy_forward
from attention_core.equations.masks import additive_mask, sliding_window_mask
from attention_core.equations.norm import NormCache, norm_backward, norm_forward
from attention_core.equations.positions import distance_bias, rope_phase, sinusoidal_positions
from attention_core.model.block import BlockCache, block_backward, block_forward, dropout_backward, dropout_forward
from attention_core.model.parameters import Block, Model, Parameters, named


class ForwardCache(NamedTuple):
    """The intermediate results of a forward pass, for the backward pass and the lessons."""

    tokens: Tokens  # (..., T)
    embedded: Array  # (..., T, D), token embeddings plus positions
    kept: Array | None  # (..., T, D), the dropout mask of the embeddings
    blocks: tuple[BlockCache, ...]
    final_norm: NormCache
    hidden: Array  # (..., T, D), after the final norm
    logits: Array  # (..., T, V)

    @property
    def attentions(self) -> list[AttentionCache]:
        """Return the attention of each layer, with the batch axes (..., H)."""
        return [block.attention.layer.attention for block in self.blocks]

    @property
    def streams(self) -> list[Array]:
        """Return the residual stream (..., T, D) before the first block and after each block."""
        return [self.embedded, *(block.out for block in self.blocks)]


@lru_cache(maxsize=32)
def position_table(length: int, d_model: int, kind: str) -> Array:
    """Return the sinusoidal positions (T, D) in the model's dtype, read-only and cached."""
    return frozen(sinusoidal_positions(length, d_model).astype(kind))


@lru_cache(maxsize=8)
def score_bias(
    slopes: tuple[float, ...] | None, causal: bool, length: int, kind: str, window: int | None
) -> Array | None:
    """Return the causal mask plus the distance bias, read-only and cached; None if there is neither."""
    if slopes is None and not causal:
        return None
    bias = np.zeros((length, length)) if slopes is None else distance_bias(slopes, length)  # (T, T) or (H, T, T)
    if causal:
        bias = bias + additive_mask(sliding_window_mask(length, window or length))
    return frozen(bias.astype(kind))


def embed(model: Model, tokens: Tokens) -> Array:
    """Return token embeddings plus positions (..., T, D)."""
    params, length = model.parameters, tokens.shape[-1]
    x = params.token_embedding.take(tokens, axis=0)
    if params.position_embedding is not None:
        x += params.position_embedding[:length]
    elif model.config.positions == "sinusoidal":
        x += position_table(length, model.config.d_model, model.flat.dtype.str)
    return x


def score_parts(model: Model, length: int) -> tuple[Array | None, Array | None]:
    """Return what the scores of all blocks are given: the mask with the distance bias, and the phase of RoPE."""
    config, kind = model.config, model.flat.dtype.str
    phase = rope_phase(length, config.d_head, config.rope_base, 0, kind) if config.positions == "rope" else None
    return score_bias(config.slopes, config.causal, length, kind, config.window), phase


def model_forward(model: Model, tokens: Tokens, rng: np.random.Generator | None = None) -> ForwardCache:
    """Return the logits of the next token at each position, with all intermediate results."""
    config, params = model.config, model.parameters
    embedded, kept = dropout_forward(embed(model, tokens), config.dropout, rng)
    mask, phase = score_parts(model, tokens.shape[-1])
    x, blocks = embedded, []
    for block in params.blocks:
        x, cache = block_forward(x, block, config, mask, phase, rng)
        blocks.append(cache)
    hidden, final_norm = norm_forward(x, params.final_norm, config.epsilon)
    logits = project(hidden, params.unembedding.T)  # (..., T, V)
    return ForwardCache(tokens, embedded, kept, tuple(blocks), final_norm, hidden, logits)


def model_backward(dlogits: Array, cache: ForwardCache, model: Model) -> Parameters:
    """Return the gradients of all parameters from dlogits (N, V), which it overwrites; each step undoes one line."""
    width, params = model.config.d_model, model.parameters
    # logits = hidden @ unembedding.T
    dunembedding: Array | None = dlogits.T @ cache.hidden.reshape(-1, width)  # (V, D)
    dhidden = dlogits @ params.unembedding
    # hidden = norm(x)
    dx, dfinal_norm = norm_backward(dhidden.reshape(cache.hidden.shape), cache.final_norm)
    dblocks: list[Block] = []
    for block in reversed(cache.blocks):
        # x = block(x)
        dx, dblock = block_backward(dx, block, model.config)
        dblocks.insert(0, dblock)
    # x = dropout(token_embedding[tokens] + positions)
    dx = dropout_backward(dx, cache.kept)
    dpositions = None
    if params.position_embedding is not None:
        length = dx.shape[-2]
        dpositions = np.zeros_like(params.position_embedding)  # (max_len, D)
        dpositions[:length] = dx.reshape(-1, length, width).sum(axis=0)
    # a product with the one-hot tokens, because `np.add.at` makes a step of a small model 8 % slower
    ids, one_hot = cache.tokens.reshape(-1), dlogits  # (N, V), in the memory of dlogits, which was read
    one_hot[...] = 0
    one_hot[np.arange(len(ids)), ids] = 1
    dembedding = one_hot.T @ dx.reshape(-1, width)  # (V, D)
    if params.output is None:  # one matrix embeds and unembeds: its gradients add up
        dembedding += dunembedding
        dunembedding = None
    return Parameters(dembedding, dpositions, tuple(dblocks), dfinal_norm, dunembedding)


def gradients(
    model: Model, tokens: Tokens, targets: Tokens, share: float | Array, rng: np.random.Generator | None = None
) -> tuple[float, Parameters]:
    """Return the loss in nats, with a factor `share` for each position, and the gradients."""
    cache = model_forward(model, tokens, rng=rng)
    logits = cache.logits.reshape(-1, model.config.vocab_size)
    _, loss_cache = cross_entropy_forward(logits, targets.reshape(-1))
    loss = float(np.sum(loss_cache.each * np.reshape(share, -1), dtype=np.float64))
    return loss, model_backward(cross_entropy_backward(loss_cache, share), cache, model)


def loss_and_gradients(model: Model, tokens: ArrayLike, targets: ArrayLike) -> tuple[float, dict[str, Array]]:
    """Return the mean cross-entropy in nats over all positions and {name: gradient}, without dropout.

    tokens and targets are (T,) or (B, T). A gradient has the shape of the array of this name in `named_arrays`.

    >>> from attention_core import Config, init_model
    >>> model = init_model(Config(vocab_size=5, d_model=4, n_heads=2, n_layers=1, max_len=8))
    >>> loss, found = loss_and_gradients(model, [1, 2, 3], [2, 3, 4])
    >>> round(loss, 2), found["token_embedding"].shape
    (1.63, (5, 4))
    """
    ids = checked_tokens(model, "tokens", tokens)
    goals = checked_tokens(model, "targets", targets)
    if ids.shape != goals.shape:
        raise ValueError(f"tokens and targets must have the same shape, got {ids.shape} and {goals.shape}")
    if ids.size == 0:
        raise ValueError(f"tokens must contain at least one position, got shape {ids.shape}")
    loss, found = gradients(model, ids, goals, 1 / ids.size)
    return loss, named(found)


def logits(model: Model, tokens: ArrayLike) -> Array:
    """Return the logits (..., T, V) of the next token at each position of tokens (..., T).

    >>> from attention_core import Config, init_model
    >>> logits(init_model(Config(vocab_size=5, d_model=4, n_heads=2, n_layers=1, max_len=8)), [1, 2, 3]).shape
    (3, 5)
    """
    return model_forward(model, checked_tokens(model, "tokens", tokens)).logits


def attention_weights(model: Model, tokens: ArrayLike) -> Array:
    """Return the attention weights of every layer and head, (..., L, H, T, T); unlike in `insides`, batches lead.

    >>> from attention_core import Config, init_model
    >>> model = init_model(Config(vocab_size=5, d_model=4, n_heads=2, n_layers=1, max_len=8))
    >>> attention_weights(model, [1, 2, 3])[0, :, 0]
    array([[1., 0., 0.],
           [1., 0., 0.]], dtype=float32)
    """
    attentions = model_forward(model, checked_tokens(model, "tokens", tokens)).attentions
    return np.stack([attention.weights for attention in attentions], axis=-4)


def checked_tokens(model: Model, name: str, tokens: ArrayLike) -> Tokens:
    """Return the token ids as an array; raise ValueError if an id is out of range or the sequence too long."""
    ids = regular(name, tokens)
    if ids.ndim == 0 or ids.shape[-1] == 0:
        raise ValueError(f"{name} must not be empty, got shape {ids.shape}")
    if ids.dtype.kind not in "iu":
        raise ValueError(f"{name} must be whole numbers, got dtype {ids.dtype}")
    if ids.shape[-1] > model.config.max_len:
        raise ValueError(f"{name} must have at most max_len {model.config.max_len} positions, got shape {ids.shape}")
    if ids.min(initial=0) < 0 or ids.max(initial=0) >= model.config.vocab_size:
        raise ValueError(f"{name} must be in [0, vocab_size {model.config.vocab_size}), got {ids.min()} to {ids.max()}")
    return ids
