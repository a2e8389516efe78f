"""The minutes that the course promises for the path of a lesson: its words, pictures and questions."""

import re

import pytest

from pages.page.links.course import LESSONS
from tests.app.steps import step
from tests.app.visits import charts, said
from tests.lessons import path_of

WORDS, PICTURE, QUESTION = 120, 0.5, 1.0  # words read in a minute, minutes to look at a picture and to answer


def minutes(lesson):
    """Return how long a path takes."""
    seen = [step(lesson, name, opened=False) for name in path_of(lesson)]
    words = sum(len(re.findall(r"[^\W\d_]{2,}", said(one))) for one in seen)
    pictures, questions = sum(len(charts(one)) for one in seen), sum(len(one.page.asked) for one in seen)
    return words / WORDS + pictures * PICTURE + questions * QUESTION


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_the_minutes_are_those_of_the_path(lesson):
    assert lesson.minutes == 5 * round(minutes(lesson.name) / 5)
