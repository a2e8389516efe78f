"""What Toy English predicts next when the output of its attention is changed: a head or a key is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.norm import layer_norm
from attention_core.equations.softmax import softmax
from attention_core.experiments.multi_head.english_heads import grammar_model
from attention_core.model.forward import model_forward


class Readout(NamedTuple):
    """What a model of one layer without an MLP needs to make a prediction of its attention output."""

    stream: Array  # (T, D), token embeddings plus positions, to which the attention output is added
    gain: Array  # (D,), of the final LayerNorm
    bias: Array  # (D,), likewise
    unembedding: Array  # (V, D)


def trained_readout(words: Sequence[str]) -> Readout:
    """Return the readout of Toy English for some words, in float64."""
    model, vocabulary = grammar_model()
    forward = model_forward(model, np.asarray(vocabulary.encode(words)))
    gain, bias = model.parameters.final_norm
    parts = (forward.embedded, gain, bias, model.parameters.unembedding)
    return Readout(*(np.asarray(part, np.float64) for part in parts))


def next_word_probabilities(output: Array, readout: Readout) -> Array:
    """Return softmax(LayerNorm(x + output) Eᵀ), (T, V): the prediction at each word for an attention output (T, D)."""
    hidden = layer_norm(readout.stream + output, readout.gain, readout.bias)  # (T, D)
    return softmax(hidden @ readout.unembedding.T)
