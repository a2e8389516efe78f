"""Several heads: the same matrices however they are split, one job a head, and one head taken out of all."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.multi_head import several_heads
from attention_core.experiments.qkv.one_head import JOBS, attend, hand_set_embedding, hand_set_head
from attention_core.experiments.scaling import head_metrics
from attention_core.text.word_vectors import word_vectors

WORDS = ["the", "cat", "sat", "on", "the", "warm", "mat"]
T, H, D = 7, 3, 33


def drawn(seed=0, d_model=D):
    return word_vectors(WORDS, d_model, seed), several_heads.random_heads(d_model, seed)


@pytest.mark.parametrize("mask", [None, core.additive_mask(core.causal_mask(T))])
def test_one_head_taken_out_is_that_head_by_itself(mask):
    x, heads = drawn()
    cache = several_heads.attend_heads(x, heads, H, mask)
    for head in range(H):
        own = slice(head * D // H, (head + 1) * D // H)
        alone = core.scaled_dot_product_attention(*(x @ w[:, own] for w in heads[:3]), mask)
        taken = several_heads.select_head(cache, head)
        np.testing.assert_allclose(taken.output, alone[0])
        np.testing.assert_allclose(taken.weights, alone[1])
        assert taken.scores.ndim == 2
        assert taken.mask is None if mask is None else taken.mask.shape == (T, T)


@pytest.mark.parametrize("kind", [{}, {"causal": False, "positions": "alibi"}], ids=str)
def test_one_head_of_a_model_comes_with_all_that_makes_its_weights(kind):
    inside = core.insides(core.init_model(core.Config(11, 6, 3, 2, 7, **kind), 1), [3, 1, 4, 1, 5])
    found = several_heads.head_inside(inside, 1, 2)
    output, weights = core.scaled_dot_product_attention(found.q, found.k, found.v, found.mask)
    np.testing.assert_array_equal(found.weights, inside.weights[1, 2])
    np.testing.assert_allclose(weights, found.weights, atol=1e-6)
    np.testing.assert_allclose(output, found.output, atol=1e-6)


def test_each_hand_set_head_does_its_own_job():
    heads = several_heads.hand_set_heads()
    x = hand_set_embedding(WORDS, 32, 4)
    cache = several_heads.attend_heads(x, heads, len(JOBS))
    for head, job in enumerate(JOBS):
        np.testing.assert_allclose(cache.weights[head], attend(x, hand_set_head(job, 32, 8)).weights)
    assert head_metrics.previous_word_score(cache.weights)[0] > 0.95
    assert head_metrics.first_word_score(cache.weights)[2] > 0.95
