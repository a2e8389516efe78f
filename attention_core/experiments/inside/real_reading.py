"""What a pretrained model makes of a short text: predictions, attention, one head, and the logit lens.

All activations of a text take tens of megabytes; these results are small enough to be kept for many texts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens
from attention_core.checks import integer
from attention_core.equations.attention import AttentionCache
from attention_core.equations.masks import causal_mask
from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.patching import run_with_heads
from attention_core.experiments.inside.real_claims import activations
from attention_core.experiments.multi_head.several_heads import select_head
from attention_core.experiments.scaling.head_metrics import HeadMeasures, measure_heads
from attention_core.model.activations import unembed
from attention_core.model.forward import attention_weights, checked_tokens, logits, model_forward
from attention_core.model.parameters import Model

LIKELIEST = 8  # tokens kept of a prediction


class Predictions(NamedTuple):
    """The likeliest next tokens, likeliest first, with their probabilities."""

    tokens: Tokens  # (..., LIKELIEST), or fewer of a small vocabulary
    probabilities: Array  # (..., LIKELIEST)


class RealLens(NamedTuple):
    """Predictions read after the embedding and after each layer, at the last positions of a text."""

    read: Predictions  # (L + 1, T, LIKELIEST)
    final: Array  # (L + 1, T), probability of the token that is the likeliest after the last layer


def likeliest_in(probabilities: Array) -> Predictions:
    """Return the likeliest tokens of probabilities (..., V); of equal ones, those with the smaller ids."""
    most = min(LIKELIEST, probabilities.shape[-1])
    few = np.sort(np.argpartition(-probabilities, most - 1, axis=-1)[..., :most], axis=-1)
    order = np.argsort(-np.take_along_axis(probabilities, few, axis=-1), axis=-1, kind="stable")
    tokens = np.take_along_axis(few, order, axis=-1)
    return Predictions(tokens, np.take_along_axis(probabilities, tokens, axis=-1))


def real_predictions(model: Model, tokens: ArrayLike) -> Predictions:
    """Return the likeliest next tokens (T, LIKELIEST) after each position of a text."""
    return likeliest_in(softmax(logits(model, tokens)))


def real_without_head(model: Model, tokens: ArrayLike, layer: int, head: int, token: int) -> float:
    """Return the probability that a token comes next with one head switched off."""
    last = run_with_heads(model, tokens, [layer * model.config.n_heads + head]).logits[-1]  # (V,)
    return float(softmax(last)[integer("token", token, 0, len(last) - 1)])


def real_patterns(model: Model, tokens: ArrayLike) -> HeadMeasures:
    """Return the metrics (L, H) of every head on one text."""
    words = np.asarray(tokens).tolist()
    return measure_heads(attention_weights(model, words), words, causal_mask(len(words)))


def real_head(model: Model, tokens: ArrayLike, layer: int, head: int) -> AttentionCache:
    """Return the attention of one head over a text (T,); queries and keys are after RoPE."""
    integer("layer", layer, 0, model.config.n_layers - 1)
    integer("head", head, 0, model.config.n_heads - 1)
    forward = model_forward(model, checked_tokens(model, "tokens", tokens))
    return select_head(forward.attentions[layer], head)


def real_lens(model: Model, tokens: ArrayLike, last: int) -> RealLens:
    """Return what the logit lens reads at the last positions of a text, layer by layer."""
    streams = activations(model, tokens).stream[:, -last:]
    found, finals = list[Predictions](), list[Array]()
    best = unembed(model, streams[-1]).argmax(axis=-1)  # (T,)
    for stream in streams:  # one after the other, because the logits of all would take much memory
        probabilities = softmax(unembed(model, stream))  # (T, V)
        found.append(likeliest_in(probabilities))
        finals.append(probabilities[np.arange(len(best)), best])
    read = Predictions(*(np.stack(part) for part in zip(*found, strict=True)))
    return RealLens(read, np.stack(finals))
