"""Heads set by hand: each does what its name says, on sentences of the tutorials and on any others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.experiments.qkv.one_head import (
    LONGEST,
    NARROWEST,
    attend,
    hand_set_embedding,
    hand_set_head,
    random_head,
)
from attention_core.experiments.scaling import head_metrics
from attention_core.text.small_english import ADJECTIVES, NOUNS
from attention_core.text.word_vectors import word_vectors

TUTORIALS = [
    "The cat sat down",
    "The chai is hot",
    "The cat sat on the mat",
    "The cat sat on the warm mat",
    "a fluffy blue creature roamed the verdant forest",
    "The animal didn't cross the street because it was too tired",
]
WORDS = ["the", "Cat", "sat", "on", "a", "mat", "🐈", "émigré", "x", "blue", "forest", "..."]
sentences = st.lists(st.sampled_from(WORDS), min_size=2, max_size=LONGEST)
widths = st.integers(NARROWEST, 53)
head_widths = st.integers(5, 31)
seeds = st.integers(0, 2**32 - 1)
FUTURE = {length: core.additive_mask(core.causal_mask(length)) for length in range(LONGEST + 1)}


def one_head(words, job=None, seed=0, d_model=16, d_head=8):
    if job:
        return attend(hand_set_embedding(words, d_model, seed), hand_set_head(job, d_model, d_head))
    return attend(word_vectors(words, d_model, seed), random_head(d_model, d_head, seed))


@given(words=sentences, seed=seeds, d_model=widths, d_head=head_widths)
def test_the_previous_word_head_looks_at_the_previous_word(words, seed, d_model, d_head):
    x, head = hand_set_embedding(words, d_model, seed), hand_set_head("previous word", d_model, d_head)
    for mask in (None, FUTURE[len(words)]):
        weights = attend(x, head, mask).weights
        assert head_metrics.previous_word_score(weights) > 0.99
        assert weights[0, 0] > 0.99  # before the first there is none: it looks at the nearest, itself


@given(words=sentences, seed=seeds, d_model=widths, d_head=head_widths)
def test_the_first_word_head_looks_at_the_first_word(words, seed, d_model, d_head):
    x, head = hand_set_embedding(words, d_model, seed), hand_set_head("first word", d_model, d_head)
    for mask in (None, FUTURE[len(words)]):
        assert head_metrics.first_word_score(attend(x, head, mask).weights) > 0.99


@given(words=sentences, seed=seeds, d_model=widths, d_head=head_widths)
def test_the_same_word_head_looks_most_and_alike_at_all_places_of_its_word(words, seed, d_model, d_head):
    weights = one_head(words, "same word", seed, d_model, d_head).weights
    same = head_metrics.same_word([word.lower() for word in words])
    for row, places in zip(weights, same, strict=True):
        assert np.ptp(row[places]) < 1e-12
        assert row[places].min() >= row.max() - 1e-12
        assert len(set(row[places].round(9)) & set(row[~places].round(9))) == 0


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("The cat sat on the warm mat", [("warm", "mat")]),
        ("a fluffy blue creature roamed the verdant forest", [("fluffy", "creature"), ("verdant", "forest")]),
        ("A Fluffy Blue Creature roamed", [("Blue", "Creature")]),
        ("the red ball the blue cat saw", [("red", "ball"), ("blue", "cat")]),
    ],
)
def test_an_adjective_looks_at_its_noun(text, pairs):
    words = text.split()
    weights = one_head(words, "adjective to noun").weights
    for adjective, noun in pairs:
        assert weights[words.index(adjective), words.index(noun)] > 0.95


@given(
    words=st.lists(st.sampled_from([*NOUNS[:5], *ADJECTIVES[:5], "the", "sat"]), min_size=2, max_size=LONGEST),
    seed=seeds,
)
def test_of_several_nouns_the_nearest_is_meant_and_of_two_as_near_the_later(words, seed):
    weights = one_head(words, "adjective to noun", seed).weights
    nouns = [position for position, word in enumerate(words) if word in NOUNS]
    for position, word in enumerate(words):
        nearest = min(nouns, key=lambda noun: (abs(noun - position), -noun), default=None)
        if word in ADJECTIVES and nearest is not None and abs(nearest - position) < 6:
            assert weights[position].argmax() == nearest


def test_a_head_without_a_job_is_random_and_decided_by_its_seed():
    words = TUTORIALS[2].split()
    first, again, other = (one_head(words, seed=seed).weights for seed in (3, 3, 5))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0.01
    np.testing.assert_allclose(first.sum(axis=-1), 1)
    assert random_head(7, 3, seed=1).w_v.shape == (7, 3)


@given(seed=seeds, d_model=st.integers(1, 53), widths=st.lists(st.integers(1, 32), min_size=4, max_size=4))
def test_a_wider_head_begins_with_the_columns_of_a_narrower_one(seed, d_model, widths):
    d_head, more, d_value, more_value = widths
    head = random_head(d_model, d_head, seed, d_value)
    wider = random_head(d_model, d_head + more, seed, d_value + more_value)
    assert [matrix.shape for matrix in head] == [(d_model, d_head), (d_model, d_head), (d_model, d_value)]
    for matrix, wide in zip(head, wider, strict=True):
        np.testing.assert_array_equal(matrix, wide[:, : matrix.shape[1]])
