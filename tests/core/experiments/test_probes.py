"""Which word and which position a vector still tells."""

import numpy as np
import pytest

from attention_core.experiments.positions.position_kinds import added_positions
from attention_core.experiments.positions.probes import DRAWS, STRENGTHS, nearest, probe_by_strength
from attention_core.text.small_english import WORDS
from attention_core.text.word_vectors import word_vectors


def test_the_nearest_row_worked_by_hand():
    found = nearest(np.array([[1, 1], [0, -3], [0, 0]]), np.array([[2, 0], [5, 4], [0, -1]]))
    np.testing.assert_array_equal(found, [1, 2, 0])


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_shares_by_strength_are_those_of_reading_one_by_one(kind):
    found = probe_by_strength(kind, 24, 32, 10000.0, 5)
    rng = np.random.default_rng([5, 13])
    word, place = rng.integers(len(WORDS), size=DRAWS), rng.integers(24, size=DRAWS)
    words, places = word_vectors(WORDS, 32, 5), added_positions(kind, 24, 32, seed=5)
    np.testing.assert_array_equal(found.strengths, STRENGTHS)
    for at in (0, 6, 12):
        sums = words[word] + STRENGTHS[at] * places[place]
        assert found.words[at] == np.mean(nearest(sums, words) == word)
        away = np.abs(nearest(sums, places) - place)
        assert found.places[at] == np.mean(away == 0)
        assert found.places_nearly[at] == np.mean(away <= 2)
