"""The matrices of one block, in a model of the course and in a pretrained one, and the memory of its KV cache."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array
from attention_core.checks import whole
from attention_core.experiments.language.costs import cache_bytes
from attention_core.model.parameters import Model
from attention_core.pretrained.llama import KeyValueCache, run_blocks, run_cached, unembed_stream
from attention_core.pretrained.real_model import PretrainedModel


class BlockSizes(NamedTuple):
    """The shapes (rows, columns) of the matrices of one block; vectors have one row, and what is missing has none."""

    w_q: tuple[int, int]
    w_k: tuple[int, int]
    w_v: tuple[int, int]
    w_o: tuple[int, int]
    gate: tuple[int, int]
    up: tuple[int, int]
    down: tuple[int, int]
    norms: tuple[int, int]
    biases: tuple[int, int]

    @property
    def n_parameters(self) -> int:
        """Return how many parameters the block has."""
        return sum(rows * columns for rows, columns in self)


class CacheSizes(NamedTuple):
    """Bytes of the keys and values of all layers."""

    token: int  # of one token
    ungrouped: int  # of one token, if every query head had keys and values of its own
    text: int  # of a text
    full: int  # of as many tokens as the model reads


class RealCacheProof(NamedTuple):
    """New tokens with the KV cache, and the logits beside those of one pass over the finished text without it."""

    tokens: NDArray[np.int64]  # (N,), greedy, with the cache
    tokens_anew: NDArray[np.int64]  # (N,), the likeliest without it
    differences: Array  # (N,), largest absolute difference of a logit
    largest: float
    scale: float  # largest absolute logit


def block_sizes(model: Model | PretrainedModel) -> BlockSizes:
    """Return the shapes of the matrices of one block."""
    config, width = model.config, model.config.d_model
    if isinstance(model, PretrainedModel):
        queries, keys = model.config.n_heads * config.d_head, model.config.n_groups * config.d_head
        up, down = (width, model.config.d_ff), (model.config.d_ff, width)
        return BlockSizes(
            (width, queries), (width, keys), (width, keys), (queries, width), up, up, down, (2, width), (0, 0)
        )
    hidden, square = model.config.d_hidden, (width, width)
    up, down, biases = ((width, hidden), (hidden, width), (1, hidden + width)) if hidden else ((0, 0),) * 3
    return BlockSizes(square, square, square, square, (0, 0), up, down, (4 if hidden else 2, width), biases)


def cache_sizes(model: Model | PretrainedModel, length: int) -> CacheSizes:
    """Return the bytes of the KV cache in float32: 2 (key and value) · layers · heads of keys · their width · 4."""
    config = model.config
    if isinstance(model, PretrainedModel):
        head = 2 * config.n_layers * config.d_head * 4
        token, ungrouped = head * model.config.n_groups, head * config.n_heads
    else:
        token = ungrouped = cache_bytes(model.config, 1)
    return CacheSizes(token, ungrouped, token * whole("length", length, 1, config.max_len), token * config.max_len)


def real_cache_proof(model: PretrainedModel, tokens: ArrayLike, steps: int) -> RealCacheProof:
    """Return new tokens, likeliest first, with the KV cache, and how far their logits are from those without it.

    With a causal mask one pass over the finished text has the logits of all steps, each from its own tokens alone.
    """
    ids, config, parameters = model.checked(tokens), model.config, model.parameters
    model.checked([*ids, *[0] * (whole("steps", steps, 1) - 1)])
    cache, fresh = KeyValueCache(config, len(ids) + steps - 1), ids
    rows: list[Array] = []
    for _ in range(steps):
        rows.append(unembed_stream(parameters, config, run_cached(parameters, config, fresh, cache)[-1]))  # (V,)
        fresh = [int(rows[-1].argmax())]
        ids = ids + fresh
    kept = np.stack(rows)  # (N, V)
    *_, last = run_blocks(parameters, config, ids[:-1])
    anew = unembed_stream(parameters, config, last.out[-steps:])  # (N, V)
    differences = np.abs(kept - anew).max(axis=-1)
    return RealCacheProof(
        np.array(ids[-steps:], np.int64),
        anew.argmax(axis=-1),
        differences,
        float(differences.max()),
        float(np.abs(anew).max()),
    )
