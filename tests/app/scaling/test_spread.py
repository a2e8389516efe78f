"""spread: the variance along d_k."""

import numpy as np
import pytest

from attention_core.experiments.scaling.random_scores import products_of_many
from tests.app.scaling.scene import SEED, step


@pytest.mark.parametrize(("variant", "variance"), [(0, 16), (1, 64), (2, 1), (3, 256), (4, 1)])
def test_the_variance_is_d_k_and_divided_by_its_root_1(variant, variance):
    assert step("scaling", "spread", variants={"variance": variant}).question("variance").right == variance


def test_the_variance_is_the_mean_of_the_squares_because_the_mean_is_0():
    scores = products_of_many(64, 8, SEED, 100)
    assert abs(scores.mean()) < 4 * 8 / np.sqrt(100 * 16)  # a few times what chance may do
    assert np.square(scores).mean() == pytest.approx(scores.var(), rel=0.01)
