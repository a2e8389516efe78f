"""Accuracy and attention patterns of a model on the held-out sequences of its source."""

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.scaling.head_metrics import previous_word_score
from attention_core.model.forward import attention_weights, model_forward
from attention_core.model.parameters import Model
from attention_core.text.corpora import HELD_OUT, Source, source_of
from attention_core.text.recall_task import recall_targets
from attention_core.text.small_english import WORDS, links

ROWS = 24  # held-out sequences used here


def accuracy(model: Model, source: Source) -> float:
    """Return the accuracy on held-out targets: the fraction of counted ones with the largest logit."""
    rows, counted = source.held_out(model.config.max_len)
    right = model_forward(model, rows[:ROWS, :-1]).logits.argmax(axis=-1) == rows[:ROWS, 1:]
    return float(right.mean() if counted is None else right[counted[:ROWS]].mean())


def rule_accuracy(model: Model, kind: str, n_rows: int = 1009) -> float:
    """Return how often a model of Toy English obeys a rule, such as "colour", in new rows: the fraction of right words.

    A rule determines the word at each of its links, so the word before that link should predict it.
    """
    drawn = source_of("english").draw(np.random.default_rng(HELD_OUT + 2), n_rows, model.config.max_len).rows
    right: list[bool] = []
    for row in drawn:
        asked = [query for query, _, its in links([WORDS[number] for number in row]) if its == kind]
        if asked:
            guesses = model_forward(model, row[:-1]).logits.argmax(axis=-1)
            right += (guesses[np.array(asked) - 1] == row[asked]).tolist()
    return float(np.mean(right)) if right else float("nan")


def link_scores(model: Model, source: Source, kind: str) -> Array:
    """Return (L, H): the mean attention weight along the links of one kind in Toy English."""
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
    """Return (L, H): the mean attention weight from repeated letters to the digits that answer them."""
    rows = source.held_out(model.config.max_len).rows[:ROWS, :-1]
    weights, targets = attention_weights(model, rows), recall_targets(rows)
    on_answers = (weights * targets.sources[:, None, None]).sum(axis=-1)  # (B, L, H, T)
    return np.moveaxis(on_answers, 0, 2)[..., targets.answerable].mean(axis=-1)


def previous_scores(model: Model, source: Source) -> Array:
    """Return (L, H): the mean attention weight on the previous token."""
    rows = source.held_out(model.config.max_len).rows[:ROWS, :-1]
    return previous_word_score(attention_weights(model, rows)).mean(axis=0)
