"""softmax(q kᵀ / √K + mask) v, and its gradient."""

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.attention import attention_backward, attention_forward
from attention_core.equations.softmax import softmax_forward
from tests.core.gradients import BATCHES, drawer, frozen

T, S, K, V = 5, 7, 3, 2
INF = np.inf


def drawn(*batch):
    """Return q, k and v with these batch axes."""
    draw = drawer()
    return draw(*batch, T, K), draw(*batch, S, K), draw(*batch, S, V)


def some_blocked():
    """Return an additive mask (T, S) of which one row sees nothing and another one key only."""
    mask = np.where(drawer(1)(T, S) > 0, -INF, 0.0)
    mask[2], mask[3] = -INF, -INF
    mask[3, 4] = 0
    return frozen(mask)


def test_one_question_to_two_keys_worked_by_hand():
    # scores = [0, 2 ln 3] / √4 = [0, ln 3]; shares = 1/4 and 3/4; output = 8/4 + 4 * 3/4
    q, k = [[2, 0, 0, 0]], [[0, 0, 0, 0], [np.log(3), 0, 0, 0]]
    output, weights = core.scaled_dot_product_attention(q, k, [[8], [4]])
    np.testing.assert_allclose(weights, [[1 / 4, 3 / 4]])
    np.testing.assert_allclose(output, [[5]])


def test_a_row_in_which_all_is_blocked_gives_zeros_and_hands_no_gradient_on():
    q, k, v = drawn()
    cache = attention_forward(q, k, v, some_blocked())
    assert (cache.weights[2] == 0).all()
    assert (cache.output[2] == 0).all()
    dq, _, _ = attention_backward(drawer(2)(T, V), cache)
    assert (dq[2] == 0).all()


@pytest.mark.parametrize(("score", "added"), [(-2e38, -2e38), (2e38, 2e38)])
def test_a_row_that_its_mask_makes_overflow_is_no_blocked_row(score, added):
    q, k, v = np.float32([[score]]), np.ones((S, 1), np.float32), np.ones((S, 2), np.float32)
    with pytest.raises(ValueError, match="mask must keep the scores finite"):
        core.scaled_dot_product_attention(q, k, v, np.float32([added]))
    for far in (-INF, -3e38):  # one cell that overflows is as good as blocked
        mask = np.where(np.arange(S) == 4, 0, far).astype(np.float32)
        np.testing.assert_array_equal(core.scaled_dot_product_attention(-abs(q), k, v, mask)[1][0], np.arange(S) == 4)


def test_scale_replaces_one_over_the_root_of_the_width():
    q, k, v = drawn()
    by_default, _ = core.scaled_dot_product_attention(q, k, v)
    np.testing.assert_allclose(core.scaled_dot_product_attention(q, k, v, scale=K**-0.5)[0], by_default)
    np.testing.assert_allclose(core.scaled_dot_product_attention(q * K**-0.5, k, v, scale=1)[0], by_default)
    np.testing.assert_allclose(core.scaled_dot_product_attention(q, k, v, scale=0)[0], [v.mean(axis=0)] * T)


def test_a_softcap_worked_by_hand():
    # scores [0, 4 ln 3]: capped at 2, 2 tanh(ln 9) = 2 (81 - 1) / (81 + 1) = 80/41
    q, k = [[4, 0]], [[0, 0], [np.log(3), 0]]
    _, weights = core.scaled_dot_product_attention(q, k, [[8], [4]], scale=1, softcap=2)
    np.testing.assert_allclose(weights, core.softmax([[0, 80 / 41]]))


def test_a_softcap_stands_before_the_mask_so_that_what_is_blocked_stays_so():
    q, k, v = drawn(2)
    _, weights = core.scaled_dot_product_attention(q, k, v, some_blocked(), softcap=0.5)
    np.testing.assert_allclose(weights, softmax_forward(0.5 * np.tanh(q @ k.mT / np.sqrt(K) / 0.5), some_blocked()))
    assert (weights[:, some_blocked() == -INF] == 0).all()


def test_a_sink_worked_by_hand():
    # e^0, e^(ln 3) and the sink's e^(ln 4): of 8 parts it takes 4, and gives nothing for them
    q, k = [[2, 0, 0, 0]], [[0, 0, 0, 0], [np.log(3), 0, 0, 0]]
    output, weights = core.scaled_dot_product_attention(q, k, [[8], [4]], sink=np.log(4))
    np.testing.assert_allclose(weights, [[1 / 8, 3 / 8]])
    np.testing.assert_allclose(output, [[8 / 8 + 4 * 3 / 8]])


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("size", [1, 300])
def test_a_sink_is_a_key_of_that_score_whose_value_is_zero(batch, size):
    q, k, v = drawn(*batch)
    sink = size * drawer(3)(*batch)
    with_key = [np.concatenate([np.zeros_like(x[..., :1, :]), x], axis=-2) for x in (k, v)]
    columns = np.broadcast_to(sink[..., None, None], (*batch, T, 1)), np.broadcast_to(some_blocked(), (*batch, T, S))
    mask = np.concatenate(columns, axis=-1)
    output, weights = core.scaled_dot_product_attention(q, *with_key, mask)
    found, own = core.scaled_dot_product_attention(q, k, v, some_blocked(), sink=sink)
    np.testing.assert_allclose(found, output, atol=1e-12)
    np.testing.assert_allclose(own, weights[..., 1:], atol=1e-12)
    assert (found[..., 2, :] == 0).all()


def test_heads_may_share_a_sink_or_have_one_each():
    q, k, v = drawn(3, 2)
    output, weights = core.scaled_dot_product_attention(q, k, v, sink=[0.5, -1e9])
    np.testing.assert_allclose(output[:, 1], core.scaled_dot_product_attention(q[:, 1], k[:, 1], v[:, 1])[0])
    np.testing.assert_allclose(output[:, 0], core.scaled_dot_product_attention(q[:, 0], k[:, 0], v[:, 0], sink=0.5)[0])
    assert weights.shape == (3, 2, T, S)


@pytest.mark.parametrize("dtype", [">f2", "<f2", ">f4", ">f8"])
def test_the_order_of_the_bytes_changes_nothing(dtype):
    scores = np.array([30, 29, 0], dtype)
    np.testing.assert_allclose(core.softmax(scores), core.softmax([30, 29, 0]), rtol=1e-6, atol=1e-12)
    q = np.full((2, 4), 4, dtype)
    output, weights = core.scaled_dot_product_attention(q, q, q)
    np.testing.assert_array_equal(weights, np.full((2, 2), 0.5))
    np.testing.assert_array_equal(output, core.flash_attention(q, q, q))
    assert output.dtype.isnative
