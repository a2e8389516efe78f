"""Predict, then reveal: questions whose answers are computed from the page, and what is said of each answer.

A question knows its right answers, and for each likely mistake the sentence that explains it. Text is HTML in which a
student's words are escaped; options are plain text.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from pages.look.html import number


class Verdict(NamedTuple):
    """What is said of an answer."""

    right: bool
    text: Markup


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
        option, why = self.options[given], self.why
        if given in self.right:
            return Verdict(True, Markup("<b>✓ You predicted “{}”.</b> {}").format(option, why))
        return Verdict(False, Markup("<b>✕ Not “{}”.</b> {} {}").format(option, self.mistakes[given], why))

    @classmethod
    def shuffled(
        cls, name: str, text: str, right: str, why: str, mistakes: Mapping[str, str], variant: int
    ) -> "Choice":
        """Return a choice between the right answer and what it is mistaken for, in an order of the variant's own."""
        reasons = {right: ""} | {option: reason for option, reason in mistakes.items() if option != right}
        order = np.random.default_rng([variant, len(reasons)]).permutation(len(reasons))
        options = tuple(list(reasons)[i] for i in order)
        return cls(name, text, options, (options.index(right),), why, tuple(reasons[option] for option in options))

    @property
    def told(self) -> Markup:
        """The answer for someone who would rather see it."""
        return Markup("<b>“{}”.</b> {}").format(self.options[self.right[0]], self.why)


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
    digits: int = 2  # after the point; 0 for what is counted

    def judge(self, given: float) -> Verdict:
        """Say whether a number is near enough, and which mistake lies nearest if not."""
        shown = f"{given:g}".replace("-", "−")
        if abs(given - self.right) <= self.tolerance:
            return Verdict(True, Markup("<b>✓ {} it is.</b> {}").format(shown, self.why))
        near = [mistake for mistake in self.mistakes if abs(given - mistake.value) <= self.tolerance]
        near.sort(key=lambda mistake: abs(given - mistake.value))
        mistake = near[0].text if near else self.otherwise
        return Verdict(False, Markup("<b>✕ Not {}.</b> {} {}").format(shown, mistake, self.why))

    @property
    def told(self) -> Markup:
        """The answer for someone who would rather see it."""
        return Markup("<b>{}</b>. {}").format(number(self.right, self.digits), self.why)


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
        place, why = f"row “{self.labels[given[0]]}”, column “{self.labels[given[1]]}”", self.why
        if tuple(given) == self.right:
            return Verdict(True, Markup("<b>✓ Yes: {}.</b> {}").format(place, why))
        mistake = self.transposed if tuple(given) == self.right[::-1] else self.otherwise
        return Verdict(False, Markup("<b>✕ Not {}.</b> {} {}").format(place, mistake, why))

    @property
    def told(self) -> Markup:
        """The answer for someone who would rather see it."""
        row, column = (self.labels[i] for i in self.right)
        return Markup("<b>Row “{}”, column “{}”.</b> {}").format(row, column, self.why)


Question = Choice | Number | Cell
