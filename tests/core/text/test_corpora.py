"""What a model learns from: batches fit their model, what is held out is never learned, a text may be anything."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.shipped import runs
from attention_core.text.characters import LONGEST_WORD, split_characters
from attention_core.text.corpora import (
    HELD_OUT,
    LARGEST_TEXT,
    SHORTEST,
    SOURCES,
    TESTED,
    baseline_losses,
    bible_text,
    encode_text,
    own_text,
    source_of,
    split,
    uniform_loss,
)
from attention_core.text.small_english import CRIES, WORDS
from attention_core.text.vocabulary import UNKNOWN, Vocabulary
from tests.core.errors import check, says
from tests.tiers import first

SENTENCE = "the small cat saw a red ball and it meowed . "
TEXTS = {
    "own words": lambda: own_text(SENTENCE * 7, "word"),
    "own characters": lambda: own_text(SENTENCE * 7, "character"),
}
every_source = pytest.mark.parametrize("source", [*SOURCES.values(), *TEXTS.values()], ids=[*SOURCES, *TEXTS])
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
    assert len(learned.held_out(length).rows) == TESTED


@every_source
def test_a_generator_decides_a_batch_and_another_brings_another(source):
    assert same(drawn(source(), 5), drawn(source(), 5))
    assert not same(drawn(source(), 5), drawn(source(), 6))


@every_source
def test_what_is_held_out_is_always_the_same(source):
    one = source()
    first = one.held_out(13)
    drawn(one, 3)
    assert same(first, one.held_out(13))
    assert same(first, source().held_out(13))


@pytest.mark.parametrize("name", ["english", "pronoun", "recall", "stories"])
def test_what_is_made_fresh_is_held_out_by_a_seed_that_no_run_uses(name):
    source = source_of(name)
    assert same(source.held_out(13), drawn(source, HELD_OUT, n_rows=TESTED))
    held_out = {tuple(row) for row in source.held_out(24).rows}
    for seed, step in [(0, 1), (3, 1), (HELD_OUT, 1), (0, HELD_OUT)]:  # as a run seeds its draws
        learned = source.draw(np.random.default_rng([seed, step]), 101, 24)
        assert not held_out & {tuple(row) for row in learned.rows}


@pytest.mark.parametrize("length", [1, 5, 18, 96])
def test_the_end_of_a_text_is_held_out_and_never_drawn(length):
    source = own_text(HANZI, "character")  # the last 19 of 190
    learned = set(drawn(source, 0, length, n_rows=2003).rows.ravel())
    tested = set(source.held_out(length).rows.ravel())
    assert learned == set(range(171))
    assert tested <= set(range(171, 190))
    assert len(tested) > 17


def test_less_of_a_long_text_is_held_out():
    text = bible_text()
    source = source_of("bible")
    windows = {"".join(source.vocabulary.decode(row)) for row in source.held_out(96).rows}
    assert len(windows) == TESTED
    assert all(window in text[-200_000:] for window in windows)
    first = "".join(source.vocabulary.decode(drawn(source, 1, 96).rows[0]))
    assert first in text[:-200_000]


@pytest.mark.parametrize("length", [1, 8, 24, 61])
def test_of_a_story_the_cry_alone_counts(length):
    rows, counted = source_of("pronoun").held_out(length)
    for row, counts in zip(rows, counted, strict=True):
        words = [WORDS[token] for token in row]
        after = [second for first, second in pairwise(words) if first in ("it", "they")]
        assert [word for word, count in zip(words[1:], counts, strict=True) if count] == after
        assert set(after) <= set(CRIES.values())
    assert counted.any() == (length > 1)


@pytest.mark.parametrize("length", [1, 2, 3, 24, 31, 32])
def test_of_letters_and_digits_those_digits_count_whose_letter_was_seen_before(length):
    source = source_of("recall")
    rows, counted = source.held_out(length)
    for row, counts in zip(rows, counted, strict=True):
        text, digit_of = source.vocabulary.decode(row), {}
        for place, count in enumerate(counts):
            assert count == (text[place] in digit_of)
            if text[place].isalpha():
                assert digit_of.setdefault(text[place], text[place + 1]) == text[place + 1]
            assert text[place].isalpha() == (place % 2 == 0)
    assert counted.any() == (length > 2)


@pytest.mark.parametrize("name", ["english", "bible", "stories"])
def test_of_whole_sentences_every_token_counts(name):
    assert source_of(name).held_out(13).counted is None
    assert drawn(source_of(name), 0).counted is None


@every_source
def test_a_source_says_what_it_is(source):
    about = source()
    assert about.says
    own = {"bible": "public domain", "own": "yours", "recall": "MIT: the task", "stories": "MIT: the plots"}
    assert about.licence.startswith(own.get(about.name, "MIT: the grammar"))
    assert about.unit in ("word", "character", "piece")


def test_sources_have_their_names_and_are_made_once():
    assert list(SOURCES) == ["english", "pronoun", "recall", "bible", "stories"]
    for name in SOURCES:
        assert source_of(name).name == name
        assert source_of(name) is source_of(name)


def test_the_bible_starts_in_the_beginning_and_ends_with_amen():
    text = bible_text()
    assert text.startswith("In the beginning God created the heaven and the earth.\nAnd the earth was without form")
    assert text.rstrip().endswith("The grace of our Lord Jesus Christ be with you all. Amen.")
    assert 4_000_000 < len(text) < 4_200_000
    assert text.isascii()
    assert text.count("\n") == 31_102  # verses
    assert source_of("bible").says == "the King James Bible, 4.1 million characters"
    assert len(source_of("bible").vocabulary) == 63


# baselines


def test_baselines_on_paper():
    """Learned: ten a and 26 b; the window of 35 targets is all but the first. Held out: "aaab", its targets "aab"."""
    source = own_text(10 * "a" + 26 * "b" + "aaab", "character")
    found = baseline_losses(source, 35)
    assert found.uniform == uniform_loss(source) == pytest.approx(math.log(2))
    a, b = 4007 * 9 + 1, 4007 * 26 + 1  # in 4007 rows; once more, as two kinds of token have half a chance each
    assert found.unigram == pytest.approx(-(2 * math.log(a / (a + b)) + math.log(b / (a + b))) / 3)


def test_what_never_came_may_come():
    source = own_text(36 * "a" + "bbbb", "character")
    assert baseline_losses(source, 35).unigram == pytest.approx(math.log(2 * (4007 * 35 + 1)))


@pytest.mark.parametrize("name", SOURCES)
def test_to_know_how_frequent_a_token_is_helps(name):
    source = source_of(name)
    assert 0.4 < baseline_losses(source, 24).unigram / uniform_loss(source) < 0.9


def test_only_what_counts_is_in_the_baseline_of_a_story():
    assert baseline_losses(source_of("pronoun"), 24).unigram == pytest.approx(math.log(len(CRIES)), abs=0.15)


@pytest.mark.parametrize("name", ["pronoun", "recall"])
def test_rows_too_short_for_anything_that_counts_have_no_loss(name):
    source = source_of(name)
    assert baseline_losses(source, 1) == (0, 0, 0, 0)
    model = core.init_model(core.Config(len(source.vocabulary), 4, 1, 1, 1))
    assert runs.tested_loss(model, source) == 0


# texts of one's own


def run_of(source, length=96, steps=2):
    """Return how a small model's run over a source went."""
    plan = runs.Plan(core.Config(len(source.vocabulary), 4, 2, 1, length), steps, batch_size=3)
    run = runs.start_training(plan, source)
    return [record for _, record in runs.records(run, source, steps) if record]


@pytest.mark.parametrize("unit", ["word", "character"])
@pytest.mark.parametrize("n", [SHORTEST, SHORTEST + 1, 97])
@pytest.mark.parametrize("length", [1, 3, 96, 300])
def test_a_model_may_read_further_than_a_text_goes(unit, n, length):
    text = " ".join("abcdefg"[i % 7] for i in range(n)) if unit == "word" else (SENTENCE * 3)[:n]
    source = own_text(text, unit)
    n_tested = n // 10
    assert source.held_out(length).rows.shape == (TESTED, 1 + min(length, n_tested - 1))
    assert drawn(source, 0, length).rows.shape == (7, 1 + min(length, n - n_tested - 1))
    assert all(math.isfinite(record.learned) and math.isfinite(record.tested) for record in run_of(source, length))


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
    source = own_text(text, unit)
    assert list(source.vocabulary.tokens) == tokens
    assert source.vocabulary.unknown is None
    assert (source.name, source.unit) == ("own", unit)
    assert source.says == f"a text of your own, {len(text)} characters"
    assert all(math.isfinite(record.tested) for record in run_of(source, 7))
    assert all(map(math.isfinite, baseline_losses(source, 7)))


@pytest.mark.parametrize(
    ("unit", "most", "text"),
    [
        ("word", 1000, " ".join(f"w{i} w{i}" for i in range(999)) + " once never again"),
        ("character", 200, "".join(2 * chr(0x4E00 + i) for i in range(199)) + "once"),
    ],
)
def test_of_too_many_tokens_the_frequent_stay_and_the_others_are_unknown(unit, most, text):
    source = own_text(text, unit)
    assert len(source.vocabulary) == most
    assert source.vocabulary.unknown == UNKNOWN
    assert source.vocabulary.tokens[:2] == (UNKNOWN, split(text, unit)[0])
    assert set(source.held_out(300).rows.ravel()) >= {0}
    assert "once" not in source.vocabulary


def test_as_many_tokens_as_there_is_room_for_need_no_unknown_one():
    assert own_text(" ".join(f"w{i}" for i in range(1000)), "word").vocabulary.unknown is None
    assert len(own_text(" ".join(f"w{i}" for i in range(1001)), "word").vocabulary) == 1000


def test_a_word_too_long_to_be_shown_is_unknown():
    longest = "n" * LONGEST_WORD
    source = own_text(f"a {longest} b {longest}n " * 31, "word")
    assert source.vocabulary.tokens == (UNKNOWN, "a", "b", longest)
    endless = own_text(("a" + "\u0301" * 400_000) + "b" * 99, "character")
    assert endless.vocabulary.tokens == (UNKNOWN, "b")


@pytest.mark.parametrize("unit", ["word", "character"])
def test_what_a_model_of_a_text_says_can_be_saved_with_it(unit, tmp_path):
    text = " ".join(chr(0x1F300 + i % 700) * (i % 39) for i in range(20_000))
    source = own_text(text[:LARGEST_TEXT], unit)
    core.save(tmp_path / "own", core.init_model(core.Config(len(source.vocabulary), 4, 1, 1, 5)), source.vocabulary)
    assert tuple(core.load(tmp_path / "own")[1]) == source.vocabulary.tokens


@given(st.text(st.characters(max_codepoint=127, exclude_characters="\r"), max_size=300))
def test_the_fast_way_through_plain_text_is_the_usual_one(text):
    vocabulary, ids = encode_text(text, "character")
    tokens = split_characters(text)
    usual = Vocabulary(sorted(set(tokens)))
    assert vocabulary.tokens == usual.tokens
    assert ids.tolist() == usual.encode(tokens).tolist()


@given(st.text(max_size=300), st.sampled_from(["word", "character"]))
def test_any_text_is_learned_or_refused_in_words(text, unit):
    try:
        source = own_text(text, unit)
    except ValueError as problem:
        assert str(problem).startswith("text must ")  # noqa: PT017
        return
    assert len(split(text, unit)) >= SHORTEST
    assert same(source.held_out(5), source.held_out(5))
    assert drawn(source, 0).rows.max() < len(source.vocabulary)


@pytest.mark.parametrize("unit", ["word", "character"])
@pytest.mark.parametrize(
    "piece", first(1, ["the cat sat . ", "the cat\r\n", "مرحبا بالعالم ", "a👩\u200d👩\u200d👧 ", "e\u0301\u0327 "])
)
def test_the_largest_text_is_read(piece, unit):
    """Each takes a second at most."""
    text = (piece * (LARGEST_TEXT // len(piece) + 1))[:LARGEST_TEXT]
    assert own_text(text, unit).says == "a text of your own, 500,000 characters"


@says(
    (lambda: own_text("", "word"), "text must have at least 40 words, got 0"),
    (lambda: own_text("a" * 39, "character"), "text must have at least 40 characters, got 39"),
    (lambda: own_text("a" * 500, "word"), "text must have at least 40 words, got 1"),
    (lambda: own_text(" \n" * 500, "word"), "text must have at least 40 words, got 0"),
    (lambda: own_text("e" + "\u0301" * 400_000, "character"), "text must have at least 40 characters, got 1"),
    (lambda: own_text("a" * 500_001, "word"), "text must have at most 500,000 characters, got 500,001"),
    (lambda: own_text("a\ud800" * 50, "character"), "text must contain whole characters, got half of a surrogate pair"),
    (lambda: own_text("a " * 50, "letter"), "unit must be one of word, character, got 'letter'"),
    (lambda: source_of("Bible"), "name must be one of english, pronoun, recall, bible, stories, got 'Bible'"),
    (lambda: source_of("own"), "name must be one of english, pronoun, recall, bible, stories, got 'own'"),
)
def test_bad_input_says_what_is_wrong(call, message):
    check(call, message)
