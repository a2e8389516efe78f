"""What a model learns from: batches fit their model, what is held out is never learned, a text may be anything."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.shipped import runs
from attention_core.text import corpora
from attention_core.text.characters import LONGEST_WORD, split_characters
from attention_core.text.small_english import CRIES, WORDS
from attention_core.text.vocabulary import UNKNOWN, Vocabulary
from tests.core.errors import check, says
from tests.tiers import first

SENTENCE = "the small cat saw a red ball and it meowed . "
TEXTS = {
    "own words": lambda: corpora.own_text(SENTENCE * 7, "word"),
    "own characters": lambda: corpora.own_text(SENTENCE * 7, "character"),
}
every_source = pytest.mark.parametrize(
    "source", [*corpora.SOURCES.values(), *TEXTS.values()], ids=[*corpora.SOURCES, *TEXTS]
)
every_length = pytest.mark.parametrize("length", [1, 2, 13, 96])
HANZI = "".join(map(chr, range(0x4E00, 0x4E00 + 190)))  # 190 characters, each of them once


def drawn(source, seed, length=13, n_rows=7):
    return source.draw(np.random.default_rng(seed), n_rows, length)


def same(one, other):
    return np.array_equal(one.rows, other.rows) and (
        (one.counted is None and other.counted is None) or np.array_equal(one.counted, other.counted)
    )


@every_source
@every_length
def test_rows_are_numbers_of_the_vocabulary(source, length):
    learned = source()
    for batch in (drawn(learned, 3, length), learned.held_out(length)):
        assert batch.rows.dtype.kind in "iu"
        assert batch.rows.min() >= 0
        assert batch.rows.max() < len(learned.vocabulary)
        assert 2 <= batch.rows.shape[1] <= 1 + length
        assert batch.counted is None or (batch.counted.dtype, batch.counted.shape) == (bool, batch.rows[:, 1:].shape)
    assert len(drawn(learned, 3, length).rows) == 7
    assert len(learned.held_out(length).rows) == corpora.TESTED


@pytest.mark.parametrize("name", ["english", "pronoun", "recall", "stories"])
def test_what_is_made_fresh_is_held_out_by_a_seed_that_no_run_uses(name):
    source = corpora.source_of(name)
    assert same(source.held_out(13), drawn(source, corpora.HELD_OUT, n_rows=corpora.TESTED))
    held_out = {tuple(row) for row in source.held_out(24).rows}
    for seed, step in [(0, 1), (3, 1), (corpora.HELD_OUT, 1), (0, corpora.HELD_OUT)]:  # as a run seeds its draws
        learned = source.draw(np.random.default_rng([seed, step]), 101, 24)
        assert not held_out & {tuple(row) for row in learned.rows}


@pytest.mark.parametrize("length", [1, 5, 18, 96])
def test_the_end_of_a_text_is_held_out_and_never_drawn(length):
    source = corpora.own_text(HANZI, "character")  # the last 19 of 190
    learned = set(drawn(source, 0, length, n_rows=2003).rows.ravel())
    tested = set(source.held_out(length).rows.ravel())
    assert learned == set(range(171))
    assert tested <= set(range(171, 190))
    assert len(tested) > 17


@pytest.mark.parametrize("length", [1, 8, 24, 61])
def test_of_a_story_the_cry_alone_counts(length):
    rows, counted = corpora.source_of("pronoun").held_out(length)
    for row, counts in zip(rows, counted, strict=True):
        words = [WORDS[token] for token in row]
        after = [second for first, second in pairwise(words) if first in ("it", "they")]
        assert [word for word, count in zip(words[1:], counts, strict=True) if count] == after
        assert set(after) <= set(CRIES.values())
    assert counted.any() == (length > 1)


@pytest.mark.parametrize("length", [1, 2, 3, 24, 31, 32])
def test_of_letters_and_digits_those_digits_count_whose_letter_was_seen_before(length):
    source = corpora.source_of("recall")
    rows, counted = source.held_out(length)
    for row, counts in zip(rows, counted, strict=True):
        text, digit_of = source.vocabulary.decode(row), {}
        for place, count in enumerate(counts):
            assert count == (text[place] in digit_of)
            if text[place].isalpha():
                assert digit_of.setdefault(text[place], text[place + 1]) == text[place + 1]
            assert text[place].isalpha() == (place % 2 == 0)
    assert counted.any() == (length > 2)


# baselines


def test_baselines_on_paper():
    """Learned: ten a and 26 b; the window of 35 targets is all but the first. Held out: "aaab", its targets "aab"."""
    source = corpora.own_text(10 * "a" + 26 * "b" + "aaab", "character")
    found = corpora.baseline_losses(source, 35)
    assert found.uniform == pytest.approx(math.log(2))
    a, b = 4007 * 9 + 1, 4007 * 26 + 1  # in 4007 rows; once more, as two kinds of token have half a chance each
    assert found.unigram == pytest.approx(-(2 * math.log(a / (a + b)) + math.log(b / (a + b))) / 3)


# texts of one's own


def run_of(source, length=96, steps=2):
    """Return how a small model's run over a source went."""
    plan = runs.Plan(core.Config(len(source.vocabulary), 4, 2, 1, length), steps, batch_size=3)
    run = runs.start_training(plan, source)
    return [record for _, record in runs.records(run, source, steps) if record]


@pytest.mark.parametrize(
    ("text", "unit", "tokens"),
    [
        ("a" * 99, "character", ["a"]),
        ("cat " * 99, "word", ["cat"]),
        ("👩\u200d👩\u200d👧👍🏽🇩🇪" * 31, "character", ["🇩🇪", "👍🏽", "👩\u200d👩\u200d👧"]),
        ("👩\u200d👩\u200d👧 👍🏽🇩🇪" * 31, "word", ["🇩🇪", "👍🏽", "👩\u200d👩\u200d👧"]),
        ("שלום עולם! " * 31, "word", ["!", "עולם", "שלום"]),
        ("مَرحبا" * 31, "character", ["ا", "ب", "ح", "ر", "مَ"]),
        ("one\r\ntwo\r\n" * 31, "word", ["one", "two"]),
        ("a\r\nb\r" * 31, "character", ["\r", "\r\n", "a", "b"]),
        ("cafe\u0301 " * 31, "character", [" ", "a", "c", "f", "é"]),
        ("\x00\x01\x02" * 31, "character", ["\x00", "\x01", "\x02"]),
        (" " * 99, "character", [" "]),
        ("<unk> a" * 31, "word", ["<", ">", "a", "unk"]),
        ("The the " * 31, "word", ["The", "the"]),
    ],
    ids=repr,
)
def test_every_text_has_a_vocabulary_and_can_be_learned(text, unit, tokens):
    source = corpora.own_text(text, unit)
    assert list(source.vocabulary.tokens) == tokens
    assert (source.name, source.unit) == ("own", unit)
    assert source.says == f"a text of your own, {len(text)} characters"
    assert all(math.isfinite(record.tested) for record in run_of(source, 7))
    assert all(map(math.isfinite, corpora.baseline_losses(source, 7)))


@pytest.mark.parametrize(
    ("unit", "most", "text"),
    [
        ("word", 1000, " ".join(f"w{i} w{i}" for i in range(999)) + " once never again"),
        ("character", 200, "".join(2 * chr(0x4E00 + i) for i in range(199)) + "once"),
    ],
)
def test_of_too_many_tokens_the_frequent_stay_and_the_others_are_unknown(unit, most, text):
    source = corpora.own_text(text, unit)
    assert len(source.vocabulary) == most
    assert source.vocabulary.tokens[:2] == (UNKNOWN, corpora.split(text, unit)[0])
    assert set(source.held_out(300).rows.ravel()) >= {0}
    assert "once" not in source.vocabulary


def test_a_word_too_long_to_be_shown_is_unknown():
    longest = "n" * LONGEST_WORD
    source = corpora.own_text(f"a {longest} b {longest}n " * 31, "word")
    assert source.vocabulary.tokens == (UNKNOWN, "a", "b", longest)
    endless = corpora.own_text(("a" + "\u0301" * 400_000) + "b" * 99, "character")
    assert endless.vocabulary.tokens == (UNKNOWN, "b")


@given(st.text(st.characters(max_codepoint=127, exclude_characters="\r"), max_size=300))
def test_the_fast_way_through_plain_text_is_the_usual_one(text):
    vocabulary, ids = corpora.encode_text(text, "character")
    tokens = split_characters(text)
    usual = Vocabulary(sorted(set(tokens)))
    assert vocabulary.tokens == usual.tokens
    assert ids.tolist() == usual.encode(tokens).tolist()


@given(st.text(max_size=300), st.sampled_from(["word", "character"]))
def test_any_text_is_learned_or_refused_in_words(text, unit):
    try:
        source = corpora.own_text(text, unit)
    except ValueError as problem:
        assert str(problem).startswith("text must ")  # noqa: PT017
        return
    assert len(corpora.split(text, unit)) >= corpora.SHORTEST
    assert same(source.held_out(5), source.held_out(5))
    assert drawn(source, 0).rows.max() < len(source.vocabulary)


@pytest.mark.parametrize("unit", ["word", "character"])
@pytest.mark.parametrize(
    "piece", first(1, ["the cat sat . ", "the cat\r\n", "مرحبا بالعالم ", "a👩\u200d👩\u200d👧 ", "e\u0301\u0327 "])
)
def test_the_largest_text_is_read(piece, unit):
    """Each takes a second at most."""
    text = (piece * (corpora.LARGEST_TEXT // len(piece) + 1))[: corpora.LARGEST_TEXT]
    assert corpora.own_text(text, unit).says == "a text of your own, 500,000 characters"


@says(
    (lambda: corpora.own_text("", "word"), "text must have at least 40 words, got 0"),
    (lambda: corpora.own_text("a" * 39, "character"), "text must have at least 40 characters, got 39"),
    (lambda: corpora.own_text("a" * 500, "word"), "text must have at least 40 words, got 1"),
    (lambda: corpora.own_text(" \n" * 500, "word"), "text must have at least 40 words, got 0"),
    (lambda: corpora.own_text("e" + "\u0301" * 400_000, "character"), "text must have at least 40 characters, got 1"),
    (lambda: corpora.own_text("a" * 500_001, "word"), "text must have at most 500,000 characters, got 500,001"),
    (
        lambda: corpora.own_text("a\ud800" * 50, "character"),
        "text must contain whole characters, got half of a surrogate pair",
    ),
    (lambda: corpora.own_text("a " * 50, "letter"), "unit must be one of word, character, got 'letter'"),
    (lambda: corpora.source_of("English"), "name must be one of english, pronoun, recall, stories, got 'English'"),
    (lambda: corpora.source_of("own"), "name must be one of english, pronoun, recall, stories, got 'own'"),
)
def test_bad_input_says_what_is_wrong(call, message):
    check(call, message)
