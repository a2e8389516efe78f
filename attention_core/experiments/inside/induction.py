"""Induction heads: the copy task, the attention that solves it, and the accuracy with heads ablated."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, Tokens
from attention_core.model.forward import model_forward
from attention_core.model.parameters import Model
from attention_core.text.recall_task import associative_recall, recall_accuracy, recall_targets

SHORTEST_PROMPT = 9  # tokens


class CopyScores(NamedTuple):
    """Recall accuracy of a model, and the attention of its heads in the task."""

    accuracy: float  # fraction of repeated letters with the largest logit on the right digit
    answer: Array  # (L, H), mean weight from a repeated letter to the digits that followed it
    letter: Array  # (L, H), mean weight from a digit to the letter before it


def recall_rows(n_rows: int, length: int, seed: int) -> Tokens:
    """Return rows (B, T + 1) of `associative_recall` for a seed."""
    return associative_recall(np.random.default_rng(seed), n_rows, length)


def recall_prompt(seed: int, longest: int = 32) -> Tokens:
    """Return a prompt that ends with a repeated letter, with other letters in between where possible."""
    row = recall_rows(1, longest, seed)[0, :longest]
    asks = np.flatnonzero(recall_targets(row).answerable)
    # the letter directly before must differ, or the answer would be the last digit
    asks = asks[row[asks] != row[asks - 2]]
    late = asks[asks >= SHORTEST_PROMPT - 1]
    return row[: (late[0] if len(late) else asks[-1] if len(asks) else len(row) - 1) + 1]


def copy_scores(model: Model, rows: Array) -> CopyScores:
    """Return the recall accuracy over rows (B, T + 1) and the attention of each head to letters and answers."""
    tokens = np.asarray(rows)
    inputs = np.asarray(tokens[:, :-1])
    forward = model_forward(model, inputs)
    weights = np.stack([attention.weights for attention in forward.attentions])  # (L, B, H, T, T)
    targets = recall_targets(inputs)
    answer = (weights * targets.sources[:, None]).sum(axis=(1, 3, 4), dtype=np.float64)
    before = np.diagonal(weights, offset=-1, axis1=-2, axis2=-1)[..., ::2]  # (L, B, H, digits)
    return CopyScores(
        accuracy=recall_accuracy(forward.logits, tokens),
        answer=np.asarray(answer / max(1, int(targets.answerable.sum()))),
        letter=np.asarray(before.mean(axis=(1, 3), dtype=np.float64)),
    )


def without_heads(model: Model, off: Sequence[int]) -> Model:
    """Return the model with some heads ablated: their rows of W_O are zero. Heads are numbered through all layers."""
    config = model.config
    copy = Model.of(config, model.flat.copy())
    for number in off:
        layer, head = divmod(number, config.n_heads)
        copy.parameters.blocks[layer].attention.w_o[head * config.d_head : (head + 1) * config.d_head] = 0
    return copy


def accuracy_without_heads(model: Model, rows: Array, off: Sequence[int]) -> float:
    """Return the recall accuracy over rows (B, T + 1) with these heads ablated."""
    tokens = np.asarray(rows)
    return recall_accuracy(model_forward(without_heads(model, off), np.asarray(tokens[:, :-1])).logits, tokens)


def accuracy_by_ablated_head(model: Model, rows: Array) -> Array:
    """Return (L, H): the recall accuracy with that head alone ablated."""
    n_layers, n_heads = model.config.n_layers, model.config.n_heads
    found = [accuracy_without_heads(model, rows, [head]) for head in range(n_layers * n_heads)]
    return np.array(found).reshape(n_layers, n_heads)
