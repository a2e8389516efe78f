"""What a model has learned, examined on rows that its source holds out: how often it is right, and where it looks."""

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.head_metrics import previous_word_score
from attention_core.model.forward import attention_weights, model_forward
from attention_core.model.parameters import Model
from attention_core.text.corpora import Source
from attention_core.text.recall_task import recall_targets
from attention_core.text.small_english import WORDS, links

ROWS = 24  # that are examined


def accuracy(model: Model, source: Source) -> float:
    """Return the share of counted targets, of rows held out, that the model finds likeliest."""
    rows, counted = source.held_out(model.config.max_len)
    guesses = model_forward(model, rows[:ROWS, :-1]).logits.argmax(axis=-1)
    right = guesses == rows[:ROWS, 1:]
    return float(right.mean() if counted is None else right[counted[:ROWS]].mean())


def link_scores(model: Model, source: Source, kind: str) -> Array:
    """Return (L, H): the mean weight from words of the small English to those that they refer back to."""
    rows = source.held_out(model.config.max_len).rows[:ROWS, :-1]
    weights = attention_weights(model, rows)  # (B, L, H, T, T)
    found = [
        weights[row, :, :, query, key]
        for row, ids in enumerate(rows)
        for query, key, its in links([WORDS[number] for number in ids])
        if its == kind
    ]
    return np.mean(found, axis=0) if found else np.zeros(weights.shape[1:3])


def recall_scores(model: Model, source: Source) -> Array:
    """Return (L, H): the mean weight from letters seen before to the digits that answered them."""
    rows = source.held_out(model.config.max_len).rows[:ROWS, :-1]
    weights, targets = attention_weights(model, rows), recall_targets(rows)
    on_answers = (weights * targets.sources[:, None, None]).sum(axis=-1)  # (B, L, H, T)
    return np.moveaxis(on_answers, 0, 2)[..., targets.answerable].mean(axis=-1)


def previous_scores(model: Model, source: Source) -> Array:
    """Return (L, H): the mean weight on the token before."""
    rows = source.held_out(model.config.max_len).rows[:ROWS, :-1]
    return previous_word_score(attention_weights(model, rows)).mean(axis=0)
