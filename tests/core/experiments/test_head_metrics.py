"""Measures of a head, each by hand on a small table and by the property that defines it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.experiments.scaling import head_metrics
from tests.core.gradients import BATCHES, drawer

H, T, S, K, D = 3, 5, 7, 2, 11
seeds = st.integers(0, 2**32 - 1)
TABLE = np.array([[1, 0, 0, 0], [0.25, 0.75, 0, 0], [0.5, 0.25, 0.25, 0], [0.1, 0.2, 0.3, 0.4]])
WORDS = ["a", "b", "a", "b"]


def shares(seed, *shape, sharpness=3.0):
    return core.softmax(sharpness * np.random.default_rng(seed).standard_normal(shape))


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (head_metrics.self_score, (1 + 0.75 + 0.25 + 0.4) / 4),
        (head_metrics.previous_word_score, (0.25 + 0.25 + 0.3) / 3),
        (head_metrics.first_word_score, (0.25 + 0.5 + 0.1) / 3),
        (lambda weights: head_metrics.same_word_score(weights, WORDS), (0 + 0 + 0.5 + 0.2) / 4),
        (lambda weights: head_metrics.same_word_score(weights, ["a", "b", "c", "b"]), (0 + 0.2) / 2),
        (lambda weights: head_metrics.induction_score(weights, WORDS), (0.25 + 0.3) / 2),
        (lambda weights: head_metrics.induction_score(weights, ["a", "b", "c", "a"]), 0.2),
        # Nothing but itself follows the first.
        (lambda weights: head_metrics.induction_score(weights, ["a", "a", "b", "a"]), 0.2 + 0.3),
    ],
)
def test_scores_of_a_table_by_hand(measure, value):
    assert measure(TABLE) == pytest.approx(value)
    for batch in BATCHES:
        np.testing.assert_allclose(measure(np.broadcast_to(TABLE, (*batch, 4, 4))), np.full(batch, value))


def test_entropy_by_hand():
    np.testing.assert_allclose(
        head_metrics.entropy(np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25] * 4, [0.5, 0.25, 0.25, 0]])),
        [0, math.log(2), math.log(4), 1.5 * math.log(2)],
    )


def test_a_share_of_the_entropy_counts_only_what_a_row_may_see():
    blocked = core.causal_mask(4)
    even = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
    np.testing.assert_allclose(head_metrics.entropy_share(even, blocked), [0, 1, 1, 1])  # one key alone: 0, not NaN
    np.testing.assert_allclose(head_metrics.entropy_share(even), np.log([1, 2, 3, 4]) / math.log(4))
    np.testing.assert_allclose(
        head_metrics.entropy_share(np.broadcast_to(even, (H, 4, 4)), blocked), [[0, 1, 1, 1]] * H
    )
    assert head_metrics.entropy_share(np.zeros((1, 3)), np.ones((1, 3), bool)) == 0  # nothing to look at at all


@given(seed=seeds, sharpness=st.floats(0, 50))
def test_the_jacobian_is_how_softmax_moves(seed, sharpness):
    scores = sharpness * np.random.default_rng(seed).standard_normal((H, S))
    step = 1e-5 * np.eye(S)
    moved = (core.softmax(scores[:, None] + step) - core.softmax(scores[:, None] - step)) / 2e-5  # (H, moved score, S)
    norms = head_metrics.jacobian_norm(core.softmax(scores))
    np.testing.assert_allclose(norms, np.linalg.norm(moved, axis=(-2, -1)), atol=1e-7)


@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_contributions_are_the_lengths_of_what_each_key_adds(batch):
    draw = drawer()
    v, w_o, weights = draw(*batch, H, S, K), draw(H * K, D), shares(0, *batch, H, T, S)
    found = head_metrics.contributions(weights, v, w_o)
    assert found.shape == (*batch, H, T, S)
    for index in np.ndindex(*batch, H):
        added = weights[index][:, :, None] * (v[index] @ w_o[index[-1] * K : (index[-1] + 1) * K])  # (T, S, D)
        np.testing.assert_allclose(found[index], np.linalg.norm(added, axis=-1))


@pytest.mark.parametrize("batch", BATCHES, ids=str)
@pytest.mark.parametrize("hide", [False, True])
def test_removing_a_key_moves_the_output_by_its_effect(batch, hide):
    draw = drawer()
    q, k, v, w_o = draw(*batch, H, T, K), draw(*batch, H, S, K), draw(*batch, H, S, K), draw(H * K, D)
    blocked = draw(T, S) > 0.5 if hide else None
    found = head_metrics.removal_effects(q, k, v, w_o, blocked)
    assert found.shape == (*batch, H, T, S)
    whole, _ = core.scaled_dot_product_attention(q, k, v, blocked)
    for key in range(S):
        rest = [s for s in range(S) if s != key]
        mask = None if blocked is None else blocked[:, rest]
        without, _ = core.scaled_dot_product_attention(q, k[..., rest, :], v[..., rest, :], mask)
        moved = (whole - without) @ w_o.reshape(H, K, D)
        np.testing.assert_allclose(found[..., key], np.linalg.norm(moved, axis=-1), atol=1e-12)
        if hide:
            assert not found[..., blocked[:, key], key].any()  # what cannot be seen is not missed


def test_weight_on_blocked_worked_by_hand():
    weights = [[[0.5, 0.25, 0.25], [0, 1, 0]], [[0, 0, 1], [0.2, 0, 0.8]], [[1, 0, 0], [0, 0, 1]]]
    found = head_metrics.weight_on_blocked(weights, core.causal_mask(3)[:2])
    np.testing.assert_allclose(found, [[0.5, 0], [1, 0.8], [0, 1]])
