"""One head whose words know their places in five ways."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.equations.positions import distance_bias
from attention_core.experiments.positions.position_kinds import (
    ADDED,
    KINDS,
    add_positions,
    added_positions,
    concatenate_positions,
    explain_rope_score,
    explain_similarity,
    numbers_of_kind,
    one_word,
    pipeline,
    placed_attention,
    positions_between,
    score_terms,
    shift_positions,
    similarity_table,
    summed_terms,
    term_fractions,
    term_sizes,
)
from attention_core.experiments.positions.position_similarity import diagonal_spread
from attention_core.experiments.positions.probes import nearest_in_parts
from attention_core.experiments.qkv.explain import explain_weight
from attention_core.experiments.qkv.one_head import random_head
from attention_core.rows import largest_difference, reorder, shuffled_order
from attention_core.text.word_vectors import word_vectors
from tests.core.errors import check, says
from tests.core.gradients import drawer

T, D, K = 7, 16, 6
WORDS = ["the", "cat", "sat", "on", "the", "warm", "mat"]
X, HEAD = word_vectors(WORDS, D, 3), random_head(D, K, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_at_an_offset_is_the_rest_of_a_longer_one(kind):
    whole = added_positions(kind, 11, D, base=100.0, seed=5)
    np.testing.assert_array_equal(added_positions(kind, 7, D, base=100.0, offset=4, seed=5), whole[4:])
    assert whole.any() == (kind in ADDED)


def test_the_waves_are_the_cores_and_a_random_table_is_about_as_long():
    np.testing.assert_array_equal(added_positions("sinusoidal", T, D, 50.0), core.sinusoidal_positions(T, D, 50.0))
    drawn = added_positions("learned", 200, 64, seed=1)
    assert np.linalg.norm(drawn, axis=1).mean() == pytest.approx(np.sqrt(32), rel=0.02)
    assert not np.array_equal(drawn, added_positions("learned", 200, 64, seed=2))


def test_adding_worked_by_hand():
    np.testing.assert_array_equal(add_positions([[1, 2]], [[10, 20]], 0.5), [[6, 12]])


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_what_the_equation_says(kind):
    strength, base, offset = 0.75, 200.0, 3
    found = placed_attention(X, HEAD, kind, base, offset, strength, seed=9)
    x = X + strength * added_positions(kind, T, D, base, offset, 9)
    q, k, v = (x @ matrix for matrix in HEAD)
    mask = None
    if kind == "RoPE":
        q, k = core.rotate(q, base, offset), core.rotate(k, base, offset)
    if kind == "ALiBi":
        mask = strength * -0.5 * np.abs(np.arange(T)[:, None] - np.arange(T))
    output, weights = core.scaled_dot_product_attention(q, k, v, mask)
    np.testing.assert_allclose(found.weights, weights, atol=1e-12)
    np.testing.assert_allclose(found.output, output, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_slide_only_tables_that_are_added_change_the_weights(kind):
    here, there = (placed_attention(X, HEAD, kind, offset=offset).weights for offset in (0, 17))
    assert (largest_difference(here, there) > 1e-3) == (kind in ADDED)


@given(st.integers(0, 999))
def test_a_shuffle_without_positions_only_permutes_the_outputs(seed):
    order = shuffled_order(T, seed)
    plain = placed_attention(X, HEAD, "none")
    mixed = placed_attention(reorder(X, order), HEAD, "none")
    np.testing.assert_allclose(mixed.output, plain.output[order], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS[1:])
def test_a_shuffle_with_positions_does_more(kind):
    order = shuffled_order(T, 1)
    plain, mixed = placed_attention(X, HEAD, kind), placed_attention(reorder(X, order), HEAD, kind)
    assert largest_difference(mixed.output, plain.output[order]) > 1e-3


@pytest.mark.parametrize("kind", ADDED)
def test_the_four_terms_sum_to_the_scores(kind):
    places = 1.5 * added_positions(kind, T, D, seed=4)
    terms = score_terms(X, places, HEAD)
    scores = placed_attention(X, HEAD, kind, strength=1.5, seed=4).scores
    np.testing.assert_allclose(summed_terms(terms), scores, atol=1e-12)
    np.testing.assert_allclose(terms.word_word, placed_attention(X, HEAD, "none").scores, atol=1e-12)
    np.testing.assert_allclose(terms.word_place, X @ HEAD.w_q @ (places @ HEAD.w_k).T / np.sqrt(K), atol=1e-12)
    np.testing.assert_allclose(terms.place_word, places @ HEAD.w_q @ (X @ HEAD.w_k).T / np.sqrt(K), atol=1e-12)


def test_without_places_one_term_is_left():
    terms = score_terms(X, np.zeros_like(X), HEAD)
    assert not any(part.any() for part in terms[1:])


def test_a_turned_score_worked_by_hand():
    # width 2: the pair turns by 1 a position, so the score is |q| |k| cos(distance) / √2
    found = explain_rope_score([2, 0], [3, 0], q_at=5, k_at=7)
    np.testing.assert_allclose(found.q_turned, [2 * np.cos(5), 2 * np.sin(5)])
    np.testing.assert_allclose(found.by_pair, [6 * np.cos(2)])
    assert found.score == pytest.approx(6 * np.cos(2) / np.sqrt(2))


@given(st.integers(0, 2**32 - 1), st.integers(0, 30), st.integers(0, 30), st.integers(0, 100))
def test_a_turned_score_depends_on_the_distance(seed, q_at, k_at, slide):
    draw = drawer(seed)
    q, k = draw(K), draw(K)
    here, there = explain_rope_score(q, k, q_at, k_at), explain_rope_score(q, k, q_at + slide, k_at + slide)
    np.testing.assert_allclose(there.by_pair, here.by_pair, atol=1e-9)
    np.testing.assert_allclose(here.by_pair.sum() / np.sqrt(K), here.score)
    np.testing.assert_array_equal(here.q, q)


@given(st.integers(0, 20), st.integers(0, 20))
def test_a_table_moved_on_is_the_table_further_on(here, steps):
    encoding = core.sinusoidal_positions(50, D, 100.0)
    np.testing.assert_allclose(shift_positions(encoding, steps, 100.0)[here], encoding[here + steps], atol=1e-9)


@pytest.mark.parametrize("kind", ["none", "sinusoidal", "RoPE", "ALiBi"])
def test_likeness_depends_on_the_distance_alone(kind):
    assert diagonal_spread(similarity_table(kind, 23, D, 100.0)) < 1e-9


def test_rope_makes_the_very_table_of_the_waves_without_adding_anything():
    np.testing.assert_allclose(similarity_table("RoPE", 23, D), similarity_table("sinusoidal", 23, D), atol=1e-9)
    assert diagonal_spread(similarity_table("learned", 23, D)) > 1
    np.testing.assert_allclose(np.vecdot(one_word(2, D), one_word(2, D)), D / 2)


def test_the_numbers_of_a_kind_are_what_it_works_with():
    np.testing.assert_array_equal(numbers_of_kind("RoPE", T, D), core.sinusoidal_positions(T, D))
    np.testing.assert_array_equal(numbers_of_kind("ALiBi", T, D), distance_bias([0.5], T)[0])
    np.testing.assert_array_equal(numbers_of_kind("learned", T, D, seed=2), added_positions("learned", T, D, seed=2))
    assert not numbers_of_kind("none", T, D).any()


def test_alibis_penalty_is_in_the_derivation_of_a_weight():
    found = placed_attention(X, HEAD, "ALiBi", strength=2.0)
    assert explain_weight(found, 1, 5).added == -4


def test_the_terms_of_a_product_of_two_positions():
    encoding = core.sinusoidal_positions(T, D)
    found = explain_similarity(encoding, 2, 5)
    np.testing.assert_array_equal(found.products, encoding[2] * encoding[5])
    assert found.total == pytest.approx(encoding[2] @ encoding[5])


@pytest.mark.parametrize("order", ["post", "pre"])
@pytest.mark.promise("tutorial 24")
def test_the_pipeline_is_its_parts(order):
    table = core.sinusoidal_positions(T, D)
    found = pipeline(X, table, 0.5, n_heads=4, deviation=0.2, seed=6, order=order)
    w_q, w_k, w_v, w_o = 0.2 * np.random.default_rng([6, 11]).standard_normal((4, D, D))
    together = X + 0.5 * table
    ones, zeros = np.ones(D), np.zeros(D)
    read = core.layer_norm(together, ones, zeros) if order == "pre" else together
    heads, weights = core.multi_head_attention(read, w_q, w_k, w_v, w_o, 4)
    np.testing.assert_allclose(found.together, together)
    np.testing.assert_allclose(found.heads, heads)
    np.testing.assert_allclose(found.weights, weights)
    np.testing.assert_allclose(found.residual, together + heads)
    normed = read if order == "pre" else core.layer_norm(together + heads, ones, zeros)
    np.testing.assert_allclose(found.normed, normed)
    steps = {"post": (heads, together + heads, normed), "pre": (normed, heads, together + heads)}[order]
    for column, rows in enumerate((X, 0.5 * table, together, *steps)):
        np.testing.assert_allclose(found.lengths[:, column], np.linalg.norm(rows, axis=1))


@says(
    (
        lambda: added_positions("rope", T, D),
        "kind must be one of none, sinusoidal, learned, RoPE, ALiBi, got 'rope'",
    ),
    (lambda: placed_attention(X, HEAD, ""), "kind must be one of"),
    (lambda: similarity_table("x", T, D), "kind must be one of"),
    (lambda: added_positions("none", -1, D), "length must be at least 0, got -1"),
    (lambda: added_positions("none", T, D, base=0), "base must be a finite number above 0, got 0"),
    (lambda: add_positions(X, X[1:]), "x and table must have the same shape, got (7, 16) and (6, 16)"),
    (lambda: score_terms(X, X[1:], HEAD), "x and places must have the same shape"),
    (lambda: explain_rope_score([1, 2], [1], 0, 0), "q and k must be vectors of the same length, got (2,) and (1,)"),
    (lambda: explain_similarity(X, 0, 7), "position must be between 0 and 6, got 7"),
    (lambda: pipeline(X, X, deviation=-1), "deviation must be at least 0, got -1"),
)
def test_bad_input_says_what_is_wrong(call, message):
    check(call, message)


def test_between_two_positions_every_pair_is_rotated_by_a_part_of_a_step():
    encoding = core.sinusoidal_positions(3, 6, 100.0)
    places, between = positions_between(encoding, 4, 100.0)
    np.testing.assert_allclose(places, [0.25, 1.25, 0.5, 1.5, 0.75, 1.75])
    angles = places[:, None] * 100.0 ** (-np.array([0, 2, 4]) / 6)
    np.testing.assert_allclose(between[:, 0::2], np.sin(angles), atol=1e-12)
    np.testing.assert_allclose(between[:, 1::2], np.cos(angles), atol=1e-12)
    assert [len(found) for found in positions_between(encoding, 1)] == [0, 0]


def test_each_term_has_its_root_mean_square():
    terms = score_terms(X, np.zeros_like(X), HEAD)
    expected = [np.sqrt(np.mean(terms.word_word**2)), 0, 0, 0]
    np.testing.assert_allclose(term_sizes(terms), expected)
    np.testing.assert_allclose(term_fractions(terms), [1, 0, 0, 0])
    nothing = score_terms(np.zeros_like(X), np.zeros_like(X), HEAD)
    np.testing.assert_array_equal(term_fractions(nothing), np.zeros(4))


def test_concatenation_keeps_word_and_position_apart():
    table = added_positions("sinusoidal", T, D)
    joined = concatenate_positions(X, table, 0.5)
    np.testing.assert_array_equal(joined, np.hstack([X, 0.5 * table]))
    words, places = nearest_in_parts(joined, X, table)
    np.testing.assert_array_equal(places, np.arange(T))
    np.testing.assert_array_equal(X[words], X)
