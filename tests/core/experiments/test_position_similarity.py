"""How alike positions are, and the meters that are 0 for the right encoding."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.experiments.positions import position_similarity as alike

even_widths = st.integers(1, 15).map(lambda half: 2 * half)
bases = st.sampled_from([10.0, 100.0, 10000.0])


def test_a_table_read_by_distance_worked_by_hand():
    found = alike.by_distance([[5, 1, 7], [3, 6, 1], [9, 1, 4]])
    np.testing.assert_array_equal(found.distance, [0, 1, 2])
    np.testing.assert_array_equal(found.mean, [5, 1.5, 8])
    np.testing.assert_array_equal(found.low, [4, 1, 7])
    np.testing.assert_array_equal(found.high, [6, 3, 9])
    assert alike.diagonal_spread([[5, 1, 7], [3, 6, 1], [9, 1, 4]]) == 2


def test_codes_and_their_cosines_worked_by_hand():
    np.testing.assert_array_equal(alike.counted_positions(3, 2), [[0, 0], [1, 1], [2, 2]])
    np.testing.assert_array_equal(alike.one_hot_positions(3, 2), [[1, 0], [0, 1], [0, 0]])
    np.testing.assert_allclose(alike.similarity_to(np.array([[1.0, 0], [2, 2], [0, 0]]), 0), [1, np.sqrt(1 / 2), 0])
    words, positions = np.array([[1.0, 0], [0, 1]]), np.array([[0.0, 0], [3, 4]])  # sums (4, 4) and (3, 5)
    np.testing.assert_allclose(alike.word_left(words, positions), [1, (np.sqrt(1 / 2) + 5 / np.sqrt(34)) / 2])


@given(st.integers(2, 40), even_widths, bases)
def test_all_meters_are_0_for_the_right_encoding(length, width, base):
    assert max(alike.encoding_invariants(core.sinusoidal_positions(length, width, base), base)) < 1e-9
