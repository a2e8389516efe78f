"""Heads taken apart: by hand on small numbers, and against attention computed without the head or the key."""

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.multi_head import head_writes
from attention_core.experiments.multi_head import head_parts
from attention_core.experiments.multi_head.several_heads import attend_heads, random_heads
from attention_core.text.word_vectors import word_vectors

WORDS = ["the", "cat", "sat", "on", "the", "warm", "mat"]
T, H, K, D = 7, 3, 5, 15
MASK = core.additive_mask(core.causal_mask(T))


def drawn(seed=0, n_heads=H, d_model=D, mask=None):
    x, heads = word_vectors(WORDS, d_model, seed), random_heads(d_model, seed)
    return x, heads, attend_heads(x, heads, n_heads, mask)


@pytest.mark.parametrize("mask", [None, MASK])
@pytest.mark.parametrize("n_heads", [1, 3, 5, 15])
def test_three_ways_agree_to_rounding(n_heads, mask):
    x, heads, _ = drawn()
    same = head_parts.three_ways(x, heads, n_heads, mask)
    expected, _ = core.multi_head_attention(x, *heads, n_heads, mask)
    for output in same[:3]:
        np.testing.assert_allclose(output, expected, atol=1e-13)
    gaps = [np.abs(one - other).max() for one in same[:3] for other in same[:3]]
    assert same.largest_difference == max(gaps) < 1e-13


def test_a_slice_by_hand():
    matrix = np.arange(1, 17).reshape(4, 4)
    expected = [[1, 2, 0, 0], [5, 6, 0, 0], [0, 0, 11, 12], [0, 0, 15, 16]]
    np.testing.assert_array_equal(head_parts.block_diagonal(matrix, 2), expected)
    np.testing.assert_array_equal(head_parts.block_diagonal(matrix, 1), matrix)
    np.testing.assert_array_equal(head_parts.block_diagonal(matrix, 4), np.diag(np.diag(matrix)))


def test_a_head_that_is_off_is_missing_from_the_sum():
    x, heads, cache = drawn()
    writes = head_writes(cache.output, heads.w_o)
    output, _ = core.multi_head_attention(x, *heads, H)
    np.testing.assert_allclose(head_parts.sum_of_heads(writes), output, atol=1e-12)
    kept = head_parts.zero_heads(writes, [1])
    np.testing.assert_allclose(head_parts.sum_of_heads(kept), writes[0] + writes[2])
    silent = heads._replace(w_o=np.where(np.arange(D)[:, None] // K == 1, 0, heads.w_o))
    without, _ = core.multi_head_attention(x, *silent, H)
    for sums in (head_parts.sum_of_heads(kept), head_parts.output_without(cache, heads.w_o, [1])):
        np.testing.assert_allclose(sums, without, atol=1e-12)
    assert not head_parts.sum_of_heads(head_parts.zero_heads(writes, range(H))).any()
    np.testing.assert_array_equal(head_parts.zero_heads(writes, []), writes)
