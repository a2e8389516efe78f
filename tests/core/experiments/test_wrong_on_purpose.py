"""Mistakes made on purpose go wrong where, and only where, their lesson says."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.qkv import wrong_on_purpose


def test_on_small_scores_the_textbook_softmax_is_right():
    np.testing.assert_allclose(wrong_on_purpose.softmax_without_shift(np.log([1, 3, 6])), [0.1, 0.3, 0.6])
    x = np.random.default_rng(0).standard_normal((5, 3, 7))
    np.testing.assert_allclose(wrong_on_purpose.softmax_without_shift(x), core.softmax(x), rtol=1e-12)


def test_above_709_it_gives_nan_in_place_of_the_largest_weight():
    np.testing.assert_array_equal(wrong_on_purpose.softmax_without_shift(np.array([1000, 0])), [np.nan, 0])
    np.testing.assert_array_equal(core.softmax([1000, 0]), [1, 0])
    assert np.isfinite(wrong_on_purpose.softmax_without_shift(np.array([709, 700]))).all()
    assert np.isnan(wrong_on_purpose.softmax_without_shift(np.array([710, 700]))[0])


def test_ways_to_mask_worked_by_hand():
    # exponentials 1, 3 and 4, of which the last is blocked; in the second row all are
    scores, blocked = np.log([[1.0, 3, 4]] * 2), np.array([[False, False, True], [True] * 3])
    for weights, one, other in [
        (wrong_on_purpose.zero_after_softmax(scores, blocked), [1 / 8, 3 / 8, 0], [0, 0, 0]),
        (wrong_on_purpose.zero_and_renormalise(scores, blocked), [1 / 4, 3 / 4, 0], [0, 0, 0]),
        (wrong_on_purpose.softmax_of_zeroed_scores(scores, blocked), [1 / 5, 3 / 5, 1 / 5], [1 / 3] * 3),
        (wrong_on_purpose.soft_capped_after_mask(scores, blocked, 2.0), [0, 2 * np.tanh(np.log(3) / 2), -2], [-2] * 3),
    ]:
        np.testing.assert_allclose(weights, [one, other])


# Positions


def test_the_raw_exponent_counts_columns_for_pairs():
    # width 4 and base 16: exponents 0, 2/4, 4/4, 6/4, so that the angles are t, t/4, t/16, t/64
    found = wrong_on_purpose.positions_with_raw_exponent(3, 4, 16.0)
    np.testing.assert_allclose(found[2], [np.sin(2), np.cos(2 / 4), np.sin(2 / 16), np.cos(2 / 64)])


@pytest.mark.parametrize(("length", "width"), [(5, 2), (7, 6)])
def test_slices_are_right_for_an_even_width_and_stop_at_an_odd_one(length, width):
    np.testing.assert_array_equal(
        wrong_on_purpose.positions_by_slices(length, width), core.sinusoidal_positions(length, width)
    )
    assert wrong_on_purpose.complaint_about_slices(length, width) == ""
    assert wrong_on_purpose.complaint_about_slices(length, width + 1).startswith(
        "could not broadcast input array from shape"
    )


def test_either_pairing_is_right_by_itself_and_the_two_mixed_are_not():
    rng = np.random.default_rng(1)
    q, k = rng.standard_normal((5, 6)), rng.standard_normal((7, 6))
    here, there = (
        wrong_on_purpose.rotate_halves(q, offset=at) @ wrong_on_purpose.rotate_halves(k, offset=at).T for at in (0, 9)
    )
    np.testing.assert_allclose(here, there)
    mixed = [wrong_on_purpose.rope_products_of_mixed_pairs(q, k, offset=at) for at in (0, 9)]
    np.testing.assert_allclose(mixed[0], core.rotate(q) @ wrong_on_purpose.rotate_halves(k).T)
    assert np.abs(mixed[1] - mixed[0]).max() > 0.1
