"""Parts left out: what remains is the rest of the model, untouched."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.ablation import logit_drops, logits_without_heads
from attention_core.experiments.inside.logit_lens import attribute_logit, attribution_difference
from attention_core.model.parameters import Model
from tests.core.gradients import drawer

V, D, H, L, M, F, T = 11, 12, 3, 2, 7, 13, 5
TOKENS = np.random.default_rng(1).integers(V, size=T)
KINDS = [
    {},
    {"norm": "post"},
    {"d_ff": 0, "positions": "alibi"},
    {"d_ff": 0, "norm": "post", "causal": False},
    {"positions": "rope"},
    {"causal": False, "activation": "relu"},
]
any_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


def made(**kind):
    model = core.init_model(core.Config(V, D, H, L, M, **{"d_ff": F} | kind), seed=3, dtype=np.float64)
    model.flat[:] += 0.3 * drawer(5, np.float64)(model.flat.size)
    return model


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-10)


def changed(model, *zeros):
    """Return a copy of the model with some rows of some of its arrays set to zero."""
    copy = Model.of(model.config, model.flat.copy())
    for name, rows in zeros:
        core.named_arrays(copy)[name][rows] = 0
    return copy


@any_kind
def test_a_head_that_is_left_out_is_one_whose_rows_of_w_o_are_zero(kind):
    model = made(**kind)
    inside, before = core.insides(model, TOKENS), model.flat.copy()
    for position in (0, 3, T - 1):
        found = logits_without_heads(model, inside, position)
        for layer, head in np.ndindex(L, H):
            rows = slice(head * D // H, (head + 1) * D // H)
            without = changed(model, (f"blocks.{layer}.attention.w_o", rows))
            close(found[layer, head], core.logits(without, TOKENS)[position])
    assert np.array_equal(model.flat, before)


def test_falls_are_differences_of_logits_or_of_leads():
    logits, without = np.array([5.0, 2.0]), np.array([[3.0, 1.0], [6.0, 2.0]])
    close(logit_drops(logits, without, 0), [2, -1])
    close(logit_drops(logits, without, 0, against=1), [1, -1])


def test_pushes_apart_sum_to_the_difference_of_logits():
    model = made()
    inside = core.insides(model, TOKENS)
    one, other = (attribute_logit(model, inside, 3, token) for token in (7, 2))
    apart = attribution_difference(one, other)
    close(apart.total, inside.logits[3, 7] - inside.logits[3, 2])
    close(apart.logit, apart.total)
    close(apart.heads, one.heads - other.heads)
    bets = core.softmax(inside.logits[3])
    close(np.exp(apart.logit), bets[7] / bets[2])
