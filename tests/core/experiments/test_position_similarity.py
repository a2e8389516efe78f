"""How alike positions are, and the meters that are 0 for the right encoding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.experiments.positions.position_similarity import (
    by_distance,
    cosine_matrix,
    diagonal_spread,
    encoding_invariants,
    gram_matrix,
)
from attention_core.experiments.qkv.wrong_on_purpose import positions_with_raw_exponent

even_widths = st.integers(1, 15).map(lambda half: 2 * half)
bases = st.sampled_from([10.0, 100.0, 10000.0])


def test_products_and_cosines_worked_by_hand():
    rows = np.array([[3.0, 4], [0, 0], [-4, 3], [6, 8]])
    np.testing.assert_array_equal(gram_matrix(rows)[0], [25, 0, 0, 50])
    np.testing.assert_allclose(cosine_matrix(rows)[0], [1, 0, 0, 1], atol=1e-15)
    np.testing.assert_array_equal(cosine_matrix(rows)[1], 0)


def test_a_table_read_by_distance_worked_by_hand():
    found = by_distance([[5, 1, 7], [3, 6, 1], [9, 1, 4]])
    np.testing.assert_array_equal(found.distance, [0, 1, 2])
    np.testing.assert_array_equal(found.mean, [5, 1.5, 8])
    np.testing.assert_array_equal(found.low, [4, 1, 7])
    np.testing.assert_array_equal(found.high, [6, 3, 9])
    assert diagonal_spread([[5, 1, 7], [3, 6, 1], [9, 1, 4]]) == 2


def test_tutorial_001_has_these_products():
    alike = gram_matrix(core.sinusoidal_positions(20, 64))
    assert alike[0, 1] == pytest.approx(30.917, abs=5e-4)
    assert alike[0, 19] == pytest.approx(19.974, abs=5e-4)


@given(st.integers(2, 40), even_widths, bases)
def test_all_meters_are_0_for_the_right_encoding(length, width, base):
    assert max(encoding_invariants(core.sinusoidal_positions(length, width, base), base)) < 1e-9


def test_the_raw_exponent_moves_all_meters():
    meters = encoding_invariants(positions_with_raw_exponent(64, 32))
    assert meters.diagonals == pytest.approx(4.27, abs=0.005)
    assert min(meters) > 0.1
