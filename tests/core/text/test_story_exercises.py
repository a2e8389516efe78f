"""Exercises of the stories: rows in which every word that counts was said before."""

import re

import numpy as np

from attention_core.text.stories import START, story_pieces
from attention_core.text.story_exercises import EXERCISE_LENGTH, OTHERS, exercise
from attention_core.text.story_words import CAST, FIRST_KIND, STORY_COLOURS


def test_an_exercise_of_colours_asks_for_those_that_were_said():
    pieces, (rows, counted) = story_pieces(), exercise(np.random.default_rng(2), 1000, easy=True)
    assert rows.shape == (15, EXERCISE_LENGTH + 1)
    assert counted.shape == (15, EXERCISE_LENGTH)
    for row, known in zip(rows, counted, strict=True):
        text = pieces.decode(row)
        pairs = re.findall(rf"({'|'.join(CAST['X'])}) (?:is |was )?({'|'.join(STORY_COLOURS)})\b", text)
        assert len(set(pairs)) == len({thing for thing, _ in pairs}) == len({colour for _, colour in pairs}) == 2
        asked = [pieces.decode([token]).strip() for token in row[1:][known]]
        first = {pairs.index(pair) for pair in pairs}
        assert asked == [colour for number, (_, colour) in enumerate(pairs) if number not in first]
        assert len(asked) > 6
        assert START not in text


def test_what_an_exercise_asks_for_was_said_before():
    rows, counted = exercise(np.random.default_rng(4), 6000)
    for row, known in zip(rows, counted, strict=True):
        places = np.flatnonzero(known) + 1
        assert len(places) > 2
        assert all(row[place] in row[:place] for place in places)


def test_who_or_what_is_the_other_one_is_asked_right_after_the_first():
    rows, counted = exercise(np.random.default_rng(7), 6000)
    both = 0
    for row, known in zip(rows, counted, strict=True):
        text = story_pieces().decode(row)
        words = re.findall(r"\w+", text)
        for kind, values in OTHERS.items():
            named = [word for word in words if word in values]
            if kind == "other thing" and not re.search(r"I saw the|but not|was new", text):
                continue
            if kind == "other person" and not re.search(r"I saw [A-Z]|Come|looked", text):
                continue
            both += 1
            assert len(set(named)) == 2
            assert len(set(named) & FIRST_KIND) == 1
            assert all(one != other for one, other in zip(named[::2], named[1::2], strict=False))
            asked = [story_pieces().decode([token]).strip() for token in row[1:][known]]
            assert asked == named[5::2][: len(asked)]  # in the first two sentences nothing was said before
    assert both > 20


def test_an_exercise_is_that_of_its_generator_and_has_all_kinds():
    one, same = (exercise(np.random.default_rng(6), 6000) for _ in range(2))
    assert np.array_equal(one.rows, same.rows)
    assert np.array_equal(one.counted, same.counted)
    text = " ".join(map(story_pieces().decode, one.rows))
    assert all(
        re.search(wanted, text)
        for wanted in (r"(red|blue)\.", r"\bbelongs to [A-Z]", r"under the \w+", "but not", "looked at")
    )
