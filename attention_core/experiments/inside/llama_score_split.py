"""One attention score of a Llama model split by who wrote the query and who wrote the key (QK attribution).

Or by the pairs of entries that RoPE rotates: each is one term of the same sum.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import whole
from attention_core.equations.attention import AttentionCache
from attention_core.equations.positions import apply_rope, rope_angles, wavelengths
from attention_core.experiments.inside.score_split import ScoreSplit
from attention_core.pretrained.llama_block import inverse_rms
from attention_core.pretrained.llama_parameters import LlamaConfig
from attention_core.pretrained.real_model import LlamaInsides, PretrainedModel


class PairSplit(NamedTuple):
    """One scaled score as a sum over the pairs of entries that RoPE rotates, fastest first."""

    wavelengths: Array  # (K / 2,), in tokens
    terms: Array  # (K / 2,), sums to the score
    score: float


def split_by_pairs(config: LlamaConfig, attention: AttentionCache, query: int, key: int) -> PairSplit:
    """Return a score of one head, whose queries and keys are after RoPE, split by the pairs that it rotates."""
    whole("query", query, 0, len(attention.q) - 1)
    whole("key", key, 0, query)
    products = attention.q[query].astype(np.float64) * attention.k[key]  # (K,)
    terms = products.reshape(-1, 2).sum(axis=-1) * attention.scale
    return PairSplit(wavelengths(config.d_head, config.base), terms, float(attention.scores[query, key]))


def llama_writers(config: LlamaConfig, layer: int) -> tuple[str, ...]:
    """Return what writes to the input of a layer, in the order of the terms; heads are named layer.head."""
    names = ["embedding"]
    for earlier in range(1, whole("layer", layer, 0, config.n_layers - 1) + 1):
        names += [*(f"{earlier}.{head}" for head in range(1, config.n_heads + 1)), f"MLP {earlier}"]
    return tuple(names)


def split_llama_score(
    model: PretrainedModel, inside: LlamaInsides, layer: int, head: int, query: int, key: int
) -> ScoreSplit:
    """Return one score split by who wrote the query and who wrote the key, with the scale of RMSNorm held fixed.

    RMSNorm subtracts no mean and adds no bias, and positions enter by RoPE alone, so neither is a writer.
    """
    config, length = model.config, len(inside.tokens)
    whole("layer", layer, 0, config.n_layers - 1)
    whole("head", head, 0, config.n_heads - 1)
    whole("query", query, 0, length - 1)
    if whole("key", key, 0, length - 1) > query:
        raise ValueError(f"key must not be after the query, because the causal mask blocks it, got {key} > {query}")
    block, both = model.parameters.blocks[layer], [query, key]
    written = [inside.stream[0][None, both]]  # each (writers, 2, D)
    for earlier in range(layer):
        written += [model.head_writes(inside, earlier)[:, both], inside.mlp_adds[earlier][None, both]]
    scale = inverse_rms(inside.stream[layer][both], config.epsilon)  # (2, 1)
    parts = np.concatenate(written).astype(np.float64) * scale * block.attention_gain  # (W, 2, D)
    group = config.n_heads + head // (config.n_heads // config.n_groups)
    phase = rope_angles(length, config.d_head, config.base, 0, parts.dtype.str)

    def projected(row: int, number: int) -> Array:
        """Return the parts of one query or key, (W, K), after RoPE."""
        w = block.w_qkv[:, number * config.d_head : (number + 1) * config.d_head]
        return apply_rope(np.ascontiguousarray(parts[:, row] @ w), phase[both[row]])

    queries, keys = projected(0, head), projected(1, group)
    own = inside.queries[layer, head, query] @ inside.keys[layer, group - config.n_heads, key]
    return ScoreSplit(queries, keys, queries @ keys.T / np.sqrt(config.d_head), 0.0, float(own / config.d_head**0.5))


def real_score_split(
    model: PretrainedModel, tokens: ArrayLike, layer: int, head: int, query: int, key: int
) -> ScoreSplit:
    """Return one score over a text split by writers; the activations of the text are computed for it."""
    return split_llama_score(model, model.insides(tokens), layer, head, query, key)
