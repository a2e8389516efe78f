"""Linear probes for word and position, in sums of vectors and in the residual stream after every block."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, Tokens
from attention_core.equations.positions import rope_angles
from attention_core.experiments.multi_head.english_heads import grammar_model
from attention_core.experiments.positions.position_kinds import added_positions
from attention_core.model.block import block_forward
from attention_core.model.config import Config, Positions
from attention_core.model.forward import model_forward, score_bias
from attention_core.model.parameters import init_model
from attention_core.rows import row_norms
from attention_core.text.small_english import WORDS
from attention_core.text.word_vectors import word_vectors
from attention_core.threads import one_at_a_time

STRENGTHS = (0.0, 0.0625, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)  # factors of the position table
DRAWS = 400  # random pairs of word and position
NEARLY = 2  # positions; an error up to this counts as nearly right
LENGTH = 12  # words in a sentence
SENTENCES = 400  # of random words; half of them to fit the probe, half to test it
KINDS_OF_MODELS: dict[str, Positions] = {
    "none": "none",
    "sinusoidal": "sinusoidal",
    "learned": "learned",
    "RoPE": "rope",
    "ALiBi": "alibi",
}


class Nearest(NamedTuple):
    """For each row, the table row with the highest cosine similarity."""

    row: Array  # (T,), index in the table
    cosine: Array  # (T,)


class ByStrength(NamedTuple):
    """Probe accuracy for word and position in their sum, for each strength of the positions."""

    strengths: Array  # (S,)
    words: Array  # (S,)
    places: Array  # (S,)
    places_nearly: Array  # (S,), within NEARLY positions


class ByLayer(NamedTuple):
    """Probe accuracy for word and position in the residual stream, before the first block and after each.

    The sentences are random words, so that no word predicts its position. The probe is one matrix, fitted to half of
    the sentences by least squares: what it recovers is still there for later blocks.
    """

    layers: Array  # (L + 1,)
    words: Array  # (L + 1,)
    places: Array  # (L + 1,)
    chance: float  # position accuracy of guessing


def unit(rows: Array) -> Array:
    """Return the rows scaled to length 1; rows of zeros stay zero."""
    return rows / np.maximum(row_norms(rows), 1e-12)[..., None]


def nearest(rows: Array, table: Array) -> Nearest:
    """For each row, return the index of the table row with the highest cosine similarity (the first on ties)."""
    left, right = unit(rows), unit(table)
    cosines = left @ right.mT  # (T, N)
    index = cosines.argmax(axis=-1)
    return Nearest(index, np.take_along_axis(cosines, index[..., None], axis=-1)[..., 0])


@lru_cache(maxsize=16)
def known_vectors(d_model: int, seed: int) -> Array:
    """Return the vectors of all words of Toy English, read-only and cached."""
    table = word_vectors(WORDS, d_model, seed)
    table.flags.writeable = False
    return table


@one_at_a_time
@lru_cache(maxsize=16)
def probe_by_strength(kind: str, length: int, d_model: int, base: float = 10000.0, seed: int = 0) -> ByStrength:
    """Return the probe accuracy for random words at random positions, by strength of the positions."""
    words, places = known_vectors(d_model, seed), added_positions(kind, length, d_model, base, seed=seed)
    rng = np.random.default_rng([seed, 13])
    word, place = rng.integers(len(words), size=DRAWS), rng.integers(length, size=DRAWS)
    strengths = np.array(STRENGTHS)
    sums = words[word] + strengths[:, None, None] * places[place]  # (S, N, D)
    right_words = (sums @ unit(words).T).argmax(axis=-1) == word  # as in `nearest`; its division changes no argmax
    away = np.abs((sums @ unit(places).T).argmax(axis=-1) - place)
    accuracies = (right.mean(axis=-1) for right in (right_words, away == 0, away <= NEARLY))
    found = ByStrength(strengths, *accuracies)
    for array in found:
        array.flags.writeable = False
    return found


def streams_of_random_blocks(
    tokens: Tokens, kind: str, d_model: int, n_layers: int, residual: bool, base: float, strength: float, seed: int
) -> list[Array]:
    """Return the residual stream (B, T, D) before the first of some random blocks and after each.

    Without residual connections, each block passes on only what it would have added.
    """
    config = Config(len(WORDS), d_model, 4, n_layers, LENGTH, positions=KINDS_OF_MODELS[kind], causal=False)
    blocks = init_model(config, seed).parameters.blocks
    length = tokens.shape[-1]
    phase = rope_angles(length, config.d_head, base, 0, "<f4") if kind == "RoPE" else None
    mask = score_bias(config.slopes, False, length, "<f4")
    table = strength * added_positions(kind, length, d_model, base, seed=seed)
    streams = [(known_vectors(d_model, seed)[tokens] + table).astype(np.float32)]
    for block in blocks:
        out = block_forward(streams[-1], block, config, mask, phase)[0]
        streams.append(out if residual else out - streams[-1])
    return streams


def streams_of_trained(tokens: Tokens) -> list[Array]:
    """Return the residual stream of Toy English before its block and after it."""
    cache = model_forward(grammar_model()[0], tokens)
    return [cache.embedded, *((block.feed_forward or block.attention).out for block in cache.blocks)]


def linear_probe_accuracy(stream: Array, labels: Array, n_labels: int) -> float:
    """Return the accuracy of a linear probe, fitted to the first half of the sentences, on the second half.

    The probe (D + 1, labels) has a constant and minimises the squared error to one-hot labels; the largest product is
    the prediction.
    """
    half = len(stream) // 2
    x = np.concatenate([stream, np.ones_like(stream[..., :1])], axis=-1).astype(np.float64)
    fitted, asked = x[:half].reshape(-1, x.shape[-1]), x[half:].reshape(-1, x.shape[-1])
    wanted = np.eye(n_labels)[labels[:half].ravel()]  # (N, labels)
    gram = fitted.T @ fitted + 1e-6 * np.eye(x.shape[-1])  # regularised, for columns that never vary
    matrix = np.linalg.solve(gram, fitted.T @ wanted)
    return float(((asked @ matrix).argmax(axis=-1) == labels[half:].ravel()).mean())


def drawn_sentences(seed: int) -> Tokens:
    """Return sentences (B, T) of random words, in which no word predicts its position."""
    return np.random.default_rng([seed, 17]).integers(len(WORDS), size=(SENTENCES, LENGTH))


def read_from(streams: list[Array], tokens: Tokens) -> ByLayer:
    """Return the probe accuracy for word and position in each stream."""
    places = np.broadcast_to(np.arange(tokens.shape[-1]), tokens.shape)
    found = ByLayer(
        np.arange(len(streams)),
        np.array([linear_probe_accuracy(stream, tokens, len(WORDS)) for stream in streams]),
        np.array([linear_probe_accuracy(stream, places, LENGTH) for stream in streams]),
        1 / LENGTH,
    )
    for array in found[:3]:
        array.flags.writeable = False
    return found


@one_at_a_time
@lru_cache(maxsize=16)
def probe_by_layer(
    kind: str,
    d_model: int = 32,
    n_layers: int = 4,
    residual: bool = True,
    base: float = 10000.0,
    strength: float = 1.0,
    seed: int = 0,
) -> ByLayer:
    """Return the probe accuracy in the residual stream of random blocks."""
    tokens = drawn_sentences(seed)
    return read_from(streams_of_random_blocks(tokens, kind, d_model, n_layers, residual, base, strength, seed), tokens)


@one_at_a_time
@lru_cache(maxsize=16)
def probe_trained_model(seed: int = 0) -> ByLayer:
    """Return the probe accuracy in the residual stream of Toy English."""
    tokens = drawn_sentences(seed)
    return read_from(streams_of_trained(tokens), tokens)
