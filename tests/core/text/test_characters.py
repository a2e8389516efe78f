from unicodedata import category, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.text.characters import beginning, short_label, split_characters, split_words

FAMILY, HEART_ON_FIRE, THUMB, FLAGS = "👩\u200d👩\u200d👧", "❤\ufe0f\u200d🔥", "👍🏽", ["🇩🇪", "🇫🇷"]
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
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
    "whole", [FAMILY, HEART_ON_FIRE, THUMB, ENGLAND, *FLAGS, "1\ufe0f\u20e3", "q\u0323\u0307", "שָׁלוֹם", "नमस्ते", "น้ำ"]
)
def test_what_is_one_character_or_word_to_a_reader_is_never_cut(whole):
    assert split_words(whole) == [whole]
    assert split_words(f"a {whole}, {whole}!") == ["a", whole, ",", whole, "!"]


def test_characters_are_what_a_reader_counts():
    text = f"e\u0301a{FAMILY}{FLAGS[0]}{FLAGS[1]}\r\n각\u11a8 "
    assert split_characters(text) == ["é", "a", FAMILY, *FLAGS, "\r\n", "각\u11a8", " "]
    assert split_characters("") == []


@pytest.mark.parametrize("marks", ["\u0301", "\u0301\u0327", "\u200d👩", "\U000e0067"])
def test_a_character_that_never_ends_takes_no_longer_than_others(marks):
    """Were each mark looked at again for the next one, or all put into order, this would take minutes."""
    text = "e" + marks * 100_000
    assert "".join(split_characters(text)) == text
    assert "".join(split_words(text)) == text


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


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("abc", 3, "abc"),
        ("abc", 2, "ab"),
        ("ae\u0323\u0302", 3, "a"),
        ("ae\u0323\u0302b", 4, "ae\u0323\u0302"),
        (f"a{FAMILY}b", 5, "a"),
        (f"a{FAMILY}b", 6, f"a{FAMILY}"),
        (f"{''.join(FLAGS)}", 3, FLAGS[0]),
        ("\U0001d504" * 9, 4, "\U0001d504" * 4),
        (FAMILY, 2, FAMILY[:2]),
    ],
)
def test_a_text_is_cut_between_two_characters(text, most, kept):
    assert beginning(text, most) == kept


@given(MIXED, st.integers(1, 9))
def test_a_cut_text_is_as_long_as_whole_characters_allow(text, most):
    kept = beginning(text, most)
    assert text.startswith(kept)
    assert len(kept) <= most
    assert "".join(split_characters(text)).startswith("".join(split_characters(kept))) or len(kept) == most
    assert kept or not text


@pytest.mark.parametrize(
    ("word", "label"),
    [
        ("internationalization", "internationalization"),
        ("獅" * 20, "獅" * 20),
        ("\U0001d504" * 8, "\U0001d504" * 8),
        ("\U0001d504" * 9, "\U0001d504" * 8 + "…"),
        ("q\u0323" * 9, "q\u0323" * 8 + "…"),
        ("\u0301", "◌\u0301"),
        ("", ""),
    ],
)
def test_a_label_that_a_chart_might_cut_within_a_character_is_cut_before(word, label):
    assert short_label(word) == label
