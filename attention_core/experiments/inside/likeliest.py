"""The likeliest next tokens after each position of a text, of a vocabulary too large to keep whole."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens
from attention_core.equations.softmax import softmax
from attention_core.model.forward import logits
from attention_core.model.parameters import Model

LIKELIEST = 8  # tokens kept of a prediction


class Predictions(NamedTuple):
    """The likeliest next tokens, likeliest first, with their probabilities."""

    tokens: Tokens  # (..., LIKELIEST), or fewer of a small vocabulary
    probabilities: Array  # (..., LIKELIEST)


def likeliest_next(model: Model, tokens: ArrayLike) -> Predictions:
    """Return the likeliest next tokens (T, LIKELIEST) after each position; of equal ones, those with smaller ids."""
    probabilities = softmax(logits(model, tokens))
    most = min(LIKELIEST, probabilities.shape[-1])
    few = np.sort(np.argpartition(-probabilities, most - 1, axis=-1)[..., :most], axis=-1)
    order = np.argsort(-np.take_along_axis(probabilities, few, axis=-1), axis=-1, kind="stable")
    found = np.take_along_axis(few, order, axis=-1)
    return Predictions(found, np.take_along_axis(probabilities, found, axis=-1))
