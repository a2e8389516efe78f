"""What a shuffle or another order of work moves, and what not."""

import numpy as np
import pytest

from attention_core.equations.masks import additive_mask, block_mask, causal_mask, prefix_mask, sliding_window_mask
from attention_core.experiments.masks.dependence import rows_one_by_one, weight_on_blocked
from attention_core.experiments.qkv.one_head import attend, random_head
from attention_core.rows import reorder, row_distances, shuffled_order
from tests.core.gradients import frozen

MASKS = [causal_mask(7), sliding_window_mask(7, 3), prefix_mask(7, 2), block_mask(7, 3), np.zeros((7, 7), bool)]
masks = pytest.mark.parametrize("blocked", MASKS, ids=["causal", "window", "prefix", "block", "none"])


@pytest.fixture
def scene():
    rng = np.random.default_rng(0)
    return frozen(rng.standard_normal((7, 5))), random_head(5, 3, 1, 2)


def test_weight_on_blocked_worked_by_hand():
    np.testing.assert_allclose(weight_on_blocked([[0.5, 0.25, 0.25], [0, 1, 0]], causal_mask(3)[:2]), [0.5, 0])


@masks
def test_rows_computed_alone_in_any_order_are_those_of_all_at_once(scene, blocked):
    x, head = scene
    mask = additive_mask(blocked)
    rows = [5, 0, 6, 3]
    alone = rows_one_by_one(x, head, mask, rows)
    weights = attend(x, head, mask).weights
    np.testing.assert_allclose(alone, weights[rows], rtol=0, atol=1e-15)


@pytest.mark.promise("causal_mask 4")
def test_without_a_mask_a_shuffle_only_permutes_and_under_a_causal_one_it_does_not(scene):
    x, head = scene
    order = shuffled_order(7, 1)

    def away(mask):
        back = attend(reorder(x, order), head, mask).output[np.argsort(order)]
        return row_distances(attend(x, head, mask).output, back)

    assert away(None).max() < 1e-12
    assert away(additive_mask(causal_mask(7))).min() > 1e-6
