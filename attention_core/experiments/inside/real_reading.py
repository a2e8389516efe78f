"""What a pretrained model makes of a short text: predictions, attention, one head, and the logit lens.

All activations of a text take tens of megabytes; these results are small enough to be kept for many texts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens
from attention_core.checks import whole
from attention_core.equations.attention import AttentionCache
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.head_patterns import Patterns
from attention_core.experiments.inside.real_claims import patterns_of
from attention_core.model.forward import attention_weights, logits
from attention_core.model.parameters import Model
from attention_core.pretrained.llama import run_blocks
from attention_core.pretrained.real_model import PretrainedModel

LIKELIEST = 8  # tokens kept of a prediction


class Predictions(NamedTuple):
    """The likeliest next tokens, likeliest first, with their probabilities."""

    tokens: Tokens  # (..., LIKELIEST), or fewer of a small vocabulary
    probabilities: Array  # (..., LIKELIEST)


class RealLens(NamedTuple):
    """Predictions read after the embedding and after each layer, at the last positions of a text."""

    read: Predictions  # (L + 1, T, LIKELIEST)
    final: Array  # (L + 1, T), probability of the token that is the likeliest after the last layer


def likeliest_of(scores: Array) -> Predictions:
    """Return the likeliest tokens of logits (..., V)."""
    return likeliest_in(softmax(scores))


def likeliest_in(probabilities: Array) -> Predictions:
    """Return the likeliest tokens of probabilities (..., V); of equal ones, those with the smaller ids."""
    most = min(LIKELIEST, probabilities.shape[-1])
    few = np.sort(np.argpartition(-probabilities, most - 1, axis=-1)[..., :most], axis=-1)
    order = np.argsort(-np.take_along_axis(probabilities, few, axis=-1), axis=-1, kind="stable")
    tokens = np.take_along_axis(few, order, axis=-1)
    return Predictions(tokens, np.take_along_axis(probabilities, tokens, axis=-1))


def real_predictions(model: Model | PretrainedModel, tokens: ArrayLike) -> Predictions:
    """Return the likeliest next tokens (T, LIKELIEST) after each position of a text."""
    return likeliest_of(model.logits(tokens) if isinstance(model, PretrainedModel) else logits(model, tokens))


def real_continuation(
    model: PretrainedModel,
    tokens: ArrayLike,
    steps: int,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int = 0,
) -> Tokens:
    """Return the ids (steps,) with which a model goes on; temperature 0 takes the likeliest each time."""
    return np.array(list(model.generate(tokens, steps, temperature, top_k, top_p, seed)), np.int64)


def real_without_head(model: PretrainedModel, tokens: ArrayLike, layer: int, head: int, token: int) -> float:
    """Return the probability that a token comes next with one head switched off."""
    last = model.logits(tokens, without=[(layer, head)])[-1]  # (V,)
    return float(softmax(last)[whole("token", token, 0, len(last) - 1)])


def real_patterns(model: Model | PretrainedModel, tokens: ArrayLike) -> Patterns:
    """Return the attention patterns (L, H) of every head on one text."""
    own = model.attention(tokens) if isinstance(model, PretrainedModel) else attention_weights(model, tokens)
    return patterns_of(own, np.asarray(tokens))[0]


def real_head(model: PretrainedModel, tokens: ArrayLike, layer: int, head: int) -> AttentionCache:
    """Return the attention of one head over a text (T,); queries and keys are after RoPE."""
    config, ids = model.config, model.checked_for_attention(tokens)
    whole("layer", layer, 0, config.n_layers - 1)
    whole("head", head, 0, config.n_heads - 1)
    blocks = run_blocks(model.parameters, config, ids)
    block = next(block for place, block in enumerate(blocks) if place == layer)
    group = head // (config.n_heads // config.n_groups)
    q, k, scale = block.queries[head], block.keys[group], config.d_head**-0.5
    mask = additive_mask(causal_mask(len(ids))).astype(np.float32)
    scores = q @ k.T * np.float32(scale)
    return AttentionCache(q, k, block.values[group], scale, scores, mask, block.weights[head], block.head_outputs[head])


def real_lens(model: PretrainedModel, tokens: ArrayLike, last: int) -> RealLens:
    """Return what the logit lens reads at the last positions of a text, layer by layer."""
    ids = model.checked(tokens)
    blocks = list(run_blocks(model.parameters, model.config, ids))
    streams = [blocks[0].x, *(block.out for block in blocks)]
    found: list[Predictions] = []
    finals: list[Array] = []
    best = model.unembed(streams[-1][-last:]).argmax(axis=-1)  # (T,)
    for stream in streams:  # one after the other, because the logits of all would take much memory
        probabilities = softmax(model.unembed(stream[-last:]))  # (T, V)
        found.append(likeliest_in(probabilities))
        finals.append(probabilities[np.arange(len(best)), best])
    read = Predictions(*(np.stack(part) for part in zip(*found, strict=True)))
    return RealLens(read, np.stack(finals))
