"""What a Llama has in other places: RMSNorm, a gated layer with SiLU, keys and values that heads share."""

import numpy as np
import pytest

from attention_core.equations.feed_forward import GatedFeedForward, gated_backward, gated_forward, silu_forward
from attention_core.equations.heads import Heads, heads_backward, heads_forward
from attention_core.equations.norm import Norm, norm_backward, norm_forward
from attention_core.equations.positions import rope_angles
from tests.core.gradients import BATCHES, assert_all_float32, assert_gradient, drawer

T, D, F, H, K = 5, 12, 7, 6, 2
every_batch = pytest.mark.parametrize("batch", BATCHES)


def layers(draw):
    """Return each layer by its name: its parameters, its forward pass with an allocator, and its backward pass."""
    phase = rope_angles(T, K, 50.0, 0, np.dtype(draw().dtype).str)
    return {
        "norm": (Norm(draw(D), None), norm_forward, norm_backward),
        "gated": (GatedFeedForward(draw(D, 2 * F), draw(F, D)), gated_forward, gated_backward),
        **{
            f"{groups} groups": (
                Heads(draw(D, D + 2 * groups * K), draw(D, D)),
                lambda x, params, **rest: heads_forward(x, params, H, None, phase, **rest),
                heads_backward,
            )
            for groups in (1, 3)
        },
    }


every_layer = pytest.mark.parametrize("name", ["norm", "gated", "1 groups", "3 groups"])


def test_silu_is_x_over_one_plus_e_to_minus_x():
    x = np.array([-800.0, -1, 0, 2, 800])
    np.testing.assert_allclose(silu_forward(x.copy(), np.empty(5)), [0, -1 / (1 + np.e), 0, 2 / (1 + np.exp(-2)), 800])


def test_a_gated_layer_worked_by_hand():
    # gate relu([2, -1]) = [2, 0], up [3, 5]: hidden [6, 0]; @ w_down = 6 * [1, 10]
    params = GatedFeedForward(np.array([[2.0, -1, 3, 5]]), np.array([[1.0, 10], [7, 7]]))
    np.testing.assert_array_equal(gated_forward(np.ones((1, 1)), params, "relu")[0], [[6, 60]])


@every_batch
@every_layer
def test_backward_agrees_with_central_differences(batch, name):
    draw = drawer()
    x, dout, (params, forward, backward) = draw(*batch, T, D), draw(*batch, T, D), layers(draw)[name]
    dx, grads = backward(dout, forward(x, params)[1])
    assert_gradient(lambda x: forward(x, params)[0], x, dout, dx)
    for field, array in params._asdict().items():
        if array is not None:
            own = lambda changed, field=field: forward(x, params._replace(**{field: changed}))[0]  # noqa: E731
            assert_gradient(own, array, dout, getattr(grads, field))


@every_batch
@every_layer
def test_float32_stays_float32(batch, name):
    draw = drawer(dtype=np.float32)
    x, (params, forward, backward) = draw(*batch, T, D), layers(draw)[name]
    out, cache = forward(x, params)
    assert_all_float32(out, cache, *backward(x, cache))
