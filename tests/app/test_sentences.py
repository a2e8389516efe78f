"""Sentences: what a student typed is used as far as it can be, and what a picture shows is said in words."""

import numpy as np
import pytest

from attention_core.text.characters import split_characters
from pages.heads.typed_vectors import numbers_of, vectors_of
from pages.look.sentences import brightest_cell, largest_number
from pages.look.typed import words_of

USUAL = "the cat sat"
LABELS = ["the₁", "cat", "the₃"]


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\x00\x07", "\u200b", "\u202e"])
def test_without_a_word_the_usual_sentence_stands_in(text):
    words, note = words_of(text, USUAL)
    assert words == ["the", "cat", "sat"]
    assert note


@pytest.mark.parametrize("length", [25, 1000])
def test_a_long_sentence_is_cut_with_a_note(length):
    words, note = words_of("".join(f"w{i} " for i in range(length)), USUAL)
    assert words == [f"w{i}" for i in range(24)]
    assert f" 24 of your {length} words" in note


TALL = "\u0300\u0316" * 50


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a" * 10_000, "a" * 40),
        ("\U0001d504" * 10_000, "\U0001d504" * 40),
        ("a" * 39 + "e\u0323\u0302\u0301", "a" * 39),
        (f"Z{TALL}algo", "Z\u0316\u0316\u0316\u0316\u0300\u0300\u0300\u0300algo"),
        ("न" + "म\u0938\u094d" * 30, None),
    ],
)
def test_a_long_or_high_word_is_cut_between_characters_with_a_note(text, word):
    (used,), note = words_of(text, USUAL)
    assert note
    assert 0 < len(used) <= 40
    assert split_characters(used) == split_characters(text)[: len(split_characters(used))] or TALL in text
    assert word is None or len(used) == len(word)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0.9, 0.1;0.8 ,0.2", [0.9, 0.1, 0.8, 0.2]),
        ("−1 -2.5 +3", [-1, -2.5, 3]),
        ("1e1 .5 5.", [10, 0.5, 5]),
        ("99 -99", [99, -99]),
        (" 1\n2\t3 ", [1, 2, 3]),
        ("1 2 3 4 5 6 7 8", [1, 2, 3, 4, 5, 6, 7, 8]),
    ],
)
def test_numbers_are_read_however_they_are_parted(text, numbers):
    assert numbers_of(text) == numbers


def test_what_is_no_list_of_numbers_is_none():
    texts = ["", "  ", ",;", "1 x", "1 2 nan", "inf", "-inf", "1e309", "99.01", "-100", "1 - 2", "<b>", "0x10", "1/2"]
    assert [numbers_of(text) for text in [*texts, "0 " * 9, "1 " * 1000, "1 2 3 4 5 6 7 8 x", "½", "1\x002"]] == [
        None
    ] * 19


@pytest.mark.parametrize(
    ("cat", "mat", "rows", "n_notes"),
    [
        ("1 2 3", "4, 5, 6", [[1, 2, 3], [4, 5, 6]], 0),
        ("1", "4 5 6", [[1, 0, 0], [4, 5, 6]], 1),  # a short one is filled with zeros
        ("much", "7 8", [[0.5, 1], [7, 8]], 1),  # what is no vector is the default for now
        ("1 2 3 4 5 6 7 8 9", "7 8", [[0.5, 1], [7, 8]], 1),
        ("a", "b", [[0.5, 1, 0], [2, 3, 5]], 3),
        ("1 " * 8, "2 " * 9, [[1] * 8, [2, 3, 5] + [0] * 5], 2),
    ],
)
def test_vectors_are_rows_of_one_width_and_what_was_mended_has_its_note(cat, mat, rows, n_notes):
    vectors, notes = vectors_of({"cat": cat, "mat": mat}, {"cat": "0.5 1", "mat": "2 3 5"})
    np.testing.assert_array_equal(vectors, rows)
    assert vectors.dtype == np.float64
    assert len(notes) == n_notes


def brightest(weights, labels, row=None):
    """Return what is said of the largest weight, without the isolates around the words."""
    return brightest_cell(np.array(weights), labels, row).translate(str.maketrans("", "", "\u2068\u2069"))


def test_where_all_is_blocked_no_cell_is_brightest():
    assert brightest(np.zeros((3, 3)), LABELS) == "“the₁” has no key to attend to, so all its weights are 0."


def test_a_word_from_right_to_left_stays_between_its_quotation_marks():
    words = ["مرحبا", "بالعالم"]
    sentence = brightest_cell(np.array([[0.25, 0.75], [0.5, 0.5]]), words, 0)
    assert sentence == "“\u2068مرحبا\u2069” attends most to “\u2068بالعالم\u2069”: 0.75."
    sentence = largest_number(np.array([[1.0], [-2.0]]), words, ["1"], "Score")
    assert sentence == "Score furthest from zero: −2.00, in row “\u2068بالعالم\u2069”, column “\u20681\u2069”."
