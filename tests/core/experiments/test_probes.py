"""Which word and which position a vector still tells."""

import numpy as np
import pytest

from attention_core.experiments.positions.position_kinds import KINDS, added_positions
from attention_core.experiments.positions.probes import (
    DRAWS,
    LENGTH,
    STRENGTHS,
    linear_probe_accuracy,
    nearest,
    probe_by_layer,
    probe_by_strength,
    streams_of_random_blocks,
)
from attention_core.text.small_english import WORDS
from attention_core.text.word_vectors import word_vectors


def test_the_nearest_row_worked_by_hand():
    found = nearest(np.array([[1, 1], [0, -3], [0, 0]]), np.array([[2, 0], [5, 4], [0, -1]]))
    np.testing.assert_array_equal(found.row, [1, 2, 0])
    np.testing.assert_allclose(found.cosine, [9 / np.sqrt(2 * 41), 1, 0])


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_shares_by_strength_are_those_of_reading_one_by_one(kind):
    found = probe_by_strength(kind, 24, 32, 10000.0, 5)
    rng = np.random.default_rng([5, 13])
    word, place = rng.integers(len(WORDS), size=DRAWS), rng.integers(24, size=DRAWS)
    words, places = word_vectors(WORDS, 32, 5), added_positions(kind, 24, 32, seed=5)
    np.testing.assert_array_equal(found.strengths, STRENGTHS)
    for at in (0, 6, 12):
        sums = words[word] + STRENGTHS[at] * places[place]
        assert found.words[at] == np.mean(nearest(sums, words).row == word)
        away = np.abs(nearest(sums, places).row - place)
        assert found.places[at] == np.mean(away == 0)
        assert found.places_nearly[at] == np.mean(away <= 2)


def test_least_squares_reads_what_is_written_and_guesses_where_nothing_is():
    rng = np.random.default_rng(0)
    labels = rng.integers(5, size=(40, 7))
    assert linear_probe_accuracy(np.eye(5)[labels], labels, 5) == 1
    assert linear_probe_accuracy(rng.standard_normal((200, 7, 3)), rng.integers(5, size=(200, 7)), 5) < 0.35


@pytest.mark.parametrize("kind", KINDS)
def test_position_stays_where_it_was_added_and_never_was_where_it_was_not(kind):
    found = probe_by_layer(kind)
    assert found.words.min() > 0.95
    assert found.chance == 1 / LENGTH
    if kind in ("sinusoidal", "learned"):
        assert found.places.min() > 4 * found.chance
        assert found.places[0] - found.places[-1] < 0.05
    else:
        assert found.places.max() < 2 * found.chance


@pytest.mark.parametrize("kind", KINDS)
def test_the_stream_begins_with_words_and_places_and_passes_every_block(kind):
    tokens = np.random.default_rng(0).integers(len(WORDS), size=(3, LENGTH))
    streams = streams_of_random_blocks(tokens, kind, 16, 2, True, 100.0, 2.0, 4)
    assert [stream.shape for stream in streams] == [(3, LENGTH, 16)] * 3
    start = word_vectors(WORDS, 16, 4)[tokens] + 2 * added_positions(kind, LENGTH, 16, 100.0, seed=4)
    np.testing.assert_allclose(streams[0], start, rtol=1e-5, atol=1e-5)
    cut = streams_of_random_blocks(tokens, kind, 16, 2, False, 100.0, 2.0, 4)
    np.testing.assert_allclose(cut[1], streams[1] - streams[0], rtol=1e-4, atol=1e-4)
