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
        (
            lambda weights: head_metrics.induction_score(weights, ["a", "a", "b", "a"]),
            0.2 + 0.3,
        ),  # nothing but itself follows the first
    ],
)
def test_scores_of_a_table_by_hand(measure, value):
    assert measure(TABLE) == pytest.approx(value)
    for batch in BATCHES:
        np.testing.assert_allclose(measure(np.broadcast_to(TABLE, (*batch, 4, 4))), np.full(batch, value))


@pytest.mark.parametrize("measure", [head_metrics.same_word_score, head_metrics.induction_score])
def test_words_that_never_come_again_have_no_score(measure):
    assert measure(TABLE, ["a", "b", "c", "d"]) == 0


def test_a_lone_word_has_no_previous_and_no_first():
    assert head_metrics.previous_word_score([[1.0]]) == head_metrics.first_word_score([[1.0]]) == 0
    assert head_metrics.self_score([[1.0]]) == 1


def test_a_perfect_induction_head_scores_one():
    words = ["a", "b", "c", "a", "b", "c"]
    weights = np.zeros((6, 6))
    weights[range(6), [0, 0, 0, 1, 2, 3]] = 1  # at the second a, look at the b after the first one
    assert head_metrics.induction_score(weights, words) == 1
    assert head_metrics.same_word_score(weights, words) == 0


def test_entropy_by_hand():
    np.testing.assert_allclose(
        head_metrics.entropy([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25] * 4, [0.5, 0.25, 0.25, 0]]),
        [0, math.log(2), math.log(4), 1.5 * math.log(2)],
    )


@given(seed=seeds, sharpness=st.floats(0, 50))
def test_entropy_lies_between_one_key_and_all_alike(seed, sharpness):
    share = head_metrics.entropy_share(shares(seed, H, T, S, sharpness=sharpness))
    assert share.shape == (H, T)
    assert ((share >= 0) & (share <= 1 + 1e-12)).all()


def test_a_share_of_the_entropy_counts_only_what_a_row_may_see():
    blocked = core.causal_mask(4)
    even = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
    np.testing.assert_allclose(head_metrics.entropy_share(even, blocked), [0, 1, 1, 1])  # one key alone: 0, not NaN
    np.testing.assert_allclose(head_metrics.entropy_share(even), np.log([1, 2, 3, 4]) / math.log(4))
    np.testing.assert_allclose(
        head_metrics.entropy_share(np.broadcast_to(even, (H, 4, 4)), blocked), [[0, 1, 1, 1]] * H
    )
    assert head_metrics.entropy_share(np.zeros((1, 3)), np.ones((1, 3), bool)) == 0  # nothing to look at at all


def test_the_jacobian_by_hand():
    # of (¾, ¼): ¾·¼ on the diagonal and minus it beside, four numbers of 3/16
    np.testing.assert_allclose(head_metrics.softmax_jacobian([0.75, 0.25]), [[3 / 16, -3 / 16], [-3 / 16, 3 / 16]])
    assert head_metrics.jacobian_norm([0.75, 0.25]) == pytest.approx(2 * 3 / 16)
    assert head_metrics.jacobian_norm([0.5, 0.5, 0]) == pytest.approx(0.5)
    assert head_metrics.jacobian_norm([0, 1, 0]) == 0


@given(seed=seeds, sharpness=st.floats(0, 50))
@pytest.mark.promise("scaling 1")
def test_the_jacobian_is_how_softmax_moves(seed, sharpness):
    scores = sharpness * np.random.default_rng(seed).standard_normal((H, S))
    jacobian = head_metrics.softmax_jacobian(core.softmax(scores))
    assert jacobian.shape == (H, S, S)
    np.testing.assert_allclose(
        head_metrics.jacobian_norm(core.softmax(scores)), np.linalg.norm(jacobian, axis=(-2, -1)), atol=1e-7
    )
    step = 1e-5 * np.eye(S)
    moved = (core.softmax(scores[:, None] + step) - core.softmax(scores[:, None] - step)) / 2e-5  # (H, moved score, S)
    np.testing.assert_allclose(jacobian, moved.mT, atol=1e-8)


@given(seed=seeds, sharpness=st.floats(0, 50))
def test_the_jacobian_never_exceeds_a_half(seed, sharpness):
    assert (head_metrics.jacobian_norm(shares(seed, 13, S, sharpness=sharpness)) <= 0.5 + 1e-12).all()


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


@given(seed=seeds, width=st.integers(1, 5))
def test_a_head_has_at_most_the_rank_of_its_width(seed, width):
    rng = np.random.default_rng(seed)
    w_q, w_k = rng.standard_normal((2, D, width))
    assert head_metrics.rank(w_q @ w_k.T) == width
    assert head_metrics.rank(np.zeros((D, D))) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: head_metrics.entropy([0.5, -0.5]), "weights must be between 0 and 1, got -0.5 to 0.5"),
        (lambda: head_metrics.entropy([0.5, 1.5]), "weights must be between 0 and 1, got 0.5 to 1.5"),
        (
            lambda: head_metrics.jacobian_norm([0.5, float("nan")]),
            "weights must be between 0 and 1, got nan to nan",
        ),
        (lambda: head_metrics.self_score(np.ones((2, 3)) / 3), r"weights must be square, .* got \(2, 3\)"),
        (lambda: head_metrics.previous_word_score([0.5, 0.5]), r"weights must have at least 2 axes, got shape \(2,\)"),
        (
            lambda: head_metrics.same_word_score(TABLE, ["a", "b"]),
            "words must be as many as the weights have rows, got 2",
        ),
        (
            lambda: head_metrics.induction_score(TABLE, ["a"] * 5),
            "words must be as many as the weights have rows, got 5",
        ),
        (
            lambda: head_metrics.contributions(TABLE, np.ones((3, 4, 2)), np.ones((5, 7))),
            "w_o must have a row for each number of each head, got",
        ),
        (
            lambda: head_metrics.contributions(TABLE, np.ones((3, 5, 2)), np.ones((6, 7))),
            "weights must have a column for each row of v, got",
        ),
        (lambda: head_metrics.rank([1.0, 2.0]), r"matrix must have at least 2 axes, got shape \(2,\)"),
    ],
)
def test_what_is_no_table_of_weights_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_causal_head_that_looks_at_every_twin_it_may_see_scores_one():
    weights = np.array([[1, 0, 0], [0.5, 0.5, 0], [1, 0, 0]])
    assert head_metrics.same_word_score(weights, ["a", "b", "a"], np.triu(np.ones((3, 3), bool), 1)) == 1
    assert head_metrics.same_word_score(weights, ["a", "b", "a"]) == 0.5


def test_the_measures_of_heads_are_the_single_ones_together():
    weights = shares(5, H, S, S)
    words = list("abcabca")
    found = head_metrics.measure_heads(weights, words)
    np.testing.assert_allclose(found.entropy, head_metrics.entropy_share(weights).mean(axis=-1))
    np.testing.assert_allclose(found.previous_word, head_metrics.previous_word_score(weights))
    np.testing.assert_allclose(found.first_word, head_metrics.first_word_score(weights))
    np.testing.assert_allclose(found.self, head_metrics.self_score(weights))
    np.testing.assert_allclose(found.same_word, head_metrics.same_word_score(weights, words))


def test_a_row_without_a_choice_says_nothing_of_the_spread():
    even = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
    assert head_metrics.measure_heads(even, WORDS, core.causal_mask(4)).entropy == pytest.approx(1)
    assert head_metrics.measure_heads([[1.0]], ["a"]).entropy == 0
    assert head_metrics.measure_heads([[1.0]], ["a"], core.causal_mask(1)).entropy == 0
