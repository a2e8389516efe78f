"""Vectors that belong to words, and labels that tell them apart."""

from unicodedata import normalize

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention_core.text.word_vectors import position_labels, word_vector, word_vectors


def test_a_words_vector_depends_only_on_the_word_the_width_and_the_seed():
    vector = word_vector("cat", 5, seed=7)
    assert vector.shape == (5,)
    assert vector.dtype == np.float64
    np.testing.assert_array_equal(word_vectors(["a", "CAT", "cat"], 5, seed=7)[1:], [vector, vector])
    np.testing.assert_array_equal(word_vector("cafe\u0301", 5), word_vector("CAFÉ", 5))
    for other in (word_vector("cats", 5, 7), word_vector("cat", 5, 8), word_vector("cat", 7, 7)[:5]):
        assert not np.isclose(other, vector).any()


@given(st.lists(st.text(), min_size=2, max_size=7, unique_by=lambda word: normalize("NFC", word).casefold()))
def test_different_words_never_share_a_vector(words):
    padded = [*words, words[0] + "\x00", words[0] + "\x00\x00"]
    keys = {normalize("NFC", normalize("NFC", word).casefold()) for word in padded}
    assert len(np.unique(word_vectors(padded, 2), axis=0)) == len(keys)


def test_labels_carry_the_position_of_repeated_words_only():
    words = ["the", "cat", "sat", "on", "the", "mat"]
    assert position_labels(words) == ["the₁", "cat", "sat", "on", "the₅", "mat"]
    assert position_labels(["The", "the"]) == ["The", "the"]
    assert position_labels(["a"] * 11)[9:] == ["a₁₀", "a₁₁"]
    assert position_labels([]) == []
    assert position_labels(["the", "the₁", "the"]) == ["the₁₁", "the₁₂", "the₃"]
