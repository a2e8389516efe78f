"""Waves that are added, rotations of q and k, a penalty on distance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.equations.positions import alibi_slopes, apply_rope, frequencies, rope_phase, wavelengths
from attention_core.experiments.positions.position_kinds import shift_matrix
from tests.core.gradients import assert_gradient, drawer

T, S, K = 5, 7, 6
even_widths = st.integers(1, 15).map(lambda half: 2 * half)
bases = st.sampled_from([0.5, 1.0, 100.0, 10000.0, 500000.0])
offsets = st.integers(-50, 50)


def test_two_clocks_worked_by_hand():
    # width 4 and base 100: the first pair turns by 1 a token, the second by 100^(-2/4) = 1/10
    np.testing.assert_allclose(frequencies(4, 100), [1, 1 / 10])
    np.testing.assert_allclose(wavelengths(4, 100), [2 * np.pi, 20 * np.pi])
    np.testing.assert_allclose(frequencies(4), [1, 1 / 100])  # base 10000
    np.testing.assert_allclose(wavelengths(4), [2 * np.pi, 200 * np.pi])
    sin, cos = np.sin, np.cos
    np.testing.assert_allclose(
        core.sinusoidal_positions(3, 4, base=100),
        [[0, 1, 0, 1], [sin(1), cos(1), sin(0.1), cos(0.1)], [sin(2), cos(2), sin(0.2), cos(0.2)]],
    )


def test_an_odd_width_ends_on_a_sine():
    np.testing.assert_allclose(frequencies(3, 8), [1, 1 / 4])  # 8^(-2/3)
    encoding = core.sinusoidal_positions(2, 3, base=8)
    np.testing.assert_allclose(encoding, [[0, 1, 0], [np.sin(1), np.cos(1), np.sin(1 / 4)]])
    np.testing.assert_allclose(core.sinusoidal_positions(3, 1), np.sin([[0], [1], [2]]))


@given(st.integers(50, 60), offsets, even_widths, bases)
def test_a_later_position_is_the_earlier_one_times_a_matrix_that_does_not_know_where(position, offset, width, base):
    encoding = core.sinusoidal_positions(120, width, base)
    there = encoding[position] @ shift_matrix(offset, width, base)
    np.testing.assert_allclose(there, encoding[position + offset], atol=1e-9)


def test_a_rotation_worked_by_hand():
    # base 100, width 4: at position 2 the first pair turns by 2, the second by 0.2; (1, 0) goes to (cos, sin)
    x = [[1, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 1]]
    turned = core.rotate(x, base=100)
    np.testing.assert_allclose(turned[0], x[0])
    np.testing.assert_allclose(turned[2], [np.cos(2), np.sin(2), -np.sin(0.2), np.cos(0.2)])


@given(st.integers(0, 2**32 - 1), even_widths, offsets, bases)
def test_rotated_scores_depend_only_on_the_distance(seed, width, offset, base):
    draw = drawer(seed)
    q, k = draw(T, width), draw(S, width)
    here = core.rotate(q, base) @ core.rotate(k, base).T
    there = core.rotate(q, base, offset) @ core.rotate(k, base, offset).T
    np.testing.assert_allclose(there, here, atol=1e-9)
    same = np.ones((S, width))  # one word everywhere: what is left is the distance
    products = core.rotate(same, base) @ core.rotate(same, base).T
    for distance in range(S):
        np.testing.assert_allclose(np.diagonal(products, distance), products[0, distance], atol=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(0, 20))
def test_an_offset_rotates_the_rest_of_a_longer_sequence(seed, offset):
    x = drawer(seed)(offset + T, K)
    np.testing.assert_allclose(core.rotate(x[offset:], offset=offset), core.rotate(x)[offset:], atol=1e-12)


def test_the_gradient_of_a_rotation_is_the_rotation_back():
    draw = drawer()
    x, dout = draw(2, T, K), draw(2, T, K)
    assert_gradient(core.rotate, x, dout, apply_rope(dout, rope_phase(T, K, 10000.0, 0, "<f8").conj()))


def test_rotations_that_are_kept_for_the_next_call_cannot_be_written_into():
    phase = rope_phase(T, K, 10000.0, 0, "<f4")
    assert phase is rope_phase(T, K, 10000.0, 0, "<f4")
    with pytest.raises(ValueError, match="read-only"):
        phase[0] = 0


def test_alibi_worked_by_hand():
    # two heads: slopes 2^-4 and 2^-8
    np.testing.assert_array_equal(alibi_slopes(2), [1 / 16, 1 / 256])
    distance = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    np.testing.assert_array_equal(core.alibi_bias(2, 3), [-distance / 16, -distance / 256])
