"""Several attentions side by side, each with its own columns."""

import numpy as np

from attention_core.equations.heads import Heads, heads_forward


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
