"""How alike positions are, and the meters that are 0 for the right encoding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.experiments.positions.position_similarity import (
    by_distance,
    closest_rows,
    cosine_matrix,
    diagonal_spread,
    encoding_invariants,
    gram_matrix,
    rope_products,
    step_error,
)
from attention_core.experiments.qkv.wrong_on_purpose import positions_side_by_side, positions_with_raw_exponent
from attention_core.rows import largest_difference
from tests.core.errors import check, says
from tests.core.gradients import drawer

even_widths = st.integers(1, 15).map(lambda half: 2 * half)
bases = st.sampled_from([10.0, 100.0, 10000.0])


def test_products_and_cosines_worked_by_hand():
    rows = [[3, 4], [0, 0], [-4, 3], [6, 8]]
    np.testing.assert_array_equal(gram_matrix(rows)[0], [25, 0, 0, 50])
    np.testing.assert_allclose(cosine_matrix(rows)[0], [1, 0, 0, 1], atol=1e-15)
    np.testing.assert_array_equal(cosine_matrix(rows)[1], 0)


def test_the_two_closest_rows_worked_by_hand():
    assert closest_rows([[1, 0], [0, 1], [-1, 0.1], [-2, 0.2]]) == (2, 3, pytest.approx(1))


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


def test_columns_side_by_side_move_the_steps_alone():
    meters = encoding_invariants(positions_side_by_side(64, 32))
    assert meters.diagonals < 1e-9
    assert meters.norms < 1e-9
    assert meters.steps > 1


@pytest.mark.parametrize("base", [10.0, 10000.0])
def test_a_sine_without_its_cosine_spoils_lengths_more_where_it_moves(base):
    odd = core.sinusoidal_positions(64, 31, base)
    meters = encoding_invariants(odd, base)
    assert meters.steps < 1e-9
    assert meters.norms == pytest.approx(np.ptp(np.linalg.norm(odd, axis=1)))
    assert (meters.norms > 0.01) == (base == 10.0)


def test_a_step_is_missed_by_what_stands_in_the_wrong_row():
    encoding = core.sinusoidal_positions(7, 4)
    wrong = encoding.copy()
    wrong[6, 0] += 0.25
    assert step_error(wrong) == pytest.approx(0.25)
    assert step_error(encoding, base=10.0) > 0.1


@given(st.integers(0, 2**32 - 1), even_widths, st.integers(0, 60))
def test_rope_scores_do_not_see_where_a_sentence_starts(seed, width, offset):
    draw = drawer(seed)
    q, k = draw(5, width), draw(7, width)
    assert largest_difference(rope_products(q, k), rope_products(q, k, offset=offset)) < 1e-9


def test_the_largest_change_worked_by_hand():
    assert largest_difference([1, 5], [2, 2]) == 3
    assert largest_difference([], []) == 0


@says(
    (lambda: by_distance([[1, 2, 3]]), "table must be square, got shape (1, 3)"),
    (lambda: closest_rows([[1, 2]]), "rows must be at least 2, got 1"),
)
def test_bad_input_says_what_is_wrong(call, message):
    check(call, message)
