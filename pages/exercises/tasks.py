"""Tasks before free code: predict a number, choose the expression for a blank, put lines in order.

Each can be judged without running anything. A filled blank and ordered lines are programs too, for the same tests.
"""

from itertools import takewhile
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from pages.exercises.texts import TASK_TEXTS, TEXTS
from pages.look.html import inline, prose
from pages.questions.kinds import Choice, Mistake, Number, Verdict

BLANK = "____"
TASK_POINTS = 2
NOT_YET = Markup("<b>✕ Not yet.</b> {}")


class Prediction(NamedTuple):
    """A number to work out by hand."""

    exercise: str
    question: Number
    step: str = ""  # of the lesson, if it is not that of the exercise

    @property
    def id(self) -> str:
        return self.question.name


class Blank(NamedTuple):
    """A right program with a gap in the place of the right expression, and expressions to choose from."""

    exercise: str
    question: Choice
    solution: str
    step: str = ""

    @property
    def id(self) -> str:
        return self.question.name

    @property
    def program(self) -> str:
        return self.solution.replace(self.question.options[self.question.right[0]], BLANK)

    @property
    def excerpt(self) -> str:
        """The lines around the gap: all of them would be the solution of the exercise."""
        lines = self.program.splitlines()
        gap = next(place for place, line in enumerate(lines) if BLANK in line)
        return "\n".join(("…", *lines[max(gap - 1, 0) : gap + 2], "…"))

    def filled(self, given: int) -> str:
        return self.program.replace(BLANK, self.question.options[given])


class Lines(NamedTuple):
    """A program whose lines are out of order."""

    exercise: str
    name: str
    text: str
    lines: tuple[str, ...]  # in the right order
    why: str
    also: tuple[tuple[int, ...], ...] = ()  # other orders that are right
    step: str = ""

    @property
    def id(self) -> str:
        return self.name

    def shuffled(self, seed: int) -> tuple[int, ...]:
        """Return the lines' numbers in the order in which they are offered, which is never a right one."""
        rng = np.random.default_rng(abs(seed))
        while True:
            order = tuple(int(i) for i in rng.permutation(len(self.lines)))
            if order not in self.orders:
                return order

    @property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        return (tuple(range(len(self.lines))), *self.also)

    def source(self, order: tuple[int, ...]) -> str:
        return "\n".join(self.lines[i] for i in order) + "\n"

    def judge(self, order: tuple[int, ...]) -> Verdict:
        """Return whether the order is right, and if not, how many lines are."""
        if tuple(order) in self.orders:
            return Verdict(True, Markup("<b>✓ In order.</b> {}").format(self.why))
        agreeing = (
            takewhile(lambda pair: pair[0] == pair[1], zip(order, known, strict=False)) for known in self.orders
        )
        right = max(len([*pairs]) for pairs in agreeing)
        if right == 0:
            return Verdict(False, NOT_YET.format("Another line comes first. Which one defines the function?"))
        up_to = "The first line is" if right == 1 else f"The first {right} lines are"
        return Verdict(False, NOT_YET.format(f"{up_to} right. What does the next step need?"))


def predict(name: str, right: float, wrong: tuple[float, ...], digits: int = 2, step: str = "") -> Prediction:
    """Return a task for a number, which is counted if it has no digits after the point."""
    exercise, text, why, otherwise, reasons, _ = TASK_TEXTS[name]
    mistakes = tuple(Mistake(*each) for each in zip(wrong, map(inline, reasons), strict=True))
    tolerance = 0.01 if digits else 0.0
    question = Number(name, prose(text), right, tolerance, prose(why), mistakes, inline(otherwise), digits)
    return Prediction(exercise, question, step)


def fill_in(name: str) -> Blank:
    """Return a task for an expression of a solution. All students get the same order."""
    exercise, text, why, right, reasons, _ = TASK_TEXTS[name]
    wrong = (reason.removeprefix("`").split("`: ") for reason in reasons)
    mistakes = {expression: inline(reason) for expression, reason in wrong}
    question = Choice.of(name, prose(text), right.strip("`"), prose(why), mistakes, [*name.encode()])
    return Blank(exercise, question, TEXTS[exercise]["solution"])


def put_in_order(name: str, also: tuple[tuple[int, ...], ...] = ()) -> Lines:
    exercise, text, why, _, _, lines = TASK_TEXTS[name]
    return Lines(exercise, name, prose(text), lines, prose(why), also)


Task = Prediction | Blank | Lines
