"""Tokens and their numbers."""

import numpy as np

from attention_core.text.vocabulary import Vocabulary


def test_a_vocabulary_numbers_tokens_in_order_of_first_appearance():
    vocabulary = Vocabulary.of(["the", "cat", "sat", "on", "the", "mat"], max_size=6)
    assert vocabulary.tokens == ("<unk>", "the", "cat", "sat", "on", "mat")
    assert list(vocabulary) == list(vocabulary.tokens)
    assert len(vocabulary) == 6
    assert vocabulary.encode(["mat", "the"]).tolist() == [5, 1]
    assert vocabulary.encode(["mat"]).dtype == np.int64
    assert vocabulary.encode([]).shape == (0,)
    assert vocabulary.decode(np.array([5, 1])) == ["mat", "the"]


def test_a_small_vocabulary_keeps_the_most_frequent_tokens_in_their_order():
    tokens = ["a", "b", "c", "<unk>", "b", "c", "<unk>", "c", "d"]
    assert Vocabulary.of(tokens, max_size=4).tokens == ("<unk>", "a", "b", "c")
    assert Vocabulary.of(tokens, max_size=3).tokens == ("<unk>", "b", "c")


def test_words_are_looked_up_as_typed_then_in_lower_case_then_as_unknown():
    vocabulary = Vocabulary(["the", "The", "didn't", "<unk>"])
    assert vocabulary.encode(["The", "THE", "Didn\u2019t", "zebra"]).tolist() == [1, 0, 2, 3]
    assert "THE" in vocabulary
    assert "zebra" not in vocabulary
