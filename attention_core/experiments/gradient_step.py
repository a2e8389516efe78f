"""Down the gradient: the gradient of one array, the loss along a step, and a slope measured by nudging one number."""

from __future__ import annotations  # np.random, named in annotations alone, is slow to load

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import real, whole
from attention_core.equations.loss import cross_entropy_forward
from attention_core.experiments.text_loss import halves, loss_of_text
from attention_core.model.forward import checked_tokens, loss_and_gradients, model_forward
from attention_core.model.parameters import Model, named_arrays


class Gradient(NamedTuple):
    """The gradient of a text's loss, as far as a page shows it: one array of the model, and the length of each."""

    loss: float
    values: Array  # (rows, columns), the array as it is; a vector is one row
    slopes: Array  # the same shape: by how much the loss would rise, for each unit that a number is raised
    norms: Array  # (A,), of the gradients of all arrays, in the order of `named_arrays`
    squared: float  # the sum of the squares of all slopes: how fast the loss falls, at first, down the gradient


def gradient_of(model: Model, tokens: ArrayLike, name: str) -> Gradient:
    """Return the gradient of the loss of a text (T + 1,) by one array of the model."""
    arrays = checked_arrays(model, name)
    loss, gradients = loss_and_gradients(model, *halves(model, tokens))
    norms = np.array([float(np.linalg.norm(gradient.astype(np.float64))) for gradient in gradients.values()])
    values, slopes = (np.atleast_2d(table[name]) for table in (arrays, gradients))
    return Gradient(loss, values, slopes, norms, float(norms @ norms))


def loss_along(model: Model, tokens: ArrayLike, targets: ArrayLike, sizes: Sequence[float]) -> Array:
    """Return the loss after a step down the gradient, for each size of the step: parameters - size * gradient.

    It is inf where a step was so large that numbers overflowed.
    """
    _, gradients = loss_and_gradients(model, tokens, targets)
    ids, goals = checked_tokens(model, "tokens", tokens), checked_tokens(model, "targets", targets)
    moved = Model.of(model.config, np.empty_like(model.flat))
    arrays, own = named_arrays(moved), named_arrays(model)
    losses = []
    for size in sizes:
        step = model.flat.dtype.type(real("sizes", size))
        for name, array in arrays.items():
            np.subtract(own[name], step * gradients[name], out=array)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            logits = model_forward(moved, ids).logits
            loss, _ = cross_entropy_forward(logits.reshape(-1, logits.shape[-1]), goals.reshape(-1))
        losses.append(loss if np.isfinite(loss) else np.inf)
    return np.array(losses)


class Nudge(NamedTuple):
    """One number of a model moved up and down a little, in float64: the slope that this measures, and the gradient."""

    value: float
    up: float  # the loss with the number raised
    down: float  # the loss with it lowered
    measured: float  # (up - down) / (2 * size)
    slope: float  # what the backward pass says


def nudge(model: Model, tokens: ArrayLike, name: str, row: int, column: int, size: float) -> Nudge:
    """Return the central difference of the loss by one number of an array, beside its gradient.

    In float32 the two losses would share all but their last digits, and their difference would be little but rounding.
    """
    real("size", size, "a finite number above 0", lambda value: value > 0)
    checked_arrays(model, name)
    fine = Model.of(model.config, model.flat.astype(np.float64))
    values = named_arrays(fine)[name]
    place = (whole("row", row, 0, np.atleast_2d(values).shape[0] - 1), column)[-values.ndim :]
    whole("column", column, 0, values.shape[-1] - 1)
    slope = float(loss_and_gradients(fine, *halves(model, tokens))[1][name][place])
    value = float(values[place])
    losses = []
    for moved in (value + size, value - size):
        values[place] = moved
        losses.append(loss_of_text(fine, tokens))
    up, down = losses
    return Nudge(value, up, down, (up - down) / (2 * size), slope)


def checked_arrays(model: Model, name: str) -> dict[str, Array]:
    """Return the arrays of a model, or say that it has none of this name."""
    arrays = named_arrays(model)
    if name not in arrays:
        raise ValueError(f"name must be one of {', '.join(arrays)}, got {name!r}")
    return arrays
