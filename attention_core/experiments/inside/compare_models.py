"""What a model gets right on whole sequences, as in training, and on sequences that end, as in generation."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array, Tokens
from attention_core.equations.loss import cross_entropy_forward
from attention_core.equations.softmax import softmax
from attention_core.model.forward import attention_weights, logits
from attention_core.model.generate import generate
from attention_core.model.parameters import Model


class Assessment(NamedTuple):
    """Quality of a model on held-out sequences."""

    loss: float  # nats, as in training: whole sequences are read at once
    accuracy: float  # fraction of targets with the highest probability, likewise
    cut_loss: float  # nats, with the sequence cut before each target, as in generation
    cut_accuracy: float  # likewise
    ahead: Array  # (L, H), mean weight on the next token, which is the answer


def written(model: Model, prompt: ArrayLike, n_new: int, masked: bool = True) -> Tokens:
    """Return the most probable continuation (N,) of a prompt, with the causal mask or with it removed."""
    used = model if masked else Model.of(replace(model.config, causal=False), model.flat)
    return np.array(generate(used, prompt, n_new, 0.0), np.int64)


def predict_each(model: Model, tokens: ArrayLike) -> Array:
    """Return (T, V): the next-token probabilities at each position of a text."""
    return softmax(logits(model, tokens).astype(np.float64))


def predict_one_by_one(model: Model, tokens: ArrayLike) -> Array:
    """Return (T, V): the same probabilities from a pass for each position, which reads the text up to it alone."""
    ids = np.asarray(tokens)
    return np.stack([predict_each(model, ids[: place + 1])[-1] for place in range(len(ids))])


def assess(model: Model, rows: Array, counted: NDArray[np.bool_] | None = None) -> Assessment:
    """Return the quality of a model on rows (B, T + 1); the loss includes all targets, or those of `counted` (B, T)."""
    tokens = np.asarray(rows)
    inputs, targets = np.asarray(tokens[:, :-1]), tokens[:, 1:]
    counts = np.ones(targets.shape, bool) if counted is None else counted
    whole, cut = (logits(model, inputs)[counts], targets[counts]), after_cuts(model, inputs, targets, counts)
    next_one = np.diagonal(attention_weights(model, inputs), offset=1, axis1=-2, axis2=-1)  # (B, L, H, T - 1)
    ahead = next_one.sum(axis=(0, -1), dtype=np.float64) / max(1, len(inputs) * next_one.shape[-1])
    return Assessment(*judged(*whole), *judged(*cut), np.asarray(ahead))


def after_cuts(model: Model, inputs: Tokens, targets: Tokens, counts: NDArray[np.bool_]) -> tuple[Array, Tokens]:
    """Return the logits (N, V) and targets (N,) of the counted positions, each as the last position read.

    A causal model predicts the same with or without the later tokens, so its rows need no cutting.
    """
    if model.config.causal:
        return logits(model, inputs)[counts], targets[counts]
    places = [place for place in range(inputs.shape[1]) if counts[:, place].any()]
    found = [logits(model, inputs[counts[:, place], : place + 1])[:, -1] for place in places]
    return np.concatenate(found), np.concatenate([targets[counts[:, place], place] for place in places])


def judged(predicted: Array, goals: Tokens) -> tuple[float, float]:
    """Return the mean loss in nats of logits (N, V), and the accuracy of their maximum."""
    loss, _ = cross_entropy_forward(predicted, goals)
    return loss, float((predicted.argmax(axis=-1) == goals).mean())
