"""Attention and feed-forward, each with its norm, its dropout and its residual path."""

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.norm import Norm
from attention_core.equations.positions import rope_angles
from attention_core.model.block import block_backward, block_forward, dropout_forward, residual_forward
from attention_core.model.parameters import Model, arrays_of, n_parameters
from tests.core.gradients import (
    BATCHES,
    assert_all_float32,
    assert_gradient,
    drawer,
    frozen,
)

T, H, K, F = 5, 3, 2, 7
D = H * K
CHOICES = {
    "attention and feed-forward": {},
    "attention alone": {"d_ff": 0},
    "relu": {"activation": "relu"},
    "dropout": {"dropout": 0.3},
}
both_orders = pytest.mark.parametrize("order", ["pre", "post"])
every_choice = pytest.mark.parametrize("choice", CHOICES)


def made(order="pre", choice="attention and feed-forward", dtype=np.float64):
    """Return a model of one block with random norms and biases, too, and what its attention adds and turns."""
    config = core.Config(
        **{"vocab_size": 2, "d_model": D, "n_heads": H, "n_layers": 1, "max_len": T, "d_ff": F}
        | {"norm": order}
        | CHOICES[choice]
    )
    flat = frozen(drawer(3)(n_parameters(config)).astype(dtype) / 2)
    mask = frozen((core.alibi_bias(H, T) + core.additive_mask(core.causal_mask(T))).astype(dtype))
    return Model.of(config, flat), mask, rope_angles(T, K, 10000.0, 0, np.dtype(dtype).str)


def run(model, x, mask=None, phase=None, **more):
    """Return the output and the cache of the model's block; the dropout is the same at every call."""
    return block_forward(x, model.parameters.blocks[0], model.config, mask, phase, np.random.default_rng(5), **more)


def double(x):
    """Return 2x and a cache: a layer whose gradient is twice what comes back."""
    return 2 * x, "doubled"


def test_both_orders_worked_by_hand():
    # pre: norm [1, 3] = [-1, 1], twice that added. post: [1, 3] + [2, 6] = [3, 9], norm [-1, 1].
    x, norm = np.array([[1.0, 3]]), Norm(np.ones(2), np.zeros(2))
    pre, post = (residual_forward(x, norm, double, core.Config(2, 2, 1, 1, 3, norm=order)) for order in ("pre", "post"))
    np.testing.assert_allclose(pre.added, [[-2, 2]], rtol=1e-5)
    np.testing.assert_allclose(pre.out, [[-1, 5]], rtol=1e-5)
    np.testing.assert_array_equal(post.added, [[2, 6]])
    np.testing.assert_allclose(post.out, [[-1, 1]], rtol=1e-5)


def test_dropout_drops_its_share_and_raises_the_rest():
    x = np.ones((101, 103))
    out, kept = dropout_forward(x, 0.2, np.random.default_rng(0))
    np.testing.assert_array_equal(out, kept)
    np.testing.assert_array_equal(np.unique(kept), [0, 1 / (1 - 0.2)])
    assert abs((kept == 0).mean() - 0.2) < 0.02
    assert abs(out.mean() - 1) < 0.02


@every_choice
@both_orders
@pytest.mark.parametrize("placed", [False, True])
def test_the_gradient_of_a_block_agrees_with_central_differences(order, choice, placed):
    model, *places = made(order, choice)
    places = places if placed else ()
    draw = drawer()
    x, dout = draw(2, T, D), draw(2, T, D)
    dx, dblock = block_backward(dout, run(model, x, *places)[1], model.config)
    gradient = Model.of(model.config, np.zeros_like(model.flat))
    for own, part in zip(arrays_of(gradient.parameters.blocks), arrays_of(dblock), strict=True):
        own[...] = part
    assert_gradient(lambda x: run(model, x, *places)[0], x, dout, dx)
    assert_gradient(lambda flat: run(Model.of(model.config, flat), x, *places)[0], model.flat, dout, gradient.flat)


@every_choice
@both_orders
@pytest.mark.parametrize("batch", BATCHES)
def test_float32_stays_float32(batch, order, choice):
    model, *places = made(order, choice, np.float32)
    x = drawer(dtype=np.float32)(*batch, T, D)
    out, cache = run(model, x, *places)
    assert_all_float32(out, cache, block_backward(x, cache, model.config))
