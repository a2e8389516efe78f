"""Word and position recovered from their sum, by the nearest vector."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, frozen
from attention_core.experiments.positions.position_kinds import added_positions
from attention_core.rows import first_largest, row_norms
from attention_core.text.small_english import WORDS
from attention_core.text.word_vectors import word_vectors
from attention_core.threads import one_at_a_time

STRENGTHS = (0.0, 0.0625, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)  # factors of the position table
DRAWS = 400  # random pairs of word and position
NEARLY = 2  # positions; an error up to this counts as nearly right


class ByStrength(NamedTuple):
    """Probe accuracy for word and position in their sum, for each strength of the positions."""

    strengths: Array  # (S,)
    words: Array  # (S,)
    places: Array  # (S,)
    places_nearly: Array  # (S,), within NEARLY positions


def unit(rows: Array) -> Array:
    """Return the rows scaled to length 1; rows of zeros stay zero."""
    return rows / np.maximum(row_norms(rows), 1e-12)[..., None]


def nearest(rows: Array, table: Array) -> Array:
    """For each row, return the index of the table row with the highest cosine similarity (the first on ties)."""
    return first_largest(unit(rows) @ unit(table).mT)


@lru_cache(maxsize=16)
def known_vectors(d_model: int, seed: int) -> Array:
    """Return the vectors of all words of Toy English, read-only and cached."""
    return frozen(word_vectors(WORDS, d_model, seed))


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
    return ByStrength(*map(frozen, (strengths, *accuracies)))
