"""The minutes that the course promises for the path of a lesson: its words, pictures and questions."""

import re
from functools import cache

import pytest

from pages.links.course import LESSONS
from tests.app.steps import step
from tests.app.visits import charts, said
from tests.lessons import named_in, path_of

# words read in a minute, minutes to look at a picture, to answer, and to fill a gap
WORDS, PICTURE, QUESTION, STATEMENT = 120, 0.5, 1.0, 0.5
RUN = 3.0  # minutes to train a model, and to see what it learned: the step itself begins without that


@cache
def minutes(lesson, name):
    """Return how long a step takes."""
    seen = [step(lesson, name, opened=False)]
    words = sum(len(re.findall(r"[^\W\d_]{2,}", said(one))) for one in seen)
    pictures = sum(len(charts(one)) for one in seen)
    asked = [question.name.startswith("explain_") for one in seen for question in one.page.asked]
    run = RUN * (name == "train")
    return run + words / WORDS + pictures * PICTURE + sum(STATEMENT if gap else QUESTION for gap in asked)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_the_minutes_are_those_of_the_path(lesson):
    assert lesson.minutes == 5 * round(sum(minutes(lesson.name, name) for name in path_of(lesson.name)) / 5)


def test_each_part_of_the_last_lesson_takes_the_minutes_that_are_told():
    path, starts = path_of("tiny_lm"), named_in("tiny_lm", r"^PARTS = \{(.*?)\}$")
    assert [part.step for part in LESSONS[-1].parts] == [name for name in starts if name in path]
    starts = [path.index(name) for name in starts if name in path]
    taken = [
        5 * round(sum(minutes("tiny_lm", name) for name in path[start:stop]) / 5)
        for start, stop in zip(starts, [*starts[1:], None], strict=True)
    ]
    assert taken == [part.minutes for part in LESSONS[-1].parts]
