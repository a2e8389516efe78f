"""Several heads: the same matrices however they are split, one job a head, and one head taken out of all."""

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.multi_head import head_writes
from attention_core.experiments.multi_head.several_heads import (
    HeadSet,
    attend_heads,
    hand_set_heads,
    random_heads,
    select_head,
)
from attention_core.experiments.qkv.one_head import JOBS, WORD, attend, hand_set_embedding, hand_set_head
from attention_core.experiments.scaling import head_metrics
from attention_core.text.word_vectors import word_vectors
from tests.core.errors import check, says

WORDS = ["the", "cat", "sat", "on", "the", "warm", "mat"]
T, S, H, D = 7, 5, 3, 33


def drawn(seed=0, d_model=D):
    return word_vectors(WORDS, d_model, seed), random_heads(d_model, seed)


def test_a_seed_makes_matrices_of_its_own_and_always_the_same():
    first, again, other = random_heads(D, 1), random_heads(D, 1), random_heads(D, 2)
    for one, same, another in zip(first, again, other, strict=True):
        assert one.shape == (D, D)
        np.testing.assert_array_equal(one, same)
        assert not np.allclose(one, another)
    assert len({matrix.tobytes() for matrix in first}) == 4


def test_random_matrices_have_deviation_one_over_root_d():
    wide = np.concatenate([matrix.ravel() for matrix in random_heads(211, 5)])
    assert wide.std() == pytest.approx(211**-0.5, rel=0.01)


@pytest.mark.parametrize("n_heads", [1, 3, 11, 33])
@pytest.mark.parametrize("mask", [None, core.additive_mask(core.causal_mask(T))])
def test_all_heads_at_once_are_multi_head_attention(n_heads, mask):
    x, heads = drawn()
    cache = attend_heads(x, heads, n_heads, mask)
    output, weights = core.multi_head_attention(x, *heads, n_heads, mask)
    np.testing.assert_allclose(cache.weights, weights)
    np.testing.assert_allclose(head_writes(cache.output, heads.w_o).sum(axis=0), output, atol=1e-12)


def test_with_a_context_the_map_is_a_rectangle():
    x, heads = drawn()
    context = word_vectors(["a", "dog", "was", "as", "happy"], D, 0)
    cache = attend_heads(x, heads, H, None, context)
    _, weights = core.multi_head_attention(x, *heads, H, context=context)
    assert cache.weights.shape == (H, T, S)
    np.testing.assert_allclose(cache.weights, weights)


@pytest.mark.parametrize("mask", [None, core.additive_mask(core.causal_mask(T))])
def test_one_head_taken_out_is_that_head_by_itself(mask):
    x, heads = drawn()
    cache = attend_heads(x, heads, H, mask)
    for head in range(H):
        own = slice(head * D // H, (head + 1) * D // H)
        alone = core.scaled_dot_product_attention(*(x @ w[:, own] for w in heads[:3]), mask)
        taken = select_head(cache, head)
        np.testing.assert_allclose(taken.output, alone[0])
        np.testing.assert_allclose(taken.weights, alone[1])
        assert taken.scores.ndim == 2
        assert taken.mask is None if mask is None else taken.mask.shape == (T, T)


@pytest.mark.promise("page 9")
def test_each_hand_set_head_does_its_own_job():
    heads = hand_set_heads()
    x = hand_set_embedding(WORDS, 32, 4)
    cache = attend_heads(x, heads, len(JOBS))
    for head, job in enumerate(JOBS):
        np.testing.assert_allclose(cache.weights[head], attend(x, hand_set_head(job, 32, 8)).weights)
    assert head_metrics.previous_word_score(cache.weights)[0] > 0.95
    assert head_metrics.first_word_score(cache.weights)[2] > 0.95


def test_hand_set_heads_write_the_word_that_they_found_where_words_are_kept():
    heads = hand_set_heads()
    x = hand_set_embedding(WORDS, 32, 4)
    writes = head_writes(attend_heads(x, heads, len(JOBS)).output, heads.w_o)
    np.testing.assert_allclose(writes[0, 3, WORD], x[2, WORD], atol=0.02)  # what stands before "on" is "sat"
    outside = np.delete(writes, np.r_[WORD], axis=-1)
    assert not outside.any()


@says(
    (lambda: random_heads(0), "d_model must be at least 1, got 0"),
    (lambda: random_heads(3, -1), "seed must be at least 0, got -1"),
    (lambda: hand_set_heads(4), "d_head must be at least 5, got 4"),
    (lambda: attend_heads(*drawn(), 4), "n_heads must divide the width of w_q, got n_heads 4 and w_q (33, 33)"),
    (lambda: attend_heads(*drawn(), 0), "n_heads must be between 1 and 33, got 0"),
    (lambda: select_head(attend_heads(*drawn(), H), 3), "head must be between 0 and 2, got 3"),
)
def test_what_is_no_set_of_heads_is_refused(call, message):
    check(call, message)


def test_a_set_of_heads_names_its_matrices():
    assert HeadSet._fields == ("w_q", "w_k", "w_v", "w_o")
