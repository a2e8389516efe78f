from unicodedata import category, normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.text import (
    Vocabulary,
    position_labels,
    split_characters,
    split_words,
    word_vector,
    word_vectors,
)

FAMILY, HEART_ON_FIRE, THUMB, FLAGS = "👩\u200d👩\u200d👧", "❤\ufe0f\u200d🔥", "👍🏽", ["🇩🇪", "🇫🇷"]
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
PINNED = {
    ("cat", 3): [-0.30970642132647513, -1.3306650471125112, -0.698795040763632],
    ("the", 3): [-0.8835195534205191, 0.8435598092850009, 0.9620151119192717],
    ("cat", 3, 2**40): [-0.5098587314141831, -1.1318852554254106, -0.8719043956027548],
}
MIXED = st.text() | st.text(
    "The cat didn't 3.5,- \r\n\t\x00\u00ad\u200b\u2019\ud800 \u0301e\u0323👩\u200d🏽🇩🇪\ufe0fשָׁलनमस्ते각ᄀ\u1161"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat sat down.", ["The", "cat", "sat", "down", "."]),
        ("the animal didn't cross", ["the", "animal", "didn't", "cross"]),
        ("a well-known cat\u2019s mat", ["a", "well-known", "cat\u2019s", "mat"]),
        ("rock 'n' roll", ["rock", "'", "n", "'", "roll"]),
        ("the dogs' d_k -- why?!", ["the", "dogs", "'", "d_k", "-", "-", "why", "?", "!"]),
        ("3.14 or 1,000.50. v1.2", ["3.14", "or", "1,000.50", ".", "v1.2"]),
        ("e.g. a.b", ["e", ".", "g", ".", "a", ".", "b"]),
        ("cafe\u0301", ["café"]),
        ("(hot)chai", ["(", "hot", ")", "chai"]),
        ("", []),
        (" \t\r\n\x00\x1f\u2028 ", []),
        ("a\x00b\u200bc", ["a", "b", "c"]),
        ("co\u00adop \ufeff\u202ehot\u202c", ["coop", "hot"]),
        ("a\ud800b", ["a", "b"]),
    ],
)
def test_words_are_split_as_a_student_types_them(text, words):
    assert split_words(text) == words


@pytest.mark.parametrize(
    "whole",
    [FAMILY, HEART_ON_FIRE, THUMB, ENGLAND, *FLAGS, "1\ufe0f\u20e3", "q\u0323\u0307", "שָׁלוֹם", "नमस्ते", "น้ำ"],
)
def test_what_is_one_character_or_word_to_a_reader_is_never_cut(whole):
    assert split_words(whole) == [whole]
    assert split_words(f"a {whole}, {whole}!") == ["a", whole, ",", whole, "!"]


def test_emoji_without_spaces_are_tokens_of_their_own():
    assert split_words("".join(["hot", FAMILY, THUMB, *FLAGS, HEART_ON_FIRE])) == [
        "hot",
        FAMILY,
        THUMB,
        *FLAGS,
        HEART_ON_FIRE,
    ]


def test_right_to_left_text_keeps_its_order_and_its_punctuation():
    assert split_words("שָׁלוֹם עולם! مرحبا، ٣\u066b٣") == ["שָׁלוֹם", "עולם", "!", "مرحبا", "،", "٣\u066b٣"]


def test_characters_are_what_a_reader_counts():
    text = f"e\u0301a{FAMILY}{FLAGS[0]}{FLAGS[1]}\r\n각\u11a8 "
    assert split_characters(text) == ["é", "a", FAMILY, *FLAGS, "\r\n", "각\u11a8", " "]
    assert split_characters("") == []


@given(MIXED)
def test_characters_join_up_to_the_text(text):
    assert "".join(split_characters(text)) == normalize("NFC", text)


def visible(text):
    """Return the text without spaces and control characters, with its marks in the canonical order."""
    seen = [char for char in text if category(char)[0] in "LMNPS" or category(char) in {"Co", "Cn"}]
    return normalize("NFD", "".join(seen))


@given(MIXED)
def test_words_join_up_to_all_that_is_visible_of_the_text(text):
    words = split_words(text)
    assert visible("".join(words)) == visible(text)
    assert all(visible(word) for word in words)
    assert not any(char.isspace() or category(char) in {"Cc", "Cs"} for word in words for char in word)


@given(MIXED)
def test_splitting_a_token_again_changes_nothing(text):
    words = split_words(text)
    assert split_words(" ".join(words)) == words


def test_a_vocabulary_numbers_tokens_in_order_of_first_appearance():
    vocabulary = Vocabulary.of(["the", "cat", "sat", "on", "the", "mat"])
    assert vocabulary.tokens == ("<unk>", "the", "cat", "sat", "on", "mat")
    assert list(vocabulary) == list(vocabulary.tokens)
    assert len(vocabulary) == 6
    assert vocabulary.encode(["mat", "the"]).tolist() == [5, 1]
    assert vocabulary.encode(["mat"]).dtype == np.int64
    assert vocabulary.encode([]).shape == (0,)
    assert vocabulary.decode(np.array([5, 1])) == ["mat", "the"]
    assert vocabulary.decode([]) == []


def test_a_small_vocabulary_keeps_the_most_frequent_tokens_in_their_order():
    tokens = ["a", "b", "c", "b", "c", "c", "d"]
    assert Vocabulary.of(tokens, max_size=4).tokens == ("<unk>", "a", "b", "c")
    assert Vocabulary.of(tokens, max_size=3).tokens == ("<unk>", "b", "c")
    assert Vocabulary.of(tokens, unknown=None, max_size=1).tokens == ("c",)


def test_words_are_looked_up_as_typed_then_in_lower_case_then_as_unknown():
    vocabulary = Vocabulary(["the", "The", "didn't", "<unk>"])
    assert vocabulary.unknown == "<unk>"
    assert vocabulary.encode(["The", "THE", "Didn\u2019t", "zebra"]).tolist() == [1, 0, 2, 3]
    assert "THE" in vocabulary
    assert "zebra" not in vocabulary


def test_any_token_can_stand_for_the_unknown_ones():
    assert Vocabulary(["?", "a"], unknown="?").encode(["a", "b"]).tolist() == [1, 0]
    assert Vocabulary.of(["a", "?", "a"], unknown="?").tokens == ("?", "a")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Vocabulary(["a", "b"]).encode(["a", "zebra"]), "tokens must be among the 2 .* got 'zebra'"),
        (lambda: Vocabulary(["a", "b"]).encode("ab"), "tokens must be a list of tokens, .* got 'ab'"),
        (lambda: Vocabulary(["a", "b", "a"]), "tokens must be distinct, got 'a' more than once"),
        (lambda: Vocabulary(["a", 3]), "tokens must be strings, got 3"),
        (lambda: Vocabulary(["a"], unknown="?"), "unknown must be one of the 1 tokens, got '\\?'"),
        (lambda: Vocabulary.of("ab", max_size=1), "max_size must be at least 2, got 1"),
        (lambda: Vocabulary(["a", "b"]).decode([0, 2]), "ids must be between 0 and 1, got 2"),
        (lambda: Vocabulary(["a", "b"]).decode([-1]), "ids must be between 0 and 1, got -1"),
        (lambda: Vocabulary(["a", "b"]).decode([0.5]), "ids must be one row of whole numbers, got float64"),
        (lambda: Vocabulary(["a", "b"]).decode([[0]]), "ids must be one row of whole numbers, .*1, 1"),
        (lambda: word_vector("cat", 0), "width must be at least 1, got 0"),
        (lambda: word_vector("cat", 3, seed=-1), "seed must be at least 0, got -1"),
        (lambda: word_vectors("cat", 3), "words must be a list of tokens, .* got 'cat'"),
        (lambda: position_labels("cat"), "words must be a list of tokens, .* got 'cat'"),
    ],
)
def test_bad_input_says_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


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
