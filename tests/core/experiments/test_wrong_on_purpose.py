"""Mistakes made on purpose go wrong where, and only where, their lesson says."""

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.experiments.qkv.wrong_on_purpose import (
    complaint_about_slices,
    positions_by_slices,
    positions_with_raw_exponent,
    rope_products_of_mixed_pairs,
    rotate_halves,
    softmax_of_sum,
    softmax_of_zeroed_scores,
    softmax_with_large_number,
    softmax_without_shift,
    triangle_times_infinity,
    zero_after_softmax,
)


def test_on_small_scores_the_textbook_softmax_is_right():
    np.testing.assert_allclose(softmax_without_shift(np.log([1, 3, 6])), [0.1, 0.3, 0.6])
    x = np.random.default_rng(0).standard_normal((5, 3, 7))
    np.testing.assert_allclose(softmax_without_shift(x), core.softmax(x), rtol=1e-12)


def test_above_709_it_gives_nan_in_place_of_the_largest_weight():
    np.testing.assert_array_equal(softmax_without_shift(np.array([1000, 0])), [np.nan, 0])
    np.testing.assert_array_equal(core.softmax([1000, 0]), [1, 0])
    assert np.isfinite(softmax_without_shift(np.array([709, 700]))).all()
    assert np.isnan(softmax_without_shift(np.array([710, 700]))[0])


SCORES = np.log([[1, 3, 6], [2, 2, 4], [5, 3, 2]])  # softmax: tenths, eighths, tenths
FULL = np.array([[False, True, True], [True, True, True], [False, False, False]])  # a row with nothing left


def test_zeros_after_softmax_leave_sums_below_one():
    weights = zero_after_softmax(SCORES, causal_mask(3))
    np.testing.assert_allclose(weights, [[0.1, 0, 0], [0.25, 0.25, 0], [0.5, 0.3, 0.2]])


def test_a_score_times_zero_still_takes_a_share():
    weights = softmax_of_zeroed_scores(SCORES, causal_mask(3))
    np.testing.assert_allclose(weights, [[1 / 3, 1 / 3, 1 / 3], [0.4, 0.4, 0.2], [0.5, 0.3, 0.2]])


@pytest.mark.parametrize("bits", [32, 64])
def test_a_large_number_is_as_good_as_infinity_while_a_key_is_left(bits):
    weights = softmax_with_large_number(SCORES, causal_mask(3), bits)
    assert weights.dtype == f"float{bits}"
    np.testing.assert_allclose(weights, core.softmax(SCORES + additive_mask(causal_mask(3))), atol=1e-7)
    assert (weights[causal_mask(3)] == 0).all()


def test_where_no_key_is_left_it_hides_nothing_or_levels_all():
    np.testing.assert_allclose(softmax_with_large_number(SCORES, FULL, 64)[1], [0.25, 0.25, 0.5], atol=1e-6)
    np.testing.assert_allclose(softmax_with_large_number(SCORES, FULL, 32)[1], [1 / 3, 1 / 3, 1 / 3])


def test_zero_times_infinity_is_no_number_and_spoils_every_row():
    mask = triangle_times_infinity(3)
    np.testing.assert_array_equal(mask == -np.inf, causal_mask(3))
    np.testing.assert_array_equal(np.isnan(mask), ~causal_mask(3))
    assert np.isnan(softmax_of_sum(SCORES, mask)).all()
    np.testing.assert_allclose(softmax_of_sum(SCORES, additive_mask(causal_mask(3)))[1], [0.5, 0.5, 0])


# Positions


def test_the_raw_exponent_counts_columns_for_pairs():
    # width 4 and base 16: exponents 0, 2/4, 4/4, 6/4, so that the angles are t, t/4, t/16, t/64
    found = positions_with_raw_exponent(3, 4, 16.0)
    np.testing.assert_allclose(found[2], [np.sin(2), np.cos(2 / 4), np.sin(2 / 16), np.cos(2 / 64)])


@pytest.mark.parametrize(("length", "width"), [(5, 2), (7, 6)])
def test_slices_are_right_for_an_even_width_and_stop_at_an_odd_one(length, width):
    np.testing.assert_array_equal(positions_by_slices(length, width), core.sinusoidal_positions(length, width))
    assert complaint_about_slices(length, width) == ""
    assert complaint_about_slices(length, width + 1).startswith("could not broadcast input array from shape")


def test_either_pairing_is_right_by_itself_and_the_two_mixed_are_not():
    rng = np.random.default_rng(1)
    q, k = rng.standard_normal((5, 6)), rng.standard_normal((7, 6))
    here, there = (rotate_halves(q, offset=at) @ rotate_halves(k, offset=at).T for at in (0, 9))
    np.testing.assert_allclose(here, there)
    mixed = [rope_products_of_mixed_pairs(q, k, offset=at) for at in (0, 9)]
    np.testing.assert_allclose(mixed[0], core.rotate(q) @ rotate_halves(k).T)
    assert np.abs(mixed[1] - mixed[0]).max() > 0.1
