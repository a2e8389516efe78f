"""Each position on its own, out to a wider layer, through a bend, and back."""

import numpy as np

from attention_core.equations.feed_forward import FeedForward, feed_forward_backward, feed_forward_forward


def test_a_relu_layer_worked_by_hand():
    # [1, 2] @ w1 + b1 = [3, 1] + [0, -2] = [3, -1]; the bend makes it [3, 0]; @ w2 + b2 = [6, 0] + [1, 1]
    params = FeedForward(*map(np.array, ([[1.0, -1], [1, 1]], [0.0, -2], [[2.0, 0], [5, 7]], [1.0, 1])))
    out, cache = feed_forward_forward(np.array([[1.0, 2]]), params, "relu")
    np.testing.assert_array_equal(cache.hidden, [[3, 0]])
    np.testing.assert_array_equal(cache.slope, [[1, 0]])
    np.testing.assert_array_equal(out, [[7, 1]])
    # backwards: [1, 0] @ w2ᵀ = [2, 5], of which the bend lets [2, 0] pass; @ w1ᵀ = [2, 2]
    dx, grads = feed_forward_backward(np.array([[1.0, 0]]), cache)
    np.testing.assert_array_equal(dx, [[2, 2]])
    for found, expected in zip(grads, ([[2, 0], [4, 0]], [2, 0], [[3, 0], [0, 0]], [1, 0]), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_a_gated_layer_worked_by_hand():
    # gate relu([2, -1]) = [2, 0], up [3, 5]: hidden [6, 0]; @ w_down = 6 * [1, 10]
    params = FeedForward(np.array([[2.0, -1, 3, 5]]), None, np.array([[1.0, 10], [7, 7]]), None)
    np.testing.assert_array_equal(feed_forward_forward(np.ones((1, 1)), params, "relu")[0], [[6, 60]])
