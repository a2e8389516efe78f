"""A head that attends k words back, from positions alone."""

import numpy as np
import pytest

from attention_core.experiments.positions.position_kinds import added_positions, look_back_head
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
