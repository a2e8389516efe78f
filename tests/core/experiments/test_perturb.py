"""What a lesson changes, and what a change reaches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.experiments.qkv import perturb
from attention_core.experiments.qkv.one_head import HeadMatrices, random_head
from tests.core.gradients import BATCHES, drawer, frozen

T, S, K, D = 5, 7, 3, 11
NAN, INF = float("nan"), float("inf")
seeds = st.integers(0, 2**32 - 1)
batches = pytest.mark.parametrize("batch", BATCHES)


def given_array(*rows):
    """Return a read-only array of floats, so that writing into it raises."""
    return frozen(np.array(rows, dtype=float))


@pytest.mark.parametrize(("near", "end"), [(1e-4, 0), (1e9, INF), (1e-4, 0.0), (1e9, np.float64(INF))])
@batches
def test_the_ends_are_the_limits_and_what_is_blocked_stays_so(near, end, batch):
    scores = drawer()(*batch, T, S).copy()
    scores[..., 1, 2:] = -INF
    scores[..., 3, :] = -INF
    shares = perturb.softmax_at(frozen(scores), end)
    assert shares.shape == scores.shape
    np.testing.assert_allclose(shares, perturb.softmax_at(scores, near), atol=1e-8)
    np.testing.assert_allclose(shares.sum(axis=-1), np.broadcast_to([1, 1, 1, 0, 1], (*batch, T)))


def test_moved_is_told_apart_from_rounded():
    before = given_array([1, 1, 0, 0], [1e6, -INF, NAN, -INF])
    after = given_array([1 + 1e-12, 1 + 1e-6, 1e-12, 1e-6], [1e6 + 1e-4, -INF, NAN, 0])
    np.testing.assert_array_equal(
        perturb.changed_cells(before, after), [[False, True, False, True], [False, False, False, True]]
    )


def test_numbers_rows_and_columns_are_changed_in_a_copy():
    matrix = given_array([1, 2], [3, 4])
    for changed, expected in [
        (perturb.one_number_changed(matrix, 1, 0, -0.5), [[1, 2], [2.5, 4]]),
        (perturb.add_to_row(matrix, 0, 7), [[8, 9], [3, 4]]),
        (perturb.add_to_column(matrix, 1, 7), [[1, 9], [3, 11]]),
        (perturb.zeroed_rows(matrix, 0), [[0, 0], [3, 4]]),
        (perturb.swapped_rows(matrix, 0, 1), [[3, 4], [1, 2]]),
        (perturb.rotate_in_plane(matrix, 90), [[-2, 1], [-4, 3]]),
        (perturb.mix_values(given_array([0.25, 0.75]), matrix), [[2.5, 3.5]]),
    ]:
        np.testing.assert_allclose(changed, expected, atol=1e-12)


ALL = ("Q", "K", "V", "the weights", "the output")
USUAL = {
    "X": ALL,
    "W_Q": ("Q", "the weights", "the output"),
    "W_K": ("K", "the weights", "the output"),
    "W_V": ("V", "the output"),
}


def causal(length):
    """Return the mask that hides what comes later."""
    return np.where(np.tri(length) == 1, 0, -INF)


def some_head(seed=0, d_value=2):
    """Return a head whose matrices are read-only."""
    return HeadMatrices(*(frozen(matrix) for matrix in random_head(D, K, seed + 1, d_value)))


@pytest.mark.parametrize("mask", [None, causal(T), np.zeros((T, T))], ids=["none", "causal", "zero"])
def test_what_a_change_reaches(mask):
    assert perturb.reaches(drawer()(T, D), some_head(), mask) == USUAL


@given(seed=seeds, length=st.integers(1, 5))
def test_a_change_reaches_what_any_of_its_numbers_reaches(seed, length):
    x, head = drawer(seed)(length, D), some_head(seed % 1009)
    mask = causal(length) if seed % 2 else None

    def parts(x, w_q, w_k, w_v):
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        powers = np.exp(q @ k.T / K**0.5 + (0 if mask is None else mask))
        weights = powers / powers.sum(axis=1, keepdims=True)
        return dict(zip(ALL, (q, k, v, weights, weights @ v), strict=True))

    given_parts = [x, *head]
    before, found = parts(*given_parts), {}
    for number, name in enumerate(USUAL):
        reached = set()
        for place in np.ndindex(given_parts[number].shape):
            changed = [part.copy() for part in given_parts]
            changed[number][place] += 0.5
            after = parts(*changed)
            reached |= {part for part in ALL if np.abs(after[part] - before[part]).max() > 1e-8}
        found[name] = tuple(part for part in ALL if part in reached)
    assert perturb.reaches(x, head, mask) == found
