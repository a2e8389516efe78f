"""Small stories: every word that is said to be known is one that was told before, in 2,000 of them."""

from itertools import islice

import numpy as np
import pytest

from attention_core.data_files import DataFileError
from attention_core.text import stories
from attention_core.text.story_words import BOYS, CAST, GIRLS

SOME = list(islice(stories.stories(np.random.default_rng(0)), 2000))


def spelled(told, span):
    return told.text[slice(*span)]


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


def test_the_pieces_that_ship_are_those_that_are_learned(tmp_path):
    learned = stories.learn_pieces()
    assert learned.vocabulary.tokens == stories.story_pieces().vocabulary.tokens
    assert learned.parts == stories.story_pieces().parts
    stories.write_pieces(tmp_path / "pieces.txt")
    assert (tmp_path / "pieces.txt").read_bytes() == stories.PIECES_FILE.read_bytes()


@pytest.mark.parametrize("harm", [lambda lines: lines[:-1], lambda lines: lines[::-1], lambda lines: [*lines, "\x00"]])
def test_pieces_that_no_merges_make_cannot_be_read(harm, tmp_path, monkeypatch):
    says, *lines = stories.PIECES_FILE.read_text("utf-8").splitlines()
    monkeypatch.setattr(stories, "PIECES_FILE", tmp_path / "pieces.txt")
    stories.story_pieces.__wrapped__.cache_clear()
    with pytest.raises(DataFileError, match=r"^pieces\.txt is missing$"):
        stories.story_pieces()
    (tmp_path / "pieces.txt").write_text("\n".join([says, *harm(lines)]), "utf-8")
    with pytest.raises(DataFileError, match=r"^pieces\.txt cannot be read$"):
        stories.story_pieces()
    stories.story_pieces.__wrapped__.cache_clear()


def test_a_row_starts_with_a_story_and_goes_on_with_others():
    rows = stories.small_story_rows(np.random.default_rng(5), 3, 400)
    told = stories.stories(np.random.default_rng(5))
    assert rows.shape == (3, 401)
    for row in rows:
        text = stories.story_pieces().decode(row)
        wanted = ""
        while len(wanted) < len(text):
            wanted += stories.START + next(told).text
        assert wanted.startswith(text)
