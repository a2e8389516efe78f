"""The small pictures over the stages, each drawn from numbers of the model in view."""

import numpy as np

from attention_core.arrays import Array, Tokens
from attention_core.equations.softmax import softmax
from attention_core.experiments.head_metrics import measure_heads
from attention_core.model.activations import insides
from attention_core.model.parameters import Model, parameter_parts
from attention_core.shipped.models import RECALL, curve_of, model_at
from attention_core.text.corpora import source_of
from pages.look.thumbnails import bars, thumbnail
from pages.server.model_cache import kept

SHOWN = 6  # tokens, layers or rows of a picture
RECALLED = "a3c7b1a"


def thumbnails(model: Model, tokens: Tokens) -> tuple[str, ...]:
    """Return a picture for each stage, drawn once for the same prompt as long as the model is there."""
    return kept(drawn, model, tokens[-SHOWN:])


def drawn(model: Model, few: Tokens) -> tuple[str, ...]:
    """Draw the pictures."""
    inside = insides(model, few)
    bets = softmax(inside.logits.astype(np.float64))  # (T, V)
    likely = np.sort(bets[-1])[::-1][:SHOWN]
    length = len(few)
    cached = np.where(np.eye(length, dtype=bool), 0.9, 0.25) * np.tri(length)
    surprise = -np.log(np.maximum(bets[np.arange(length - 1), few[1:]], 1e-9)) if length > 1 else np.ones(1)
    w_q = model.parameters.blocks[0].attention.w_qkv[:8, :8]
    losses = curve_of(RECALL.name).tested[::12]
    recalled = insides(model_at(RECALL.name), source_of(RECALL.source).vocabulary.encode(list(RECALLED))).weights
    measures = np.concatenate(
        [np.stack(measure_heads(weights, [*few.tolist()]), axis=-1) for weights in inside.weights]
    )  # (L H, 5)
    parts = np.array(parameter_parts(model.config), float)
    pictures: list[tuple[Array, float | None]] = [
        (bars(likely.tolist()), None),
        (bars(np.cumsum(likely).tolist()), None),
        (cached, None),
        (bars((surprise / max(1e-9, surprise.max())).tolist()), None),
        (w_q, max(1e-9, float(np.abs(w_q).max()))),
        (bars((losses / losses.max()).tolist()), None),
        (inside.weights[0, 0], None),
        (recalled[1, int(recalled[1, :, -1, 1].argmax())], None),
        (np.clip(measures[:8], 0, 1), None),
        (bars((parts / parts.max()).tolist()), None),
        (inside.stream[-1, :, :8], 4.0),
        (softmax(inside.layer_logits.astype(np.float64)).max(axis=-1), None),
    ]
    return tuple(thumbnail(values, limit) for values, limit in pictures)
