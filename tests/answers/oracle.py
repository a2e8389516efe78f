"""The answer key, found a second time: for each question an oracle in plain NumPy, which has what a student has."""

import re
from typing import NamedTuple

from pages.exercises.catalogue import TASKS
from pages.exercises.tasks import Blank, Lines
from pages.links.course import HOME, LESSONS
from pages.look.html import caption
from pages.questions.kinds import Cell, Choice
from tests.answers.view import View, plain
from tests.app.calculations import wrong_in

ORACLES = {}
EVERY = {(lesson.name, name) for lesson in LESSONS for name in (*lesson.questions, *lesson.deeper)}
EVERY |= {(HOME, "elsewhere")} | {("tasks", task.id) for task in TASKS}


class Found(NamedTuple):
    """What an oracle found: what is right, and of each mistake what it gives.

    A choice: the texts of the right options (several where they are as good), and for each wrong one a pattern of its
    reason, with its numbers or what was done, or a function that says whether the reason holds. A number: its value,
    how far the digits in view leave it open, and for a pattern of each mistake’s text the number that comes of it. A
    cell: its row and column, and a pattern of what is said of others.
    """

    right: object
    mistakes: dict = {}  # noqa: RUF012  never written into
    within: float = 1e-9
    why: str = ""  # a pattern of what is said of the right answer


def oracle(lesson, *names):
    def register(find):
        for name in names:
            assert (lesson, name) in EVERY, f"no question of {lesson} is called {name}"
            assert (lesson, name) not in ORACLES, f"{name} has an oracle"
            ORACLES[lesson, name] = find
        return find

    return register


def prove(question, view, find):
    """See that a question’s key is what its oracle finds, and that each mistake is what its text says."""
    found, told = find(view), f"{question.name}: {view.text} {view.options} {view.link}"
    assert says(plain(caption(question.why)), found.why), (told, found.why, question.why)
    assert wrong_in(question) == []
    if isinstance(question, Choice):
        prove_choice(question, view, found, told)
    elif isinstance(question, Cell):
        assert tuple(found.right) == tuple(question.right), (told, found.right, question.right)
        for name, wanted in found.mistakes.items():
            assert says(getattr(question, name), wanted), (told, name, wanted)
    else:
        prove_number(question, found, told)


def prove_choice(question, view, found, told):
    right = {view.options[place] for place in question.right}
    assert right == set(found.right), (told, found.right, right)
    assert len(set(view.options)) == len(view.options) >= 2
    for option, reason in zip(view.options, map(plain, map(caption, question.mistakes)), strict=True):
        if option not in right:
            assert option in found.mistakes, (told, "no mistake of the oracle gives", option, reason)
            assert says(reason, found.mistakes[option]), (told, option, found.mistakes[option], reason)


def says(reason, wanted):
    return wanted(reason) if callable(wanted) else re.search(wanted, reason)


def prove_number(question, found, told):
    assert found.within <= question.tolerance + 1e-9, (told, "what is in view is not enough", found)
    unit = 0.5 if question.digits == 0 else max(0.05, 0.011 * abs(found.right))
    assert question.tolerance <= unit, (told, "a number that is not right would pass", question.tolerance)
    assert abs(question.right - found.right) <= found.within, (told, found.right, question.right)
    shown = round(question.right, question.digits)
    assert abs(shown - question.right) <= question.tolerance, (told, "the number as it is told is not right")
    for mistake in question.mistakes:
        given = [value for pattern, value in found.mistakes.items() if re.search(pattern, plain(caption(mistake.text)))]
        assert len(given) == 1, (told, "the oracle must name this mistake once", mistake, given)
        assert abs(given[0] - mistake.value) <= found.within, (told, mistake, given)
        assert not 1e-9 < abs(mistake.value - found.right) <= question.tolerance, (told, "a mistake passes", mistake)
    texts = [plain(caption(mistake.text)) for mistake in question.mistakes]
    for pattern, value in found.mistakes.items():
        near = abs(value - found.right) <= 2 * question.tolerance  # whoever gives it is right, or nearly
        assert near or any(re.search(pattern, text) for text in texts), (told, "a mistake is not known", pattern)


def prove_task(task, find):
    """See that a task’s key is what its oracle finds, which gets a program with a gap, or its lines as offered."""
    if isinstance(task, Lines):
        offered = task.shuffled(1)
        found = find(View(task, task=[task.lines[place] for place in offered]))
        assert {tuple(offered[place] for place in order) for order in found.right} == set(task.orders), found
    else:
        prove(task.question, View(task.question, task=task.program if isinstance(task, Blank) else None), find)
