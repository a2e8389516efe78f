"""A head that attends k words back, from positions alone."""

import numpy as np
import pytest

from attention_core.equations.positions import sinusoidal_positions
from attention_core.experiments.positions.look_back import look_back_head, weights_back
from attention_core.experiments.positions.position_kinds import added_positions
from attention_core.experiments.qkv.one_head import attend

T, D = 11, 64


@pytest.mark.parametrize("steps", [-3, 0, 1, 2, 5])
@pytest.mark.parametrize("offset", [0, 30, 57])
def test_each_query_attends_most_to_the_word_so_many_steps_back_wherever_the_text_starts(steps, offset):
    weights = attend(added_positions("sinusoidal", T, D, offset=offset), look_back_head(steps, D, 8.0)).weights
    rows = np.arange(T)
    inside = (rows >= steps) & (rows - steps < T)
    np.testing.assert_array_equal(weights.argmax(axis=-1)[inside], rows[inside] - steps)
    at_start = attend(added_positions("sinusoidal", T, D), look_back_head(steps, D, 8.0)).weights
    np.testing.assert_allclose(weights, at_start, atol=1e-12)


@pytest.mark.parametrize(("sharpness", "expected"), [(8, 0.58), (16, 0.81)])
def test_how_peaked_it_is(sharpness, expected):
    weights = attend(sinusoidal_positions(20, D), look_back_head(2, D, sharpness)).weights
    assert weights_back(weights, 2)[1:-2] == pytest.approx(expected, abs=0.01)


def test_without_positions_all_weights_are_the_same():
    weights = attend(added_positions("none", T, D), look_back_head(2, D, 16.0)).weights
    np.testing.assert_allclose(weights, 1 / T)


def test_weights_back_worked_by_hand():
    weights = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    np.testing.assert_array_equal(weights_back(weights, 1), [4, 8])
    np.testing.assert_array_equal(weights_back(weights, -2), [3])
    np.testing.assert_array_equal(weights_back(weights, 3), [])


def test_the_weight_back_of_weights_that_are_no_matrix():
    with pytest.raises(ValueError, match="weights"):
        weights_back([1.0, 2.0], 1)
