"""The language model: what it computes, what it cannot see, and its gradients."""

import math

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.loss import cross_entropy_forward
from attention_core.model.forward import gradients, model_forward
from attention_core.model.parameters import Model, sum_into
from tests.core.gradients import assert_all_float32, assert_gradient, moved_model

V, D, H, L, M, F = 11, 6, 3, 2, 7, 5
B, T = 2, 5
POSITIONS = ["sinusoidal", "learned", "rope", "alibi", "none"]
LLAMA = {"positions": "rope", "rope_base": 70.0, "normalization": "rms", "gated": True, "activation": "silu"}
LLAMA |= {"n_groups": 1, "tied": False}
KINDS = {  # everything that changes what a model computes, at least once, each beside other neighbours
    "pre-norm, gelu": {},
    "post-norm, relu": {"norm": "post", "activation": "relu"},
    "learned": {"positions": "learned"},
    "rope": {"positions": "rope", "activation": "relu"},
    "alibi, post-norm": {"positions": "alibi", "norm": "post"},
    "no positions": {"positions": "none"},
    "attention alone": {"d_ff": 0, "positions": "rope"},
    "attention alone, post-norm": {"d_ff": 0, "norm": "post", "positions": "learned"},
    "learned with slopes": {"positions": "learned", "alibi_slopes": (0.7, 0.0, 2.0)},
    "a Llama": LLAMA,
    "gated with relu, RMSNorm after": {"norm": "post", "normalization": "rms", "gated": True, "activation": "relu"},
    "a GPT-2": {"positions": "learned", "attention_biases": "all"},
    "a Qwen2": LLAMA | {"attention_biases": "qkv", "epsilon": 1e-2},
    "gelu by erf, post-norm": {"activation": "gelu_erf", "norm": "post", "attention_biases": "all", "epsilon": 0.3},
    "bidirectional": {"causal": False, "positions": "alibi"},
    "bidirectional, post-norm": {"causal": False, "norm": "post", "positions": "none"},
}
kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())


def made(dtype=np.float64, **kind):
    return moved_model(core.Config(V, D, H, L, M, **{"d_ff": F} | kind), dtype)


def tokens_and_targets(seed=0):
    return np.random.default_rng(seed).integers(V, size=(2, B, T))


def assert_model_gradient(model, share, rng=lambda: None):
    """Hold the gradient of every single parameter against a central difference."""
    tokens, targets = tokens_and_targets()
    total = Model.of(model.config, np.full_like(model.flat, np.nan))  # what is not written stays NaN
    sum_into(total.parameters, [gradients(model, tokens, targets, share, rng())[1]])

    def loss(flat):
        logits = model_forward(core.Model.of(model.config, flat), tokens, rng()).logits.reshape(-1, V)
        return np.sum(cross_entropy_forward(logits, targets.reshape(-1))[1].each * np.reshape(share, -1))

    assert_gradient(loss, model.flat, np.array(1.0), total.flat)


@kinds
def test_the_gradient_of_every_parameter(kind):
    assert_model_gradient(made(**kind), 1 / (B * T))


@pytest.mark.parametrize("kind", [{}, {"norm": "post"}, {"d_ff": 0}, {"norm": "post", "d_ff": 0}], ids=str)
def test_the_gradient_through_dropout(kind):
    assert_model_gradient(made(**kind, dropout=0.3), 1 / (B * T), lambda: np.random.default_rng(7))


def test_the_gradient_where_some_positions_count_more_and_some_not_at_all():
    assert_model_gradient(made(positions="learned"), np.array([[0.5, 0, 0, 0.1, 0], [0, 0, 0.3, 0, 0.1]]))


def test_logits_by_hand():
    # one block that adds nothing, width 2: the norm of (3, 1) is (1, -1), of (0, 5) it is (-1, 1)
    model = core.init_model(core.Config(2, 2, 1, 1, 3, d_ff=0, positions="none"), dtype=np.float64)
    arrays = core.named_arrays(model)
    arrays["blocks.0.attention.w_o"][:] = 0
    arrays["token_embedding"][:] = [[3, 1], [0, 5]]
    np.testing.assert_allclose(core.logits(model, [0, 1]), [[3 - 1, -5], [1 - 3, 5]], rtol=1e-5)
    # the targets 1 and 1: log(1 + e^7) after the first token, log(1 + e^-7) after the second
    loss, _ = core.loss_and_gradients(model, [0, 1], [1, 1])
    assert loss == pytest.approx((math.log1p(math.e**7) + math.log1p(math.e**-7)) / 2, rel=1e-4)


@kinds
def test_one_sequence_gives_what_a_batch_of_it_gives(kind):
    model = made(**kind)
    tokens = np.random.default_rng(1).integers(V, size=(3, B, T))
    together, weights = core.logits(model, tokens), core.attention_weights(model, tokens)
    assert together.shape == (3, B, T, V)
    assert weights.shape == (3, B, L, H, T, T)
    for i, j in np.ndindex(3, B):
        np.testing.assert_allclose(core.logits(model, tokens[i, j]), together[i, j], rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(core.attention_weights(model, tokens[i, j]), weights[i, j], atol=1e-12)


@kinds
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_attention_sum_to_one_and_a_causal_model_never_looks_ahead(kind, dtype):
    model = made(dtype, **kind)
    weights = core.attention_weights(model, tokens_and_targets()[0])
    assert weights.dtype == dtype
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-6)
    ahead = weights[..., core.causal_mask(T)]
    assert (ahead == 0).all() if model.config.causal else (ahead > 0).all()


@pytest.mark.parametrize(("positions", "told"), [*zip(POSITIONS, [True, True, False, False, False], strict=True)])
def test_among_equal_tokens_only_positions_that_are_added_tell_where_one_stands(positions, told):
    logits = core.logits(made(positions=positions), [4] * T)  # all values are alike, whatever the weights
    assert (np.abs(logits[1:] - logits[0]).max() > 1e-3) == told


@kinds
def test_float32_stays_float32_in_every_number_of_both_passes(kind):
    model = made(np.float32, **kind)
    tokens, targets = tokens_and_targets()
    cache = model_forward(model, tokens, np.random.default_rng(0))
    assert_all_float32(cache)
    loss, found = core.loss_and_gradients(model, tokens, targets)
    assert isinstance(loss, float)
    assert_all_float32(tuple(found.values()))
    assert core.logits(model, tokens).dtype == np.float32


def test_dropout_acts_in_training_only():
    model = made(dropout=0.5)
    tokens = tokens_and_targets()[0]
    assert np.array_equal(core.logits(model, tokens), core.logits(made(), tokens))
    dropped = model_forward(model, tokens, np.random.default_rng(0))
    assert 0 < np.count_nonzero(dropped.kept == 0) < dropped.kept.size
    assert np.abs(dropped.logits - core.logits(model, tokens)).max() > 0.1
