"""The same numbers without the (T, S) matrix."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from tests.core.gradients import BATCHES, drawer

K, V = 3, 2
sizes = st.integers(1, 41)


def plain(q, k, v, causal=False):
    """Return what attention with the whole matrix of scores gives."""
    return core.scaled_dot_product_attention(q, k, v, core.causal_mask(q.shape[-2]) if causal else None)[0]


def test_equal_scores_worked_by_hand():
    # every score is 0: the mean of all values, or with a causal mask that of the values so far
    q, v = np.zeros((3, K)), [[2], [4], [9]]
    np.testing.assert_allclose(core.flash_attention(q, q, v, block=2), [[5], [5], [5]])
    np.testing.assert_allclose(core.flash_attention(q, q, v, causal=True, block=2), [[2], [3], [5]])


@given(st.integers(0, 2**32 - 1), sizes, sizes, st.integers(1, 43), st.integers(1, 3), st.sampled_from(BATCHES))
@pytest.mark.parametrize("causal", [False, True])
def test_blocks_give_the_numbers_of_the_whole_matrix(causal, seed, length, keys, block, workers, batch):
    draw, keys = drawer(seed), length if causal else keys
    q, k, v = draw(*batch, length, K), draw(*batch, keys, K), draw(*batch, keys, V)
    output = core.flash_attention(q, k, v, causal, block, workers)
    assert output.shape == (*batch, length, V)
    np.testing.assert_allclose(output, plain(q, k, v, causal), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length", [127, 128, 129, 257, 1031])
def test_lengths_around_the_edges_of_tiles_and_blocks(length, causal):
    draw = drawer(dtype=np.float32)
    q, k, v = draw(2, length, K), draw(2, length, K), draw(2, length, V)
    for block in (64, 128, 512):
        output = core.flash_attention(q, k, v, causal, block)
        np.testing.assert_allclose(output, plain(q, k, v, causal), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("step", "keys"), [(41, 11), (60, 3), (200, 11)])  # many blocks of two keys, or two
def test_scores_may_rise_by_more_than_forty_from_block_to_block(step, keys, dtype):
    k = np.arange(keys, dtype=dtype)[:, None] * step
    q, v = np.array([[1], [0.5], [-1]], dtype), drawer(dtype=dtype)(keys, V)
    np.testing.assert_allclose(core.flash_attention(q, k, v, block=2), plain(q, k, v), rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("block", [1, 2, 5, 11])
def test_rows_that_lie_two_hundred_below_the_others_keep_their_shares(block, dtype):
    # the first and last row score near 0, the others near -200 and -400: next to e^0 their exponentials are 0
    base, nearby = np.array([0, -200, -400, -200, 0], dtype), drawer(dtype=dtype)(11)
    q = np.stack([base, np.ones(5, dtype)], axis=-1)
    k = np.stack([np.ones(11, dtype), nearby], axis=-1) * dtype(np.sqrt(2))
    v = drawer(1, dtype)(11, V)
    expected = np.tile(core.softmax(nearby) @ v, (5, 1))
    np.testing.assert_allclose(core.flash_attention(q, k, v, block=block), expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_the_numbers_do_not_depend_on_how_many_threads_share_the_work(causal):
    draw = drawer()
    q, k, v = draw(2, 211, K), draw(2, 211, K), draw(2, 211, V)
    alone = core.flash_attention(q, k, v, causal, block=16)
    for workers in (2, 3, 50):
        np.testing.assert_array_equal(core.flash_attention(q, k, v, causal, block=16, workers=workers), alone)


def peak(function, *arguments):
    """Return how many bytes were in use at most while the function ran."""
    tracemalloc.start()
    try:
        function(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("causal", [False, True])
def test_no_matrix_of_all_scores_is_ever_made(causal, workers):
    length = 2048
    draw = drawer(dtype=np.float32)
    q, k, v = draw(length, K), draw(length, K), draw(length, V)
    matrix = length * length * 4
    assert peak(plain, q, k, v) > matrix  # so the measure does see such a matrix
    assert peak(core.flash_attention, q, k, v, causal, 128, workers) < matrix / 8
    assert peak(core.flash_attention, q, k, v, causal, 512, workers) < matrix / 4


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_near_the_largest_number_keep_their_mean_or_are_refused(dtype):
    q, k, most = np.full((3, 1), 6, dtype), np.full((7, 1), 6, dtype), np.finfo(dtype).max / 8  # each score is 36
    np.testing.assert_allclose(core.flash_attention(q, k, np.full((7, V), most)), np.full((3, V), most), rtol=1e-6)
    with pytest.raises(ValueError, match="sums of v"):
        core.flash_attention(q, k, np.full((7, V), 4 * most))
