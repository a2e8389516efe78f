"""Predict, then reveal: questions whose answers are computed from the page, and what is said of each answer.

A question knows its right answers, and for each likely mistake the sentence that explains it. Text is HTML in which a
student's words are escaped; options are plain text.
"""

from html import escape
from typing import NamedTuple

from pages.shared.markup import number


class Verdict(NamedTuple):
    """What is said of an answer."""

    right: bool
    text: str


class Choice(NamedTuple):
    """A question with a few answers to choose from."""

    name: str
    text: str
    options: tuple[str, ...]
    right: tuple[int, ...]  # more than one where two answers are as good
    why: str
    mistakes: tuple[str, ...]  # one for each option, empty for the right ones

    def judge(self, given: int) -> Verdict:
        """Say whether the option is a right one, and why or why not."""
        option = escape(self.options[given])
        if given in self.right:
            return Verdict(True, f"<b>✓ You predicted “{option}”.</b> {self.why}")
        return Verdict(False, f"<b>✕ Not “{option}”.</b> {self.mistakes[given]} {self.why}")

    @property
    def told(self) -> str:
        """The answer for someone who would rather see it."""
        return f"<b>“{escape(self.options[self.right[0]])}”.</b> {self.why}"


class Mistake(NamedTuple):
    """A wrong number and how one comes by it."""

    value: float
    text: str


class Number(NamedTuple):
    """A question for a number, which may be off by a tolerance."""

    name: str
    text: str
    right: float
    tolerance: float
    why: str
    mistakes: tuple[Mistake, ...]
    otherwise: str  # said of a wrong number that no likely mistake explains

    def judge(self, given: float) -> Verdict:
        """Say whether a number is near enough, and which mistake lies nearest if not."""
        shown = f"{given:g}".replace("-", "−")
        if abs(given - self.right) <= self.tolerance:
            return Verdict(True, f"<b>✓ {shown} it is.</b> {self.why}")
        near = [mistake for mistake in self.mistakes if abs(given - mistake.value) <= self.tolerance]
        near.sort(key=lambda mistake: abs(given - mistake.value))
        return Verdict(False, f"<b>✕ Not {shown}.</b> {near[0].text if near else self.otherwise} {self.why}")

    @property
    def told(self) -> str:
        """The answer for someone who would rather see it."""
        return f"<b>{number(self.right, 0 if float(self.right).is_integer() else 2)}</b>. {self.why}"


class Cell(NamedTuple):
    """A question for a cell of a matrix: a row and a column."""

    name: str
    text: str
    labels: tuple[str, ...]
    right: tuple[int, int]
    why: str
    transposed: str  # said when row and column are swapped
    otherwise: str

    def judge(self, given: tuple[int, int]) -> Verdict:
        """Say whether it is the right cell, and whether row and column were swapped if not."""
        place = f"row “{escape(self.labels[given[0]])}”, column “{escape(self.labels[given[1]])}”"
        if tuple(given) == self.right:
            return Verdict(True, f"<b>✓ Yes: {place}.</b> {self.why}")
        swapped = tuple(given) == self.right[::-1]
        return Verdict(False, f"<b>✕ Not {place}.</b> {self.transposed if swapped else self.otherwise} {self.why}")

    @property
    def told(self) -> str:
        """The answer for someone who would rather see it."""
        row, column = (escape(self.labels[i]) for i in self.right)
        return f"<b>Row “{row}”, column “{column}”.</b> {self.why}"


Question = Choice | Number | Cell
