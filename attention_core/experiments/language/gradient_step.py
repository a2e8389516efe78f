"""Gradient descent: a line search along one gradient, and steps until a text is memorised."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.equations.loss import cross_entropy_forward
from attention_core.experiments.language.text_loss import examples
from attention_core.model.forward import loss_and_gradients, model_forward
from attention_core.model.parameters import Model, named_arrays
from attention_core.model.train import train


def line_search(model: Model, tokens: ArrayLike, targets: ArrayLike, sizes: Sequence[float]) -> Array:
    """Return the loss for each step size of a line search: parameters - size * gradient.

    The loss is inf where a step overflows.
    """
    _, gradients = loss_and_gradients(model, tokens, targets)
    ids, goals = np.asarray(tokens), np.asarray(targets)
    moved = Model.of(model.config, np.empty_like(model.flat))
    arrays, own = named_arrays(moved), named_arrays(model)
    losses = []
    for size in sizes:
        step = model.flat.dtype.type(size)
        for name, array in arrays.items():
            np.subtract(own[name], step * gradients[name], out=array)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            logits = model_forward(moved, ids).logits
            loss, _ = cross_entropy_forward(logits.reshape(-1, logits.shape[-1]), goals.reshape(-1))
        losses.append(loss if np.isfinite(loss) else np.inf)
    return np.array(losses)


def memorised(model: Model, tokens: ArrayLike, steps: int) -> Array:
    """Return the mean loss of both halves of a text (2, 2), before and after steps of AdamW on the first one alone."""
    ids = np.asarray(tokens)
    middle, learner = len(ids) // 2, Model.of(model.config, model.flat.copy())
    halves = ids[: middle + 1], ids[middle:]
    for _ in train(learner, lambda rng: halves[0][None], steps, batch_size=1, warmup=0):
        pass
    return np.array([[examples(one, half).mean for one in (model, learner)] for half in halves])
