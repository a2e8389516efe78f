"""Scores of any size become shares that sum to one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import attention_core as core
from tests.core.gradients import drawer

T, S = 5, 7
INF = np.inf
matrices = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=7), elements=st.floats(-1000, 1000))


def test_three_scores_worked_by_hand():
    # e^0, e^(ln 2), e^(ln 5) = 1, 2, 5, and their sum is 8
    np.testing.assert_allclose(core.softmax([0, np.log(2), np.log(5)]), [1 / 8, 2 / 8, 5 / 8])


@given(matrices)
def test_rows_sum_to_one_and_hold_no_negative_share(scores):
    shares = core.softmax(scores)
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=-1), 1)


@given(matrices, st.data())
def test_adding_a_constant_to_each_row_changes_nothing(scores, data):
    constants = data.draw(arrays(np.float64, (len(scores), 1), elements=st.floats(-1000, 1000)))
    np.testing.assert_allclose(core.softmax(scores + constants), core.softmax(scores), atol=1e-12)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_any_axis_may_be_the_one_that_sums_to_one(axis):
    scores = drawer()(3, T, S)
    shares = core.softmax(scores, axis=axis)
    np.testing.assert_allclose(shares.sum(axis=axis), 1)
    np.testing.assert_allclose(shares, np.exp(scores) / np.exp(scores).sum(axis=axis, keepdims=True))


def test_huge_float32_scores_neither_overflow_nor_vanish():
    scores = np.array([[1e4, 1e4, -1e4], [-1e4, -1e4, -1e4], [1e4, 0, -1e4]], np.float32)
    third = np.float32(1) / 3
    np.testing.assert_allclose(core.softmax(scores), [[0.5, 0.5, 0], [third, third, third], [1, 0, 0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_that_lie_far_apart_keep_their_own_shares(dtype):
    row = np.log(np.array([1, 2, 5], dtype))
    scores = np.stack([row + 900, row, row - 60, row - 900])
    np.testing.assert_allclose(core.softmax(scores), [[1 / 8, 2 / 8, 5 / 8]] * 4, rtol=1e-4)


def test_rows_of_minus_infinity_give_zeros_beside_rows_that_do_not():
    scores = np.array([[-INF, -INF], [0, -INF], [-900, -900]])
    np.testing.assert_array_equal(core.softmax(scores), [[0, 0], [1, 0], [0.5, 0.5]])
    np.testing.assert_array_equal(core.softmax(np.full((T, S), -INF)), np.zeros((T, S)))
