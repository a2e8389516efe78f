"""Tasks before free code: predict a number, choose the expression for a blank, put lines in order.

Each can be judged without running anything. A filled blank and ordered lines are programs too, for the same tests.
"""

from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from pages.look.html import prose
from pages.questions.kinds import Choice, Number, Verdict

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
    """A program with a gap, and expressions to choose from."""

    exercise: str
    question: Choice
    program: str

    @property
    def id(self) -> str:
        return self.question.name

    @property
    def excerpt(self) -> str:
        """The lines around the gap: all of them would be the solution of the exercise."""
        lines = self.program.splitlines()
        gap = next(place for place, line in enumerate(lines) if BLANK in line)
        return "\n".join(("…", *lines[max(gap - 1, 0) : gap + 2], "…"))

    def filled(self, given: int) -> str:
        """Return the program with an expression in its gap."""
        return self.program.replace(BLANK, self.question.options[given])


class Lines(NamedTuple):
    """A program whose lines are out of order."""

    exercise: str
    name: str
    text: str
    lines: tuple[str, ...]  # in the right order
    why: str
    also: tuple[tuple[int, ...], ...] = ()  # other orders that are right

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
        """Return the program in an order."""
        return "\n".join(self.lines[i] for i in order) + "\n"

    def judge(self, order: tuple[int, ...]) -> Verdict:
        """Return whether the order is right, and if not, how many lines are."""
        if tuple(order) in self.orders:
            return Verdict(True, Markup("<b>✓ In order.</b> {}").format(self.why))
        right = max(agreeing(order, known) for known in self.orders)
        if right == 0:
            return Verdict(False, NOT_YET.format("Another line comes first. Which one defines the function?"))
        up_to = "The first line is" if right == 1 else f"The first {right} lines are"
        return Verdict(False, NOT_YET.format(f"{up_to} right. What does the next step need?"))


def choice(name: str, text: str, right: str, why: str, mistakes: dict[str, str]) -> Choice:
    """Return a choice whose order is the same for everybody; no place is that of right answers."""
    return Choice.of(name, prose(text), right, prose(why), mistakes, [*name.encode()])


def agreeing(order: tuple[int, ...], known: tuple[int, ...]) -> int:
    """Return how many lines from the top agree."""
    differing = [i for i, (given, right) in enumerate(zip(order, known, strict=False)) if given != right]
    return differing[0] if differing else min(len(order), len(known))


Task = Prediction | Blank | Lines
