"""One attention score split by who wrote the query and who wrote the key (QK attribution).

The input of a head is a sum: the embedding, the positions, and the output of every earlier head and MLP. With the
scale of each LayerNorm held fixed, query and key are linear in it, so the score is a sum over pairs of writers.
"""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.heads import split_qkv
from attention_core.equations.norm import Norm, norm_forward
from attention_core.equations.positions import apply_rope, rope_phase
from attention_core.model.activations import Insides
from attention_core.model.config import Config
from attention_core.model.parameters import Model


class ScoreSplit(NamedTuple):
    """One score as a sum over writers of the query (rows) and writers of the key (columns), W of each."""

    queries: Array  # (W, K), the part of the query that each writer wrote, after RoPE
    keys: Array  # (W, K), likewise of the key
    terms: Array  # (W, W), their dot products / √K
    distance: float  # the distance bias (ALiBi), which nobody wrote
    score: float  # the model's own, scaled, with the distance bias, before softmax

    @property
    def total(self) -> float:
        """Return the sum of all terms and the distance bias, which is the score up to rounding."""
        return float(self.terms.sum() + self.distance)

    @property
    def by_key(self) -> Array:
        """Return what each writer of the key contributes (W,), with all writers of the query."""
        return np.asarray(self.terms.sum(axis=0))


class Cell(NamedTuple):
    """A cell of an attention map."""

    layer: int
    head: int
    query: int
    key: int


def score_writers(config: Config, layer: int) -> tuple[str, ...]:
    """Return what writes to the input of a layer, in the order of the terms; heads are named layer.head."""
    names = ["embedding"]
    if config.positions in ("learned", "sinusoidal"):
        names.append("positions")
    for earlier in range(1, layer + 1):
        names += [f"{earlier}.{head}" for head in range(1, config.n_heads + 1)]
        names += [f"MLP {earlier}"] if config.d_hidden else []
    if config.attention_biases != "none":
        names.append("biases")
    elif config.normalization == "layer" and (config.norm == "pre" or layer):
        names.append("LayerNorm bias")
    return tuple(names)


def input_parts(model: Model, inside: Insides, layer: int) -> Array:
    """Return what each writer contributes to the input of a layer's attention (W, T, D), in float64.

    LayerNorm subtracts the mean, which is linear, and divides by the standard deviation, which is held fixed. RMSNorm
    has neither a mean nor a bias.
    """
    config, blocks = model.config, model.parameters.blocks
    tokens = model.parameters.token_embedding[inside.tokens].astype(np.float64)
    parts, bias = [tokens], np.zeros_like(tokens)
    if config.positions in ("learned", "sinusoidal"):
        parts.append(inside.embedded - tokens)

    def normalise(x: Array, norm: Norm) -> None:
        """Apply the norm of x to all parts, of which x is the sum."""
        factor = norm_forward(x, norm, config.epsilon)[1].inverse * norm.gain.astype(np.float64)  # (T, D)
        if norm.bias is None:
            parts[:] = [part * factor for part in parts]
            return
        parts[:] = [(part - part.mean(axis=-1, keepdims=True)) * factor for part in parts]
        bias[...] = (bias - bias.mean(axis=-1, keepdims=True)) * factor + norm.bias

    post = config.norm == "post"
    for earlier, block in enumerate(blocks[:layer]):
        parts += list(inside.head_writes[earlier].astype(np.float64))
        if block.attention.b_o is not None:
            bias += block.attention.b_o
        if post:
            normalise(inside.stream[earlier] + inside.attention_adds[earlier], block.norm1)
        if block.norm2 is not None:
            parts.append(inside.feed_forward_adds[earlier].astype(np.float64))
            if post:
                normalise(inside.middle[earlier] + inside.feed_forward_adds[earlier], block.norm2)
    if not post:
        normalise(inside.stream[layer], blocks[layer].norm1)
    return np.stack([*parts, bias][: len(score_writers(config, layer))])


def split_score(model: Model, inside: Insides, layer: int, head: int, query: int, key: int) -> ScoreSplit:
    """Return one score of one head, split by who wrote the query and who wrote the key."""
    config = model.config
    parts = input_parts(model, inside, layer)[:, [query, key]]  # (W, 2, D)
    own = model.parameters.blocks[layer].attention
    w_q, w_k, _ = split_qkv(own.w_qkv, config.d_model)
    group = head * config.groups // config.n_heads
    w_q, w_k = np.split(w_q, config.n_heads, axis=1)[head], np.split(w_k, config.groups, axis=1)[group]
    queries, keys = parts[:, 0] @ w_q, parts[:, 1] @ w_k  # (W, K)
    if own.b_qkv is not None:
        b_q, b_k, _ = split_qkv(own.b_qkv, config.d_model)
        queries[-1] += np.split(b_q, config.n_heads)[head]
        keys[-1] += np.split(b_k, config.groups)[group]
    if config.positions == "rope":
        phase = rope_phase(len(inside.tokens), config.d_head, config.rope_base, 0, queries.dtype.str)
        queries, keys = apply_rope(queries, phase[query]), apply_rope(keys, phase[key])
    slope = config.slopes[head] if config.slopes else 0.0
    return ScoreSplit(
        queries=queries,
        keys=keys,
        terms=queries @ keys.T / np.sqrt(config.d_head),
        distance=-slope * abs(query - key),
        score=float(inside.masked_scores[layer, head, query, key]),
    )
