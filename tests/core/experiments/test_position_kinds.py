"""One head whose words know their places in five ways."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.positions import position_kinds
from attention_core.experiments.qkv.one_head import random_head
from attention_core.text.word_vectors import word_vectors

T, D, K = 7, 16, 6
WORDS = ["the", "cat", "sat", "on", "the", "warm", "mat"]
X, HEAD = word_vectors(WORDS, D, 3), random_head(D, K, 3)


@pytest.mark.parametrize("kind", position_kinds.KINDS)
def test_a_table_at_an_offset_is_the_rest_of_a_longer_one(kind):
    whole = position_kinds.added_positions(kind, 11, D, base=100.0, seed=5)
    np.testing.assert_array_equal(position_kinds.added_positions(kind, 7, D, base=100.0, offset=4, seed=5), whole[4:])
    assert whole.any() == (kind in position_kinds.ADDED)


@pytest.mark.parametrize("kind", position_kinds.KINDS)
def test_each_kind_is_what_the_equation_says(kind):
    strength, base, offset = 0.75, 200.0, 3
    found = position_kinds.placed_attention(X, HEAD, kind, base, offset, strength, seed=9)
    x = X + strength * position_kinds.added_positions(kind, T, D, base, offset, 9)
    q, k, v = (x @ matrix for matrix in HEAD)
    mask = None
    if kind == "RoPE":
        q, k = core.rotate(q, base, offset), core.rotate(k, base, offset)
    if kind == "ALiBi":
        mask = strength * -0.5 * np.abs(np.arange(T)[:, None] - np.arange(T))
    output, weights = core.scaled_dot_product_attention(q, k, v, mask)
    np.testing.assert_allclose(found.weights, weights, atol=1e-12)
    np.testing.assert_allclose(found.output, output, atol=1e-12)


def test_a_turned_score_worked_by_hand():
    # width 2: the pair turns by 1 a position, so the score is |q| |k| cos(distance) / √2
    found = position_kinds.explain_rope_score(np.array([2.0, 0]), np.array([3.0, 0]), q_at=5, k_at=7)
    np.testing.assert_allclose(found.q_turned, [2 * np.cos(5), 2 * np.sin(5)])
    np.testing.assert_allclose(found.by_pair, [6 * np.cos(2)])
    assert found.score == pytest.approx(6 * np.cos(2) / np.sqrt(2))


def test_between_two_positions_every_pair_is_rotated_by_a_part_of_a_step():
    encoding = core.sinusoidal_positions(3, 6, 100.0)
    places, between = position_kinds.positions_between(encoding, 4, 100.0)
    np.testing.assert_allclose(places, [0.25, 1.25, 0.5, 1.5, 0.75, 1.75])
    angles = places[:, None] * 100.0 ** (-np.array([0, 2, 4]) / 6)
    np.testing.assert_allclose(between[:, 0::2], np.sin(angles), atol=1e-12)
    np.testing.assert_allclose(between[:, 1::2], np.cos(angles), atol=1e-12)
    assert [len(found) for found in position_kinds.positions_between(encoding, 1)] == [0, 0]
