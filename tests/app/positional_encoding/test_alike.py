"""p · p: every position times every other."""

from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.multi_head.english_heads import trained_positions
from attention_core.experiments.positions.position_kinds import added_positions
from attention_core.experiments.positions.position_similarity import cosine_matrix
from tests.app.positional_encoding.scene import WIDTH, close, matrix
from tests.app.steps import step

show = partial(step, "positional_encoding", "alike")


def test_tutorial_001_finds_its_two_products():
    waves = core.sinusoidal_positions(20, 64)
    seen = matrix(show())
    close(seen, waves @ waves.T)
    np.testing.assert_allclose(seen[0, [1, 19]], [30.917, 19.974], atol=0.0005)


@pytest.mark.parametrize("base", [10.0, 10000.0, 1000000.0])
@pytest.mark.parametrize("width", [8, 64, 128])
def test_neighbours_are_similar_but_a_larger_distance_need_not_give_a_smaller_product(width, base):
    waves = core.sinusoidal_positions(256, width, base)
    products = waves[0] @ waves.T
    assert products.argmax() == 0
    assert products[1] > 0.8 * products[0]
    assert (np.diff(products) > 0).any()


def test_training_makes_neighbours_similar_and_random_rows_are_not():
    cosines = [cosine_matrix(table) for table in (trained_positions(32), added_positions("learned", 32, WIDTH))]
    neighbours = [np.diagonal(table, 1).mean() for table in cosines]
    assert neighbours[0] > 0.9
    assert abs(neighbours[1]) < 0.1
