"""Each row is brought to mean 0 and variance 1, then stretched and shifted."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from tests.core.gradients import drawer

T, D = 5, 7


def test_two_numbers_worked_by_hand():
    # mean 2, variance 1: normalised -1 and 1, then * [2, 5] + [10, -1]
    np.testing.assert_allclose(core.layer_norm([1, 3], [2, 5], [10, -1]), [8, 4], rtol=1e-5)


def test_epsilon_stands_under_the_root_worked_by_hand():
    # mean 0, variance 3e-5: divided by √(3e-5 + 1e-5) = √40 / 1000
    x = np.sqrt(30) / 1000
    np.testing.assert_allclose(core.layer_norm([x, -x], [1, 1], [0, 0]), [np.sqrt(3 / 4), -np.sqrt(3 / 4)])
    # the root of 9 + 16
    np.testing.assert_allclose(core.layer_norm([3, -3], [1, 1], [0, 0], epsilon=16), [3 / 5, -3 / 5])


def test_rms_norm_worked_by_hand():
    # the root of (1 + 49) / 2 is 5; with epsilon 11 under it, 6
    np.testing.assert_allclose(core.rms_norm([1, -7], [1, 10]), [1 / 5, -14], rtol=1e-6)
    np.testing.assert_allclose(core.rms_norm([[1, -7]], [1, 10], epsilon=11), [[1 / 6, -70 / 6]])


@given(st.integers(0, 2**32 - 1), st.floats(-1000, 1000), st.floats(1, 1000))
def test_neither_a_shift_nor_a_stretch_of_a_row_changes_anything(seed, shift, stretch):
    draw = drawer(seed)
    x, norm = draw(T, D), (draw(D), draw(D))
    before = core.layer_norm(x, *norm)
    np.testing.assert_allclose(core.layer_norm(x + shift, *norm), before, atol=1e-9)
    np.testing.assert_allclose(core.layer_norm(x * stretch, *norm), before, atol=1e-3)  # epsilon does not stretch


def test_huge_float32_rows_keep_their_shape():
    x = np.array([[10001, 10003], [-1e4, 1e4]], np.float32)
    one, zero = np.ones(2, np.float32), np.zeros(2, np.float32)
    np.testing.assert_allclose(core.layer_norm(x, one, zero), [[-1, 1], [-1, 1]], rtol=1e-3)
