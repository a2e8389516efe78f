"""Vectors that belong to words, and labels that tell them apart."""

from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.text.word_vectors import position_labels, word_vector, word_vectors

PINNED = {
    ("cat", 3): [-0.30970642132647513, -1.3306650471125112, -0.698795040763632],
    ("the", 3): [-0.8835195534205191, 0.8435598092850009, 0.9620151119192717],
    ("cat", 3, 2**40): [-0.5098587314141831, -1.1318852554254106, -0.8719043956027548],
}


@pytest.mark.promise("pitfall 2")
def test_a_words_vector_depends_only_on_the_word_the_width_and_the_seed():
    vector = word_vector("cat", 5, seed=7)
    assert vector.shape == (5,)
    assert vector.dtype == np.float64
    np.testing.assert_array_equal(word_vectors(["a", "CAT", "cat"], 5, seed=7)[1:], [vector, vector])
    np.testing.assert_array_equal(word_vector("cafe\u0301", 5), word_vector("CAFÉ", 5))
    for other in (word_vector("cats", 5, 7), word_vector("cat", 5, 8), word_vector("cat", 7, 7)[:5]):
        assert not np.isclose(other, vector).any()


def test_a_words_vector_is_the_same_in_every_year():
    for arguments, vector in PINNED.items():
        np.testing.assert_allclose(word_vector(*arguments), vector, rtol=1e-12)


@given(st.lists(st.text(), min_size=2, max_size=7, unique_by=lambda word: normalize("NFC", word).casefold()))
@pytest.mark.promise("page 10")
def test_different_words_never_share_a_vector(words):
    padded = [*words, words[0] + "\x00", words[0] + "\x00\x00"]
    keys = {normalize("NFC", normalize("NFC", word).casefold()) for word in padded}
    assert len(np.unique(word_vectors(padded, 2), axis=0)) == len(keys)


def test_word_vectors_are_standard_normal():
    vectors = word_vectors([f"word{number}" for number in range(101)], 97)  # (T, D)
    assert vectors.shape == (101, 97)
    assert abs(vectors.mean()) < 0.03
    assert abs(vectors.std() - 1) < 0.03
    assert word_vectors([], 5).shape == (0, 5)


def test_labels_carry_the_position_of_repeated_words_only():
    words = ["the", "cat", "sat", "on", "the", "mat"]
    assert position_labels(words) == ["the₁", "cat", "sat", "on", "the₅", "mat"]
    assert position_labels(["The", "the"]) == ["The", "the"]
    assert position_labels(["a"] * 11)[9:] == ["a₁₀", "a₁₁"]
    assert position_labels([]) == []
    assert position_labels(["the", "the₁", "the"]) == ["the₁₁", "the₁₂", "the₃"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: word_vector("cat", 0), "width must be at least 1, got 0"),
        (lambda: word_vector("cat", 3, seed=-1), "seed must be at least 0, got -1"),
        (lambda: word_vectors("cat", 3), "words must be a list of tokens, .* got 'cat'"),
        (lambda: position_labels("cat"), "words must be a list of tokens, .* got 'cat'"),
    ],
)
def test_bad_input_says_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()
