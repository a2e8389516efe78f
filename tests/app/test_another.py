"""Another question: where it is offered, the next one asks for something else."""

from collections import defaultdict

import pytest

from pages.page.links.course import LESSONS
from pages.page.questions.kinds import Choice
from tests.app.steps import step
from tests.lessons import steps_of

KINDS = {"multi_head": ("trained", "hand-made", "random")}
FIRST = [
    (lesson.name, name, {"weights": kind} if kind else {})
    for lesson in LESSONS
    for name in steps_of(lesson.name)
    for kind in KINDS.get(lesson.name, ("",))
]


def asked(question):
    """Return what a question asks for; an order of its options is none."""
    options = frozenset(question.options) if isinstance(question, Choice) else ()
    return question.text, options


@pytest.mark.parametrize(("lesson", "name", "link"), FIRST, ids=str)
def test_another_question_asks_for_something_else(lesson, name, link):
    for variant in range(3):
        variants = defaultdict(lambda v=variant: v)
        seen, following = (
            step(lesson, name, "all", variants, **link),
            step(lesson, name, "all", defaultdict(lambda v=variant + 1: v), **link),
        )
        for question in seen.page.asked:
            if question.name not in variants:  # it has no other variant
                continue
            if question.name not in seen.page.makers or seen.page.has_more(question):
                assert asked(following.question(question.name)) != asked(question)
