"""Small stories: every word that is said to be known is, and 2,000 of them contradict themselves nowhere."""

import re
from collections import Counter
from itertools import islice

import numpy as np
import pytest

from attention_core.data_files import DataFileError
from attention_core.text import stories as module
from attention_core.text.stories import (
    FACT_KINDS,
    PIECES_FILE,
    START,
    form_of,
    learn_pieces,
    part_of,
    plots,
    small_story_rows,
    stories,
    story,
    story_pieces,
    write_pieces,
)
from attention_core.text.story_reader import read
from attention_core.text.story_words import BOYS, CAST, GIRLS, NAMES, PREPOSITIONS, STORY_COLOURS, WARM
from tests.core.errors import check, says

SOME = list(islice(stories(np.random.default_rng(0)), 2000))


def spelled(told, span):
    return told.text[slice(*span)]


def test_a_story_by_hand():
    told = story(14)
    assert told == story(14)
    assert told.plot in plots()
    assert told.text.startswith(tuple({"Once", "In a small", "There was once", "This is the story of"}))


def test_two_thousand_stories_contradict_themselves_nowhere():
    faults = [(told.text, fault) for told in SOME if (fault := read(told.text))]
    assert faults == []


def test_every_plot_and_every_sentence_is_told():
    counts = Counter(told.plot for told in SOME)
    assert set(counts) == set(plots())
    assert min(counts.values()) > 200
    text = " ".join(told.text for told in SOME)
    sentences = {sentence for parts in plots().values() for part in parts for sentence in part if sentence}
    told = {sentence for sentence in sentences if not sentence.startswith("~")}
    assert [sentence for sentence in told if not re.search(form_of(sentence).pattern, text)] == []


def test_the_words_are_some_six_hundred():
    words = {word.lower() for told in SOME for word in re.findall(r"\w+", told.text)}
    assert 570 < len(words) < 620
    assert {value.lower() for values in CAST.values() for value in values} <= words


def test_stories_differ():
    assert len({told.text for told in SOME}) == len(SOME)


def test_two_persons_and_two_things_are_told_apart():
    for told in SOME:
        names = {name for name in NAMES if re.search(rf"\b{name}\b", told.text)}
        colours = {colour for colour in STORY_COLOURS if re.search(rf"\b{colour}\b", told.text)}
        assert len(names) == len(names & {*GIRLS}) + 1 == 2
        assert len(colours) == len(colours & {*WARM}) + 1 == 2


def test_no_article_stands_before_the_wrong_letter():
    assert [told.text for told in SOME if re.search(r"\b[Aa] [aeiou]|\{|\}|  |\b(\w+) \1\b", told.text)] == []


def test_sentences_end_and_start_as_they_should():
    for told in SOME:
        assert told.text[0].isupper()
        assert told.text[-1] in '.!"'
        assert told.text.count('"') % 2 == 0
        assert all(after.isupper() for after in re.findall(r"[.!?] (\w)", told.text))


def test_every_kind_of_fact_comes_in_plenty():
    counts = Counter(fact.kind for told in SOME for fact in told.facts)
    assert set(counts) == set(FACT_KINDS)
    assert min(counts.values()) > 2000


def test_what_is_known_was_said_before_and_is_one_of_the_options():
    for told in SOME:
        for fact in told.facts:
            assert fact.source[1] <= fact.start
            assert spelled(told, (fact.start, fact.stop)) in fact.options
            assert len(fact.options) > 1


def test_a_pronoun_fits_the_one_it_is_about():
    for told in SOME:
        for fact in told.facts:
            if fact.kind != "pronoun":
                continue
            word, whom = spelled(told, (fact.start, fact.stop)).lower(), spelled(told, fact.source)
            if whom in (*BOYS, "boy"):
                assert word in ("he", "him", "his")
            elif whom in (*GIRLS, "girl"):
                assert word in ("she", "her")
            else:
                assert word == "it"
                assert whom in CAST["K"]


def test_a_name_a_colour_and_a_location_come_back_as_they_were():
    for told in SOME:
        for fact in told.facts:
            if fact.kind != "pronoun":
                assert spelled(told, (fact.start, fact.stop)) == spelled(told, fact.source)


def test_a_colour_belongs_to_its_thing():
    for told in SOME:
        found = re.findall(rf"\b({'|'.join(CAST['X'])}) (?:is |was )?({'|'.join(STORY_COLOURS)})\b", told.text)
        assert len(set(found)) == len({thing for thing, _ in found}) == 2


def test_a_speaker_is_one_of_the_two_or_a_relative():
    for told in SOME:
        for name in re.findall(r'" (?:said|asked|called|cried|shouted) ([A-Z]\w+)', told.text):
            assert name in NAMES
        assert all(fact.options == NAMES for fact in told.facts if fact.kind == "speaker")


def test_where_a_thing_is_has_its_preposition():
    for told in SOME:
        for role, preposition in PREPOSITIONS.items():
            before = re.findall(rf"(?i)\b(in|at|on|under|behind) the (?:{'|'.join(CAST[role])})\b", told.text)
            assert {word.lower() for word in before} <= {preposition}


def test_a_swap_tells_the_sentences_with_both_roles_exchanged_as_well():
    lines = ["-", "swap X Y", "  {X.c} {X+} and {Y?}.", "  {Y}.", "It was {good}."]
    assert part_of(lines) == ("", "{X.c} {X+} and {Y?}.", "{Y}.", "{Y.c} {Y+} and {X?}.", "{X}.", "It was {good}.")


def test_a_known_colour_comes_right_after_its_thing():
    for told in SOME:
        for fact in told.facts:
            if fact.kind == "colour":
                assert re.search(rf"\b({'|'.join(CAST['X'])})(?: is| was| that is)? $", told.text[: fact.start])


def test_a_form_matches_what_it_tells_and_nothing_else():
    pattern = form_of("{A} was {L.at+}.").pattern
    assert pattern.match("Tom was at the park. He").groups() == ("Tom", "park")
    assert not pattern.match("Tom was at the parks.")
    assert not pattern.match("Bob was at the park.")


def test_pieces_are_some_thousand_and_whole_words_mostly():
    pieces = story_pieces()
    assert len(pieces.vocabulary) == 1500
    text = "".join(START + told.text for told in SOME[:200])
    tokens = pieces.encode(text)
    assert pieces.decode(tokens) == text
    assert len(tokens) < 1.15 * len(re.findall(r"\w+|[^\w\s]+|\n", text))
    assert pieces.encode(START).tolist() == pieces.encode(START + "Tom")[:1].tolist()


def test_the_pieces_that_ship_are_those_that_are_learned(tmp_path):
    learned = learn_pieces()
    assert learned.vocabulary.tokens == story_pieces().vocabulary.tokens
    assert learned.parts == story_pieces().parts
    write_pieces(tmp_path / "pieces.txt")
    assert (tmp_path / "pieces.txt").read_bytes() == PIECES_FILE.read_bytes()


@pytest.mark.parametrize("harm", [lambda lines: lines[:-1], lambda lines: lines[::-1], lambda lines: [*lines, "\x00"]])
def test_pieces_that_no_merges_make_cannot_be_read(harm, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PIECES_FILE", tmp_path / "pieces.txt")
    story_pieces.__wrapped__.cache_clear()
    with pytest.raises(DataFileError, match=r"^pieces\.txt is missing$"):
        story_pieces()
    says, *lines = PIECES_FILE.read_text("utf-8").splitlines()
    (tmp_path / "pieces.txt").write_text("\n".join([says, *harm(lines)]), "utf-8")
    with pytest.raises(DataFileError, match=r"^pieces\.txt cannot be read$"):
        story_pieces()
    story_pieces.__wrapped__.cache_clear()


def test_nearly_every_story_fits_into_256_tokens():
    lengths = [len(story_pieces().encode(START + told.text)) for told in SOME]
    assert sum(length > 256 for length in lengths) < 0.005 * len(SOME)
    assert max(lengths) < 280


def test_a_row_starts_with_a_story_and_goes_on_with_others():
    rows = small_story_rows(np.random.default_rng(5), 3, 400)
    told = stories(np.random.default_rng(5))
    assert rows.shape == (3, 401)
    for row in rows:
        text = story_pieces().decode(row)
        wanted = ""
        while len(wanted) < len(text):
            wanted += START + next(told).text
        assert wanted.startswith(text)


@pytest.mark.parametrize("length", [1, 2, 96])
def test_rows_are_those_of_their_generator(length):
    rows = small_story_rows(np.random.default_rng(1), 2, length)
    assert rows.shape == (2, length + 1)
    assert np.array_equal(rows, small_story_rows(np.random.default_rng(1), 2, length))


@says(
    (lambda: story(-1), "seed must be at least 0, got -1"),
    (lambda: small_story_rows(np.random.default_rng(0), 0, 5), "n_rows must be at least 1, got 0"),
    (lambda: small_story_rows(np.random.default_rng(0), 1, 0), "length must be at least 1, got 0"),
)
def test_bad_input_says_what_is_wrong(call, message):
    check(call, message)
