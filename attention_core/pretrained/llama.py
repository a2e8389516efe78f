"""The Llama model: embedding, blocks, final RMSNorm and unembedding; all at once, or token by token with a KV cache."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from attention_core.arrays import Array, project
from attention_core.equations.masks import additive_mask
from attention_core.equations.positions import rope_angles
from attention_core.pretrained.llama_block import LlamaBlockCache, StoredKeys, llama_block_forward, rms_norm
from attention_core.pretrained.llama_parameters import LlamaConfig, LlamaParameters

POSITIONS_AT_ONCE = (
    256  # positions: a long text is computed in parts, so that no array grows with the square of its length
)

LayerHeads = Collection[tuple[int, int]]  # (layer, head)


class KeyValueCache:
    """The keys and values of all layers, with room for `length` positions."""

    def __init__(self, config: LlamaConfig, length: int):
        shape = (config.n_layers, config.n_groups, length, config.d_head)  # (L, G, S, K)
        self.keys, self.values = np.empty(shape, np.float32), np.empty(shape, np.float32)
        self.phase = rope_angles(length, config.d_head, config.base, 0, "<f4")  # (S, K / 2)
        self.length = 0  # positions filled so far

    def stored(self, layer: int, stop: int) -> StoredKeys:
        """Return the keys and values of a layer, up to a position."""
        return StoredKeys(self.keys[layer, :, :stop], self.values[layer, :, :stop])


def run_blocks(
    parameters: LlamaParameters,
    config: LlamaConfig,
    ids: Sequence[int],
    cache: KeyValueCache | None = None,
    without: LayerHeads = (),
) -> Iterator[LlamaBlockCache]:
    """Yield the intermediate results of each block; with a KV cache, for the positions after those it has."""
    start = 0 if cache is None else cache.length
    stop = start + len(ids)
    phase = rope_angles(stop, config.d_head, config.base, 0, "<f4") if cache is None else cache.phase
    later = np.arange(start, stop)[:, None] < np.arange(stop)  # (T, S)
    mask = additive_mask(later).astype(np.float32) if len(ids) > 1 else None
    x = parameters.token_embedding[ids]  # (T, D)
    for layer, params in enumerate(parameters.blocks):
        off = [head for of, head in without if of == layer]
        stored = None if cache is None else cache.stored(layer, stop)
        block = llama_block_forward(x, params, config, phase[start:stop], mask, stored, off)
        x = block.out
        yield block
    if cache is not None:
        cache.length = stop


def run_cached(
    parameters: LlamaParameters, config: LlamaConfig, ids: Sequence[int], cache: KeyValueCache, without: LayerHeads = ()
) -> Array:
    """Return the residual stream (T, D) after the last block, and store the keys and values of these positions."""
    parts = []
    for start in range(0, len(ids), POSITIONS_AT_ONCE):
        for block in run_blocks(parameters, config, ids[start : start + POSITIONS_AT_ONCE], cache, without):
            last = block.out
        parts.append(last)
    return np.concatenate(parts)


def unembed_stream(parameters: LlamaParameters, config: LlamaConfig, stream: Array) -> Array:
    """Return the logits (..., V) of a residual stream (..., D): final RMSNorm, then unembedding."""
    return project(rms_norm(stream, parameters.final_gain, config.epsilon), parameters.unembedding)
