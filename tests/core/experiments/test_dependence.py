"""What a shuffle or another order of work moves, and what not."""

import numpy as np
import pytest

from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.experiments.masks.dependence import weight_on_blocked
from attention_core.experiments.qkv.one_head import attend, random_head
from attention_core.rows import reorder, row_distances
from tests.core.gradients import frozen


@pytest.fixture
def scene():
    rng = np.random.default_rng(0)
    return frozen(rng.standard_normal((7, 5))), random_head(5, 3, 1, 2)


def test_weight_on_blocked_worked_by_hand():
    np.testing.assert_allclose(weight_on_blocked([[0.5, 0.25, 0.25], [0, 1, 0]], causal_mask(3)[:2]), [0.5, 0])


@pytest.mark.promise("causal_mask 4")
def test_without_a_mask_a_shuffle_only_permutes_and_under_a_causal_one_it_does_not(scene):
    x, head = scene
    order = np.array([5, 0, 1, 4, 2, 6, 3])

    def away(mask):
        back = attend(reorder(x, order), head, mask).output[np.argsort(order)]
        return row_distances(attend(x, head, mask).output, back)

    assert away(None).max() < 1e-12
    assert away(additive_mask(causal_mask(7))).min() > 1e-6
