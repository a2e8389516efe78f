"""Mistakes made on purpose go wrong where, and only where, their lesson says."""

import numpy as np
import pytest

import attention_core as core
from attention_core.mistakes import softmax_without_shift
from tests.core.errors import check, says


def test_on_small_scores_the_textbook_softmax_is_right():
    np.testing.assert_allclose(softmax_without_shift([np.log(1), np.log(3), np.log(6)]), [0.1, 0.3, 0.6])
    x = np.random.default_rng(0).standard_normal((5, 3, 7))
    np.testing.assert_allclose(softmax_without_shift(x), core.softmax(x), rtol=1e-12)


def test_above_709_it_gives_nan_in_place_of_the_largest_weight():
    np.testing.assert_array_equal(softmax_without_shift([1000, 0]), [np.nan, 0])
    np.testing.assert_array_equal(core.softmax([1000, 0]), [1, 0])
    assert np.isfinite(softmax_without_shift([709, 700])).all()
    assert np.isnan(softmax_without_shift([710, 700])[0])


def test_far_below_zero_it_divides_nothing_by_nothing():
    assert np.isnan(softmax_without_shift([-1000, -1001])).all()
    np.testing.assert_allclose(core.softmax([-1000, -1001]), core.softmax([0, -1]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, int])
def test_it_overflows_at_the_same_score_whatever_the_type(dtype):
    assert softmax_without_shift(np.array([700, 0], dtype)).dtype == np.float64
    assert np.isfinite(softmax_without_shift(np.array([700, 0], dtype))).all()


def test_only_the_row_that_overflows_is_spoilt():
    weights = softmax_without_shift([[1000, 1, 2], [3, 1, 2]])
    assert np.isnan(weights).any(axis=-1).tolist() == [True, False]
    np.testing.assert_allclose(weights[1].sum(), 1)


@says((lambda: softmax_without_shift(3.0), "x must have at least 1 axes, got shape ()"))
def test_bad_input_says_what_is_wrong(call, message):
    check(call, message)
