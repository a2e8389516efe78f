"""The number of a position and a one-hot vector as position codes."""

import numpy as np
import pytest

from attention_core.equations.positions import sinusoidal_positions
from attention_core.experiments.positions.position_similarity import (
    counted_positions,
    one_hot_positions,
    similarity_to,
    word_left,
)


def test_both_codes_worked_by_hand():
    np.testing.assert_array_equal(counted_positions(3, 2), [[0, 0], [1, 1], [2, 2]])
    np.testing.assert_array_equal(one_hot_positions(3, 2), [[1, 0], [0, 1], [0, 0]])


def test_what_is_left_of_a_word_worked_by_hand():
    assert word_left(np.array([[3, 0]]), np.array([[1, 0], [0, 4], [-3, 0]])) == pytest.approx([1, 0.6, 0])


def test_only_waves_know_what_is_near():
    counted, one_hot, waves = (
        similarity_to(code, 9)
        for code in (counted_positions(30, 64), one_hot_positions(30, 64), sinusoidal_positions(30, 64))
    )
    np.testing.assert_allclose(counted[1:], 1)  # that of position 0 is 0
    np.testing.assert_array_equal(one_hot, np.eye(30)[9])
    assert waves[10] > waves[12] > waves[25]
