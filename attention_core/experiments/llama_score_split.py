"""One attention score of a Llama model split by who wrote the query and who wrote the key (QK attribution)."""

import numpy as np

from attention_core.arrays import Array
from attention_core.checks import whole
from attention_core.equations.positions import apply_rope, rope_angles
from attention_core.experiments.score_split import ScoreSplit
from attention_core.pretrained.llama_block import inverse_rms
from attention_core.pretrained.llama_parameters import LlamaConfig
from attention_core.pretrained.real_model import LlamaInsides, PretrainedModel


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
