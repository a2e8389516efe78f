"""What a lesson changes: each change is worked by hand, says what is wrong with bad input, and spares its argument."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.experiments.qkv.one_head import (
    HeadMatrices,
    attend,
    random_head,
)
from attention_core.experiments.qkv.perturb import (
    add_to_column,
    add_to_row,
    changed_cells,
    dot_products,
    least_symmetric,
    mix_values,
    one_number_changed,
    queries_as_keys,
    reaches,
    rotate_in_plane,
    softmax_at,
)
from tests.core.gradients import BATCHES, drawer, frozen

T, S, K, D = 5, 7, 3, 11
NAN, INF = float("nan"), float("inf")
seeds = st.integers(0, 2**32 - 1)
batches = pytest.mark.parametrize("batch", BATCHES)


def given_array(*rows):
    """Return a read-only array of floats, so that writing into it raises."""
    return frozen(np.array(rows, dtype=float))


def test_dot_products_worked_by_hand():
    left, right = given_array([1, 2, 3], [0, -1, 5]), given_array([4, 5, 6])
    np.testing.assert_array_equal(dot_products(left, right), [[4 + 10 + 18], [-5 + 30]])


def test_one_number_changes_and_no_other():
    matrix = given_array([1, 2, 3], [4, 5, 6])
    np.testing.assert_array_equal(one_number_changed(matrix, 1, 2, -10), [[1, 2, 3], [4, 5, -4]])
    np.testing.assert_array_equal(one_number_changed(matrix, 0, 0, 0.5), [[1.5, 2, 3], [4, 5, 6]])


def test_a_constant_is_added_to_a_row_or_to_a_column():
    scores = given_array([1, 2, 3], [4, 5, -INF])
    np.testing.assert_array_equal(add_to_row(scores, 1, 10), [[1, 2, 3], [14, 15, -INF]])
    np.testing.assert_array_equal(add_to_column(scores, 2, -1), [[1, 2, 2], [4, 5, -INF]])


def test_with_one_matrix_for_queries_and_keys_scores_are_symmetric():
    head, x = random_head(D, K, seed=2), drawer()(T, D)
    same = queries_as_keys(head)
    assert isinstance(same, HeadMatrices)
    assert same.w_q is same.w_k is head.w_q
    assert same.w_v is head.w_v
    assert head.w_k is not head.w_q
    scores = attend(x, same).scores
    np.testing.assert_allclose(scores, scores.T, atol=1e-12)
    own = attend(x, head).scores
    assert np.abs(own - own.T).max() > 0.1


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [
        (0, [3, 1]),
        (90, [-1, 3]),
        (180, [-3, -1]),
        (-90, [1, -3]),
        (360, [3, 1]),
        (45, [math.sqrt(2), 2 * math.sqrt(2)]),  # (3 - 1) / √2 and (3 + 1) / √2
    ],
)
def test_a_turn_to_the_left_worked_by_hand(degrees, expected):
    np.testing.assert_allclose(rotate_in_plane(given_array(3, 1), degrees), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("temperature", "expected"),
    [
        (1, [1 / 7, 2 / 7, 4 / 7]),  # e^0, e^(ln 2), e^(ln 4) = 1, 2, 4
        (0.5, [1 / 21, 4 / 21, 16 / 21]),  # their squares
        (2, [1 / (3 + math.sqrt(2)), math.sqrt(2) / (3 + math.sqrt(2)), 2 / (3 + math.sqrt(2))]),  # their roots
        (0, [0, 0, 1]),
        (INF, [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_temperature_worked_by_hand(temperature, expected):
    scores = given_array(0, math.log(2), math.log(4))
    np.testing.assert_allclose(softmax_at(scores, temperature), expected, atol=1e-15)


@pytest.mark.parametrize(("near", "end"), [(1e-4, 0), (1e9, INF), (1e-4, 0.0), (1e9, np.float64(INF))])
@batches
@pytest.mark.promise("qkv 5")
def test_the_ends_are_the_limits_and_what_is_blocked_stays_so(near, end, batch):
    scores = drawer()(*batch, T, S).copy()
    scores[..., 1, 2:] = -INF
    scores[..., 3, :] = -INF
    shares = softmax_at(frozen(scores), end)
    assert shares.shape == scores.shape
    np.testing.assert_allclose(shares, softmax_at(scores, near), atol=1e-8)
    np.testing.assert_allclose(shares.sum(axis=-1), np.broadcast_to([1, 1, 1, 0, 1], (*batch, T)))


def test_moved_is_told_apart_from_rounded():
    before = given_array([1, 1, 0, 0], [1e6, -INF, NAN, -INF])
    after = given_array([1 + 1e-12, 1 + 1e-6, 1e-12, 1e-6], [1e6 + 1e-4, -INF, NAN, 0])
    np.testing.assert_array_equal(
        changed_cells(before, after), [[False, True, False, True], [False, False, False, True]]
    )


def test_the_score_that_differs_most_from_its_mirror_image_worked_by_hand():
    assert least_symmetric(given_array([1, 2, 3], [5, 0, -1], [3, 0.5, 9])) == (0, 1)  # 5 - 2
    assert least_symmetric(given_array([7])) == (0, 0)


def test_a_mix_worked_by_hand():
    weights, values = given_array([0.25, 0.75], [1, 0]), given_array([4, 0, 8], [8, 4, 0])
    np.testing.assert_array_equal(mix_values(weights, values), [[7, 3, 2], [4, 0, 8]])


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
    assert reaches(drawer()(T, D), some_head(), mask) == USUAL


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
    assert reaches(x, head, mask) == found
