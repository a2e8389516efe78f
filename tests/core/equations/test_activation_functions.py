"""Activations and their slopes: GELU in both forms, ReLU, SiLU."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.equations.activation_functions import CHUNK, gelu_erf_forward, gelu_forward, silu_forward
from tests.core.gradients import drawer


def test_silu_is_x_over_one_plus_e_to_minus_x():
    x = np.array([-800.0, -1, 0, 2, 800])
    np.testing.assert_allclose(silu_forward(x)[0], [0, -1 / (1 + np.e), 0, 2 / (1 + np.exp(-2)), 800])


def test_swish_is_silu_with_another_slope_at_zero():
    x = drawer()(7)
    value, slope = silu_forward(x, 3.0)
    np.testing.assert_allclose(value, x / (1 + np.exp(-3 * x)))
    above, below = (silu_forward(x + move, 3.0)[0] for move in (1e-5, -1e-5))
    np.testing.assert_allclose(slope, (above - below) / 2e-5, atol=1e-8)


@given(st.floats(-8, 8), st.sampled_from([gelu_forward, gelu_erf_forward]))
def test_the_slope_of_gelu_is_its_derivative(x, form):
    (above, below), _ = form(np.array([x + 1e-5, x - 1e-5]))
    np.testing.assert_allclose(form(np.array([x]))[1], (above - below) / 2e-5, atol=1e-8)


def test_gelu_is_the_form_by_tanh_close_to_that_by_erf():
    x = np.linspace(-6, 6, 1201)
    by_erf, slopes = gelu_erf_forward(x)
    np.testing.assert_allclose(by_erf, [value * (1 + math.erf(value / math.sqrt(2))) / 2 for value in x], atol=1e-15)
    assert 4.7e-4 < np.abs(gelu_forward(x)[0] - by_erf).max() < 5e-4
    # a share of 0.8413 of all normal numbers is below 1, where their density is 0.2420
    np.testing.assert_allclose([by_erf[700], slopes[700]], [0.8413447461, 0.8413447461 + 0.2419707245])


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3])
def test_gelu_in_chunks_is_gelu(size):
    x = drawer()(size)
    values, slopes = gelu_forward(x)
    bend = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
    np.testing.assert_allclose(values, x * (1 + bend) / 2, atol=1e-12)
    np.testing.assert_allclose(slopes[-3:], gelu_forward(x[-3:])[1])
