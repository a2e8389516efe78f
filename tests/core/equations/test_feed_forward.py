"""Each position on its own, out to a wider layer, through a bend, and back."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.equations.feed_forward import (
    CHUNK,
    FeedForward,
    GatedFeedForward,
    feed_forward_backward,
    feed_forward_forward,
    gated_forward,
    gelu_erf_forward,
    gelu_forward,
    silu_forward,
)
from tests.core.gradients import BATCHES, drawer

T, D, F = 5, 3, 7
every_activation = pytest.mark.parametrize("activation", ["gelu", "gelu_erf", "relu", "silu"])


def gelu(x, form=gelu_forward):
    """Return the values and the slopes of GELU, and leave x alone."""
    slope = np.empty(np.shape(x))
    return form(np.array(x, np.float64), slope), slope


def test_a_relu_layer_worked_by_hand():
    # [1, 2] @ w1 + b1 = [3, 1] + [0, -2] = [3, -1]; the bend makes it [3, 0]; @ w2 + b2 = [6, 0] + [1, 1]
    params = FeedForward(*map(np.array, ([[1.0, -1], [1, 1]], [0.0, -2], [[2.0, 0], [5, 7]], [1.0, 1])))
    out, cache = feed_forward_forward(np.array([[1.0, 2]]), params, "relu")
    np.testing.assert_array_equal(cache.hidden, [[3, 0]])
    np.testing.assert_array_equal(cache.slope, [[1, 0]])
    np.testing.assert_array_equal(out, [[7, 1]])
    # backwards: [1, 0] @ w2ᵀ = [2, 5], of which the bend lets [2, 0] pass; @ w1ᵀ = [2, 2]
    dx, grads = feed_forward_backward(np.array([[1.0, 0]]), cache)
    np.testing.assert_array_equal(dx, [[2, 2]])
    for found, expected in zip(grads, ([[2, 0], [4, 0]], [2, 0], [[3, 0], [0, 0]], [1, 0]), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_silu_is_x_over_one_plus_e_to_minus_x():
    x = np.array([-800.0, -1, 0, 2, 800])
    np.testing.assert_allclose(silu_forward(x.copy(), np.empty(5)), [0, -1 / (1 + np.e), 0, 2 / (1 + np.exp(-2)), 800])


def test_a_gated_layer_worked_by_hand():
    # gate relu([2, -1]) = [2, 0], up [3, 5]: hidden [6, 0]; @ w_down = 6 * [1, 10]
    params = GatedFeedForward(np.array([[2.0, -1, 3, 5]]), np.array([[1.0, 10], [7, 7]]))
    np.testing.assert_array_equal(gated_forward(np.ones((1, 1)), params, "relu")[0], [[6, 60]])


@given(st.floats(-8, 8), st.sampled_from([gelu_forward, gelu_erf_forward]))
def test_the_slope_of_gelu_is_its_derivative(x, form):
    (above, below), _ = gelu([x + 1e-5, x - 1e-5], form)
    np.testing.assert_allclose(gelu([x], form)[1], (above - below) / 2e-5, atol=1e-8)


def test_gelu_is_the_form_by_tanh_close_to_that_by_erf():
    x = np.linspace(-6, 6, 1201)
    by_erf, slopes = gelu(x, gelu_erf_forward)
    np.testing.assert_allclose(by_erf, [value * (1 + math.erf(value / math.sqrt(2))) / 2 for value in x], atol=1e-15)
    assert 4.7e-4 < np.abs(gelu(x)[0] - by_erf).max() < 5e-4
    # a share of 0.8413 of all normal numbers is below 1, where their density is 0.2420
    np.testing.assert_allclose([by_erf[700], slopes[700]], [0.8413447461, 0.8413447461 + 0.2419707245])


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3])
def test_gelu_in_chunks_is_gelu(size):
    x = drawer()(size)
    values, slopes = gelu(x)
    bend = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
    np.testing.assert_allclose(values, x * (1 + bend) / 2, atol=1e-12)
    np.testing.assert_allclose(slopes[-3:], gelu(x[-3:])[1])


@every_activation
@pytest.mark.parametrize("batch", BATCHES)
def test_each_position_is_on_its_own(batch, activation):
    draw = drawer()
    x, params = draw(*batch, T, D), FeedForward(draw(D, F), draw(F), draw(F, D), draw(D))
    out, _ = feed_forward_forward(x, params, activation)
    assert out.shape == x.shape
    for index in np.ndindex(*batch, T):
        raw = x[index] @ params.w1 + params.b1
        bent = {"gelu": gelu(raw)[0], "relu": raw.clip(0), "silu": raw / (1 + np.exp(-raw))}
        bent["gelu_erf"] = gelu(raw, gelu_erf_forward)[0]
        np.testing.assert_allclose(out[index], bent[activation] @ params.w2 + params.b2)
