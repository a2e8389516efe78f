"""A head that attends k words back, from positions alone."""

import numpy as np
import pytest

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


def test_weights_back_worked_by_hand():
    weights = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    np.testing.assert_array_equal(weights_back(weights, 1), [4, 8])
    np.testing.assert_array_equal(weights_back(weights, -2), [3])
    np.testing.assert_array_equal(weights_back(weights, 3), [])
