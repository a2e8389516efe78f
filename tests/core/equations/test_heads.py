"""Several attentions side by side, each with its own columns."""

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.heads import Heads, heads_forward
from attention_core.equations.positions import rope_phase
from tests.core.gradients import BATCHES, drawer, frozen

T, H, K = 5, 3, 2
D = H * K
both_rotations = pytest.mark.parametrize("rotated", [False, True])


def masks():
    """Return no mask, a causal one, and one for each head that blocks a whole row of one of them."""
    of_heads = np.where(drawer(1)(H, T, T) > 0, -np.inf, drawer(2)(H, T, T))
    of_heads[1, 2] = -np.inf
    return None, core.additive_mask(core.causal_mask(T)), frozen(of_heads)


every_mask = pytest.mark.parametrize("which", [0, 1, 2], ids=["no mask", "causal", "a mask for each head"])


def test_two_heads_of_width_one_worked_by_hand():
    # q = k = v = x. Head 0 reads [0, √ln 3]: scores [0, 0] and [0, ln 3], shares [1/2, 1/2] and [1/4, 3/4].
    # Head 1 reads [1, 1]: whatever its shares, it answers 1. w_o swaps the two.
    root = np.sqrt(np.log(3))
    params = Heads(np.hstack([np.eye(2)] * 3), np.array([[0.0, 1], [1, 0]]))
    out, cache = heads_forward(np.array([[0, 1], [root, 1]]), params, 2)
    np.testing.assert_allclose(cache.attention.weights[0], [[1 / 2, 1 / 2], [1 / 4, 3 / 4]])
    np.testing.assert_allclose(cache.merged, [[root / 2, 1], [root * 3 / 4, 1]])
    np.testing.assert_allclose(out, [[1, root / 2], [1, root * 3 / 4]])


def test_biases_worked_by_hand():
    # One head of width 1, x = [0, ln 3]: q = 0 + 1, k = x + 2, v = x + 10. Scores 2 and 2 + ln 3: shares 1/4 and 3/4.
    # The output is 10 + 3/4 ln 3, times w_o = 2, and b_o = 100 more. Without b_q, all shares of row 0 would be 1/2.
    params = Heads(np.array([[0.0, 1, 1]]), np.array([[2.0]]), np.array([1.0, 2, 10]), np.array([100.0]))
    out, cache = heads_forward(np.array([[0], [np.log(3)]]), params, 1)
    np.testing.assert_allclose(cache.attention.scores, [[[2, 2 + np.log(3)]] * 2])
    np.testing.assert_allclose(cache.attention.weights, [[[1 / 4, 3 / 4]] * 2])
    np.testing.assert_allclose(out, [[120 + 1.5 * np.log(3)]] * 2)


@every_mask
@both_rotations
@pytest.mark.parametrize("batch", BATCHES)
def test_heads_are_attentions_side_by_side(batch, rotated, which):
    draw = drawer()
    x, params, mask = draw(*batch, T, D), Heads(draw(D, 3 * D), draw(D, D)), masks()[which]
    out, cache = heads_forward(x, params, H, mask, rope_phase(T, K, 10000.0, 0, "<f8") if rotated else None)
    assert out.shape == x.shape
    w_q, w_k, w_v = np.split(params.w_qkv, 3, axis=1)
    merged = np.empty_like(x)
    for head in range(H):
        columns = slice(head * K, (head + 1) * K)
        q, k, v = (x @ w[:, columns] for w in (w_q, w_k, w_v))
        if rotated:
            q, k = core.rotate(q), core.rotate(k)
        own = mask[head] if which == 2 else mask
        merged[..., columns], weights = core.scaled_dot_product_attention(q, k, v, own)
        np.testing.assert_allclose(cache.attention.weights[..., head, :, :], weights, atol=1e-15)
    np.testing.assert_allclose(cache.merged, merged)
    np.testing.assert_allclose(out, merged @ params.w_o)
