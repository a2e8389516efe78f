"""Each half of a block with its norm, its dropout and its residual path; its gradients are those of the whole model."""

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.norm import Norm
from attention_core.model.block import dropout_forward, residual_forward


@pytest.mark.parametrize(("order", "added", "out"), [("pre", [[-2, 2]], [[-1, 5]]), ("post", [[2, 6]], [[-1, 1]])])
def test_both_orders_worked_by_hand(order, added, out):
    # pre: norm [1, 3] = [-1, 1], twice that added. post: [1, 3] + [2, 6] = [3, 9], norm [-1, 1].
    config, norm = core.Config(2, 2, 1, 1, 3, norm=order), Norm(np.ones(2), np.zeros(2))
    cache = residual_forward(np.array([[1.0, 3]]), norm, lambda x: (2 * x, "doubled"), config)
    np.testing.assert_allclose(cache.added, added, rtol=1e-5)
    np.testing.assert_allclose(cache.out, out, rtol=1e-5)


def test_dropout_drops_its_share_and_raises_the_rest():
    x = np.ones((101, 103))
    out, kept = dropout_forward(x, 0.2, np.random.default_rng(0))
    np.testing.assert_array_equal(out, kept)
    np.testing.assert_array_equal(np.unique(kept), [0, 1 / (1 - 0.2)])
    assert abs((kept == 0).mean() - 0.2) < 0.02
    assert abs(out.mean() - 1) < 0.02
