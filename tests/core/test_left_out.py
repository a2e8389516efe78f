"""Parts left out: what remains is the rest of the model, untouched."""

import numpy as np
import pytest

import attention_core as core
from attention_core.insides import logit_pushes, pushes_apart
from attention_core.left_out import (
    falls,
    logits_without_heads,
    logits_without_parts,
    without_attention,
    without_feed_forward,
    without_head,
)
from tests.core.gradients import drawer

V, D, H, L, M, F, T = 11, 12, 3, 2, 7, 13, 5
TOKENS = np.random.default_rng(1).integers(V, size=T)
any_kind = pytest.mark.parametrize("kind", [{}, {"norm": "post"}, {"d_ff": 0}], ids=str)


def made(**kind):
    model = core.init_model(core.Config(V, D, H, L, M, **{"d_ff": F} | kind), seed=3, dtype=np.float64)
    model.flat[:] += 0.3 * drawer(5, np.float64)(model.flat.size)
    return model


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-10)


@any_kind
def test_a_head_that_is_left_out_looks_as_before_and_writes_nothing(kind):
    model = made(**kind)
    before = model.flat.copy()
    inside, after = core.insides(model, TOKENS), core.insides(without_head(model, 1, 2), TOKENS)
    assert np.array_equal(model.flat, before)
    close(after.weights, inside.weights)  # of the last layer: nothing later could look elsewhere
    assert not after.head_writes[1, 2].any()
    close(after.head_writes[:, :2], inside.head_writes[:, :2])
    close(after.attention_adds[1], inside.attention_adds[1] - inside.head_writes[1, 2])
    close(logits_without_heads(model, TOKENS, 3)[1, 2], after.logits[3])


@any_kind
def test_a_layer_that_is_left_out_lets_the_stream_pass(kind):
    model = made(**kind)
    after = core.insides(without_attention(model, 0), TOKENS)
    if model.config.norm == "pre":
        close(after.middle[0], after.stream[0])
    found = logits_without_parts(model, TOKENS, 4)
    assert found.shape == (L, 2 if model.config.d_ff else 1, V)
    close(found[0, 0], after.logits[4])
    if model.config.d_ff:
        fed = core.insides(without_feed_forward(model, 1), TOKENS)
        assert not fed.feed_forward_adds[1].any()
        close(fed.feed_forward_adds[0], core.insides(model, TOKENS).feed_forward_adds[0])
        close(found[1, 1], fed.logits[4])


def test_without_its_only_block_a_model_bets_on_the_embedding():
    model = core.init_model(core.Config(V, D, H, 1, M, d_ff=0), seed=3)
    inside = core.insides(model, TOKENS)
    close(logits_without_parts(model, TOKENS, 2)[0, 0], inside.layer_logits[0, 2])


def test_falls_are_differences_of_logits_or_of_leads():
    logits, without = np.array([5.0, 2.0]), np.array([[3.0, 1.0], [6.0, 2.0]])
    close(falls(logits, without, 0), [2, -1])
    close(falls(logits, without, 0, against=1), [1, -1])


def test_pushes_apart_sum_to_the_difference_of_logits():
    model = made()
    inside = core.insides(model, TOKENS)
    one, other = (logit_pushes(model, inside, 3, token) for token in (7, 2))
    apart = pushes_apart(one, other)
    close(apart.total, inside.logits[3, 7] - inside.logits[3, 2])
    close(apart.logit, apart.total)
    close(apart.heads, one.heads - other.heads)
    bets = core.softmax(inside.logits[3])
    close(np.exp(apart.logit), bets[7] / bets[2])


def test_what_cannot_be_left_out_is_refused():
    model = made(d_ff=0)
    with pytest.raises(ValueError, match="head must be between 0 and 2, got 3"):
        without_head(model, 0, 3)
    with pytest.raises(ValueError, match="layer must be between 0 and 1, got 2"):
        without_attention(model, 2)
    with pytest.raises(ValueError, match="layer must be one with a feed-forward"):
        without_feed_forward(model, 0)
    with pytest.raises(ValueError, match=r"tokens must be one sequence \(T,\)"):
        logits_without_heads(model, TOKENS[None], 0)
    with pytest.raises(ValueError, match="position must be between 0 and 4, got 5"):
        logits_without_parts(model, TOKENS, 5)
    with pytest.raises(ValueError, match="token must be between 0 and 10"):
        falls(np.zeros(V), np.zeros((2, V)), V)
    with pytest.raises(ValueError, match="against must be between 0 and 10"):
        falls(np.zeros(V), np.zeros((2, V)), 0, -1)
