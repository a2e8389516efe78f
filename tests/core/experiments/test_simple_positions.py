"""The number of a position and a one-hot vector as position codes."""

import numpy as np
import pytest

from attention_core.equations.positions import sinusoidal_positions
from attention_core.experiments.positions.simple_positions import (
    counted_positions,
    one_hot_positions,
    similarity_to,
    word_left,
)
from attention_core.text.word_vectors import word_vectors


def test_both_codes_worked_by_hand():
    np.testing.assert_array_equal(counted_positions(3, 2), [[1, 1], [2, 2], [3, 3]])
    np.testing.assert_array_equal(one_hot_positions(3, 2), [[1, 0], [0, 1], [0, 0]])


def test_what_is_left_of_a_word_worked_by_hand():
    assert word_left(np.array([[3, 0]]), np.array([[1, 0], [0, 4], [-3, 0]])) == pytest.approx([1, 0.6, 0])


def test_numbers_drown_the_words_and_the_others_do_not():
    x = word_vectors(["dog", "bites", "man"], 64, 18)
    codes = (counted_positions(50, 64), one_hot_positions(50, 64), sinusoidal_positions(50, 64))
    counted, one_hot, waves = (word_left(x, code) for code in codes)
    assert (np.diff(counted[1:]) < 0).all()
    assert abs(counted[-1]) < 0.1
    assert one_hot.min() > 0.95
    assert waves.min() > 0.7


def test_only_waves_know_what_is_near():
    counted, one_hot, waves = (
        similarity_to(code, 9)
        for code in (counted_positions(30, 64), one_hot_positions(30, 64), sinusoidal_positions(30, 64))
    )
    np.testing.assert_allclose(counted, 1)
    np.testing.assert_array_equal(one_hot, np.eye(30)[9])
    assert waves[10] > waves[12] > waves[25]
