"""What the thumbnails of the steps show: the last tokens of the prompt, as the model reads them."""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, Tokens
from attention_core.equations.softmax import softmax
from attention_core.model.activations import Insides, insides
from attention_core.model.parameters import Model
from pages.server.model_cache import cached
from pages.tiny_lm.model_in_view import Subject

SHOWN = 6  # tokens, layers or rows of a picture


class Glimpse(NamedTuple):
    """A few tokens, and what the model makes of them."""

    tokens: Tokens  # (T,)
    inside: Insides
    probabilities: Array  # (T, V), of the next token


def glimpse(subject: Subject) -> Glimpse:
    """Return what the model makes of the last tokens of the prompt."""
    return glimpse_of(subject.model, subject.tokens[-SHOWN:])


def glimpse_of(model: Model, tokens: Tokens) -> Glimpse:
    """Return what a model makes of a few tokens; it is kept as long as the model is there."""
    return cached(read, model, tokens)


def read(model: Model, tokens: Tokens) -> Glimpse:
    """Return the same, computed."""
    inside = insides(model, tokens)
    return Glimpse(tokens, inside, softmax(inside.logits.astype(np.float64)))


def likeliest(subject: Subject) -> list[float]:
    """Return the largest probabilities of the next token."""
    return np.sort(glimpse(subject).probabilities[-1])[::-1][:SHOWN].tolist()
