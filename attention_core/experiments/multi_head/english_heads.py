"""The heads of Toy English, the shipped English model, one by one or together, on the words of a lesson."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.norm import layer_norm
from attention_core.equations.softmax import softmax
from attention_core.experiments.multi_head.several_heads import HeadSet
from attention_core.experiments.qkv.one_head import HeadMatrices
from attention_core.model.forward import model_forward
from attention_core.model.parameters import Model
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import ENGLISH
from attention_core.text.corpora import source_of
from attention_core.text.vocabulary import Vocabulary, listed

CONFIG = ENGLISH.plan.config
TEXT = source_of(ENGLISH.source).says  # what the model was trained on, in words


class TrainedHead(NamedTuple):
    """One head of the trained model: `attend(*trained_head(words, head))` gives its weights."""

    x: Array  # (T, D), the input of the attention: the stream after LayerNorm
    matrices: HeadMatrices  # the head's columns
    mask: Array  # (T, T), 0 = allowed, -inf = blocked


class TrainedHeads(NamedTuple):
    """All heads of the trained model: `attend_heads(x, matrices, n_heads, mask)` gives their weights."""

    x: Array  # (T, D), the input of the attention
    matrices: HeadSet
    mask: Array  # (T, T), 0 = allowed, -inf = blocked


class WrittenStream(NamedTuple):
    """What the output of one head is added to, and by which matrix: `stream + output @ w_o`."""

    stream: Array  # (T, D), before the LayerNorm whose result is the head's x
    w_o: Array  # (K, D), the head's rows


class LinkWeights(NamedTuple):
    """Mean attention weight, (L, H) each, from a word to the word it refers to, by kind of link."""

    adjective: Array  # from a noun to an adjective before it
    pronoun: Array  # from "it" or "they" to the noun
    cry: Array  # from the verb, such as "meowed", to the animal
    number: Array  # from "is" or "are" to the noun
    state: Array  # from "tired" or "wide" to the noun
    fact: Array  # from "hot" to "chai"
    same: Array  # from a thing to its mention in the sentence before
    colour: Array  # from its colour to that mention's colour


def grammar_model() -> tuple[Model, Vocabulary]:
    """Return the English model, read-only and cached, and its vocabulary."""
    return model_at(ENGLISH.name), source_of(ENGLISH.source).vocabulary


def trained_positions(length: int) -> Array:
    """Return the first rows (T, D) of the model's learned positions, in float64."""
    model, _ = grammar_model()
    table: Array | None = model.parameters.position_embedding
    assert table is not None
    return table[:length].astype(np.float64)


def known_words(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the words in the vocabulary of the model, in either case, and the words outside it."""
    _, vocabulary = grammar_model()
    given = listed("words", words)
    return [word for word in given if word in vocabulary], [word for word in given if word not in vocabulary]


def trained_head(words: Sequence[str], head: int) -> TrainedHead:
    """Return one head of the model with its input for some words, in float64."""
    x, matrices, mask = trained_heads(words)
    own = slice(head * CONFIG.d_head, (head + 1) * CONFIG.d_head)
    return TrainedHead(x, HeadMatrices(*(matrix[:, own] for matrix in matrices[:3])), mask)


def trained_stream(words: Sequence[str], head: int) -> WrittenStream:
    """Return what one head of the first layer adds to, in float64, and its rows of W_O, by which it does."""
    model, vocabulary = grammar_model()
    stream = model_forward(model, np.asarray(vocabulary.encode(words))).embedded
    own = slice(head * CONFIG.d_head, (head + 1) * CONFIG.d_head)
    return WrittenStream(stream.astype(np.float64), trained_heads(words).matrices.w_o[own])


def trained_heads(words: Sequence[str]) -> TrainedHeads:
    """Return all heads of the model with their input for some words, in float64."""
    model, vocabulary = grammar_model()
    inside = model_forward(model, np.asarray(vocabulary.encode(words))).blocks[0].attention.layer
    w_q, w_k, w_v = np.split(inside.params.w_qkv.astype(np.float64), 3, axis=1)
    return TrainedHeads(
        inside.x.astype(np.float64),
        HeadSet(w_q, w_k, w_v, inside.params.w_o.astype(np.float64)),
        inside.attention.mask.astype(np.float64),
    )


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
