"""How surprised the model is by the token that came."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import attention_core as core
from attention_core.equations.loss import cross_entropy_backward, cross_entropy_forward, target_weights
from tests.core.gradients import BATCHES, assert_gradient, drawer, frozen

N, V = 5, 7
TARGETS = frozen(np.array([3, 0, 6, 3, 1]))
some_logits = arrays(np.float64, (N, V), elements=st.floats(-1000, 1000))


def test_two_positions_worked_by_hand():
    # row 0: shares 1/4 and 3/4, the second came: ln 4/3. Row 1: equal shares, ln 2.
    loss, cache = cross_entropy_forward(np.array([[0, np.log(3)], [5, 5]]), np.array([1, 0]))
    np.testing.assert_allclose(cache.each, [np.log(4 / 3), np.log(2)])
    np.testing.assert_allclose(loss, (np.log(4 / 3) + np.log(2)) / 2)
    np.testing.assert_allclose(cache.probabilities, [[1 / 4, 3 / 4], [1 / 2, 1 / 2]])
    np.testing.assert_allclose(cross_entropy_backward(cache, 1 / 2), [[1 / 8, -1 / 8], [-1 / 4, 1 / 4]])


@given(some_logits)
def test_the_loss_is_minus_the_logarithm_of_the_share_of_the_target(logits):
    loss, cache = cross_entropy_forward(logits, TARGETS)
    shares = core.softmax(logits)
    np.testing.assert_allclose(cache.probabilities, shares, atol=1e-12)
    assert isinstance(loss, float)
    np.testing.assert_allclose(loss, cache.each.mean())
    possible = shares[np.arange(N), TARGETS] > 1e-300
    np.testing.assert_allclose(cache.each[possible], -np.log(shares[np.arange(N), TARGETS][possible]), atol=1e-9)
    assert (cache.each >= -1e-12).all()


@given(some_logits, st.data())
def test_adding_a_constant_to_each_row_changes_nothing(logits, data):
    constants = data.draw(arrays(np.float64, (N, 1), elements=st.floats(-1000, 1000)))
    loss, _ = cross_entropy_forward(logits + constants, TARGETS)
    np.testing.assert_allclose(loss, cross_entropy_forward(logits, TARGETS)[0], atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("far", [30, 100, 900])
def test_rows_that_lie_far_apart_keep_their_own_loss(far, dtype):
    row = np.log(np.array([1, 2, 5], dtype))
    _, cache = cross_entropy_forward(np.stack([row + far, row, row - far]), np.array([0, 1, 2]))
    np.testing.assert_allclose(cache.each, np.log([8, 4, 8 / 5]), rtol=1e-3)
    np.testing.assert_allclose(cache.probabilities, [[1 / 8, 2 / 8, 5 / 8]] * 3, rtol=1e-3)


def test_weights_of_classes_and_an_ignored_target_worked_by_hand():
    # ln 4/3 and ln 2 as above, weighted 3 and 1; the third is ignored: (3 ln 4/3 + ln 2) / 4
    logits, targets = [[0, np.log(3)], [5, 5], [7, 1]], [1, 0, -100]
    loss, each = core.cross_entropy(logits, targets, class_weights=[1, 3], ignore_index=-100)
    np.testing.assert_allclose(each, [3 * np.log(4 / 3), np.log(2), 0])
    assert loss == pytest.approx((3 * np.log(4 / 3) + np.log(2)) / 4)
    assert core.cross_entropy(logits[:2], targets[:2])[0] == pytest.approx((np.log(4 / 3) + np.log(2)) / 2)
    np.testing.assert_array_equal(target_weights(np.array(targets), np.array([1.0, 3]), -100), [3, 1, 0])
    np.testing.assert_array_equal(target_weights(np.array(targets), None, 1), [0, 1, 1])


@pytest.mark.parametrize("batch", BATCHES)
def test_a_loss_of_any_batch_axes_and_its_gradient_by_shares(batch):
    draw = drawer()
    logits, targets = draw(*batch, N, V), np.random.default_rng(4).integers(V, size=(*batch, N))
    weights = frozen(np.abs(draw(V)))
    loss, each = core.cross_entropy(logits, targets, weights, ignore_index=int(targets.flat[0]))
    assert each.shape == (*batch, N)
    rows, ids = logits.reshape(-1, V), targets.reshape(-1)
    shares = target_weights(ids, weights, int(targets.flat[0]))
    dlogits = cross_entropy_backward(cross_entropy_forward(rows, ids)[1], shares / shares.sum())

    def mean(x):
        return np.array(core.cross_entropy(x, targets, weights, int(targets.flat[0]))[0])

    assert_gradient(mean, logits, np.array(1.0), dlogits.reshape(logits.shape))
    assert loss == mean(logits)
