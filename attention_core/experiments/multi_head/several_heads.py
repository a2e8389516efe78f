"""Several heads: random matrices, or hand-made ones with one job for each head."""

import math
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.checks import integer
from attention_core.equations.attention import AttentionCache, attention_forward
from attention_core.equations.heads import split_heads
from attention_core.experiments.qkv.one_head import JOBS, WORD, hand_set_head
from attention_core.model.activations import Insides


class HeadSet(NamedTuple):
    """The matrices of multi-head attention; head h owns columns hK ... (h+1)K of three and the same rows of W_O."""

    w_q: Array  # (D, D)
    w_k: Array  # (D, D)
    w_v: Array  # (D, D)
    w_o: Array  # (D, D)


def random_heads(d_model: int, seed: int = 0) -> HeadSet:
    """Return random matrices with standard deviation 1/√D. They do not depend on the number of heads."""
    rng = np.random.default_rng([seed, d_model])
    return HeadSet(*(rng.standard_normal((d_model, d_model)) / math.sqrt(d_model) for _ in range(4)))


def hand_set_heads(d_head: int = 8) -> HeadSet:
    """Return four heads over `hand_set_embedding`, one for each job.

    W_O writes all heads into the four columns of the word vector.
    """
    d_model = len(JOBS) * d_head
    heads = [hand_set_head(job, d_model, d_head) for job in JOBS]
    w_o = np.zeros((d_model, d_model))  # (D, D)
    for head in range(len(JOBS)):
        w_o[head * d_head : head * d_head + 4, WORD] = np.eye(4)
    w_q, w_k, w_v = (np.concatenate(columns, axis=1) for columns in zip(*heads, strict=True))
    return HeadSet(w_q, w_k, w_v, w_o)


def attend_heads(
    x: Array, heads: HeadSet, n_heads: int, mask: Array | None = None, context: Array | None = None
) -> AttentionCache:
    """Return the attention of all heads; every array has a leading axis for them.

    With `context`, x gives the queries and the context the keys and values.
    """
    seen = x if context is None else context
    q, k, v = (
        split_heads(rows @ w, n_heads)  # (H, T, K), (H, S, K), (H, S, K)
        for rows, w in ((x, heads.w_q), (seen, heads.w_k), (seen, heads.w_v))
    )
    return attention_forward(q, k, v, mask)


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


def select_head(cache: AttentionCache, head: int) -> AttentionCache:
    """Return the attention cache of one head."""
    q, k, v, scale, scores, mask, weights, output, softcap = cache
    own = None if mask is None else np.broadcast_to(mask, weights.shape)[head]
    return AttentionCache(q[head], k[head], v[head], scale, scores[head], own, weights[head], output[head], softcap)
