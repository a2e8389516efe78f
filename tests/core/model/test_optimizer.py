"""AdamW and the learning rate: their first steps by hand, and what decays."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.model.optimizer import AT_A_TIME, adamw_update, learning_rate_at
from tests.core.gradients import drawer

SMALL = core.Config(5, 6, 3, 2, 7, d_ff=11)
LARGE = core.Config(53, 46, 2, 2, 7, d_ff=97)  # more numbers than are updated at a time, and no multiple of them


def zeros(config=SMALL, dtype=np.float64):
    """Return a model of zeros and its optimiser, so that what stands there afterwards is the step."""
    model = core.init_model(config, dtype=dtype)
    model.flat[:] = 0
    return model, core.AdamW.of(model)


def test_the_first_step_is_the_rate_against_the_sign_of_the_gradient():
    # mean / correction = g and √(square / correction) = |g|, however large the gradient is
    model, state = zeros()
    gradient = np.resize([3.0, -0.25, 1e4, -1e-3], model.flat.size)
    adamw_update(model, state, gradient, rate=0.01, decay=0)
    np.testing.assert_allclose(model.flat, -0.01 * np.sign(gradient), rtol=2e-5)
    np.testing.assert_allclose(state.mean, 0.1 * gradient)
    np.testing.assert_allclose(state.square, 0.05 * gradient**2)
    assert state.step == 1


@given(shrink=st.floats(0.01, 1))
def test_clipping_is_a_smaller_gradient(shrink):
    gradient = drawer(1)(zeros()[0].flat.size)
    (clipped, memory), (plain, expected) = zeros(), zeros()
    adamw_update(clipped, memory, gradient, 0.1, shrink=shrink)
    adamw_update(plain, expected, gradient * shrink, 0.1)
    np.testing.assert_allclose(memory.mean, expected.mean)
    np.testing.assert_allclose(memory.square, expected.square)
    np.testing.assert_allclose(clipped.flat, plain.flat)


def test_it_is_the_textbook_update_on_every_part_of_a_long_vector():
    model, state = zeros(LARGE)
    draw = drawer(2)
    model.flat[:] = draw(model.flat.size)
    assert model.flat.size > AT_A_TIME
    assert model.flat.size % AT_A_TIME
    flat, mean, square = model.flat.copy(), np.zeros(model.flat.size), np.zeros(model.flat.size)
    decays = np.arange(flat.size) < model.n_matrix
    for step in range(1, 8):
        gradient, rate = draw(flat.size), 0.1 / step
        adamw_update(model, state, gradient, rate, decay=0.3, betas=(0.8, 0.9), epsilon=1e-3)
        mean, square = 0.8 * mean + 0.2 * gradient, 0.9 * square + 0.1 * gradient**2
        flat -= rate * 0.3 * decays * flat
        flat -= rate * (mean / (1 - 0.8**step)) / (np.sqrt(square / (1 - 0.9**step)) + 1e-3)
        np.testing.assert_allclose(model.flat, flat, rtol=1e-11, atol=1e-12)


def test_the_gradient_is_only_read_and_float32_stays_float32():
    model, state = zeros(dtype=np.float32)
    flat, gradient = model.flat, drawer(3, np.float32)(model.flat.size)  # read-only
    adamw_update(model, state, gradient, rate=0.1, shrink=0.5)
    assert model.flat is flat
    assert {array.dtype for array in (flat, state.mean, state.square)} == {np.dtype(np.float32)}


def test_the_rate_goes_up_in_a_line_and_down_along_half_a_cosine_to_a_tenth():
    rates = [learning_rate_at(step, steps=10, peak=2.0, warmup=2) for step in range(1, 11)]
    assert rates[:2] == [1.0, 2.0]
    # halfway down, at step 6, the cosine is 0: 2 * (.1 + .9 / 2); a quarter down, at step 4, it is √½
    assert rates[5] == pytest.approx(1.1)
    assert rates[3] == pytest.approx(2 * (0.1 + 0.9 * (1 + math.sqrt(0.5)) / 2))
    assert rates[9] == pytest.approx(0.2)
