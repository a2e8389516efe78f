"""Which word and which position a vector still tells."""

import numpy as np
import pytest

from attention_core.experiments.multi_head.english_heads import grammar_model, trained_positions
from attention_core.experiments.positions.position_kinds import KINDS, added_positions
from attention_core.experiments.positions.probes import (
    DRAWS,
    LENGTH,
    STRENGTHS,
    linear_probe_accuracy,
    nearest,
    probe_by_layer,
    probe_by_strength,
    probe_trained_model,
    streams_of_random_blocks,
    streams_of_trained,
)
from attention_core.text.small_english import WORDS
from attention_core.text.word_vectors import word_vectors
from tests.core.errors import check, says


def test_the_nearest_row_worked_by_hand():
    found = nearest([[1, 1], [0, -3], [0, 0]], [[2, 0], [5, 4], [0, -1]])
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


def test_strong_positions_are_read_and_drown_words_and_width_gives_room_to_both():
    found = probe_by_strength("sinusoidal", 24, 64)
    assert found.words[0] == 1
    assert found.words[-1] < 0.3
    assert found.places[0] < 0.1
    assert found.places[-1] == 1
    narrow, wide = (probe_by_strength("sinusoidal", 24, width) for width in (8, 128))
    middle = STRENGTHS.index(2.0)
    assert wide.words[middle] > narrow.words[middle] + 0.5
    assert wide.places[middle] > narrow.places[middle] + 0.3


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


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_without_the_residual_path_both_fade(kind):
    found = probe_by_layer(kind, residual=False)
    assert found.words[-1] < 0.3
    assert found.places[-1] < found.places[0] / 2


@pytest.mark.parametrize("kind", KINDS)
def test_the_stream_begins_with_words_and_places_and_passes_every_block(kind):
    tokens = np.random.default_rng(0).integers(len(WORDS), size=(3, LENGTH))
    streams = streams_of_random_blocks(tokens, kind, 16, 2, True, 100.0, 2.0, 4)
    assert [stream.shape for stream in streams] == [(3, LENGTH, 16)] * 3
    start = word_vectors(WORDS, 16, 4)[tokens] + 2 * added_positions(kind, LENGTH, 16, 100.0, seed=4)
    np.testing.assert_allclose(streams[0], start, rtol=1e-5, atol=1e-5)
    cut = streams_of_random_blocks(tokens, kind, 16, 2, False, 100.0, 2.0, 4)
    np.testing.assert_allclose(cut[1], streams[1] - streams[0], rtol=1e-4, atol=1e-4)


def test_what_is_kept_for_the_next_call_cannot_be_written_into():
    found = probe_by_layer("none")
    assert found is probe_by_layer("none")
    for array in (found.words, probe_by_strength("none", 24, 8).words):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 2


def test_the_trained_model_is_read_before_and_after_its_block():
    found = probe_trained_model()
    np.testing.assert_array_equal(found.layers, [0, 1])
    assert found.places.min() > 2 * found.chance
    model, _ = grammar_model()
    tokens = np.arange(LENGTH)[None]
    embedded = model.parameters.token_embedding[:LENGTH] + model.parameters.position_embedding[:LENGTH]
    np.testing.assert_allclose(streams_of_trained(tokens)[0][0], embedded)


def test_learned_positions_come_out_alike_where_they_are_near():
    learned = trained_positions(32)
    assert learned.shape == (32, 32)
    unit = learned / np.linalg.norm(learned, axis=1, keepdims=True)
    alike = unit @ unit.T
    assert np.diagonal(alike, 1).mean() > 0.9
    assert np.diagonal(alike, 24).mean() < 0


@says(
    (lambda: nearest([[1, 2]], [[1]]), "rows and table must be of the same width, got (1, 2) and (1, 1)"),
    (lambda: probe_by_strength("rope", 24, 8), "kind must be one of"),
    (lambda: probe_by_layer("rope"), "kind must be one of"),
    (lambda: trained_positions(33), "length must be between 0 and 32, got 33"),
)
def test_bad_input_says_what_is_wrong(call, message):
    check(call, message)


def test_without_residual_connections_words_fade_and_long_positions_fade_less():
    found = [probe_by_layer("learned", 32, 4, False, 10000.0, strength, 18) for strength in (1.0, 2.25, 8.0)]
    assert max(one.words[-1] / one.words[0] for one in found) < 0.25
    left = [one.places[-1] / one.places[0] for one in found]
    assert left == sorted(left)
    assert left[0] < 0.3
    assert left[-1] > 0.9
