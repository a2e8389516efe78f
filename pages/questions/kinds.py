"""Predict, then reveal: questions whose answers are computed from the page, and the verdicts on answers.

A question knows its right answers, and for each likely mistake the sentence that explains it. Text is HTML in which a
student's words are escaped; options are plain text.
"""

from __future__ import annotations  # a class names itself in its annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from pages.look.html import caption, number

Seed = int | Sequence[int] | np.random.Generator
Place = tuple[int, int]  # a row and a column, counted from 0
BY_TEACHER = "teachers"  # how the name of a question begins that a teacher wrote
GAP = Markup('<span class="gap">?</span>')  # that an option fills
TOLD = Markup('<b class="right">✓ Right: {}.</b> {}')


class Verdict(NamedTuple):
    right: bool
    text: Markup


class Choice(NamedTuple):
    name: str
    text: str
    options: tuple[str, ...]
    right: tuple[int, ...]  # several where several answers are right
    why: str
    mistakes: tuple[str, ...]  # why each option is wrong; those of right options are never read
    pictures: tuple[Markup, ...] = ()  # one for each option; with pictures a click on an option is the answer
    place: Place | None = None  # in the matrix that the question hides

    @classmethod
    def of(
        cls,
        name: str,
        text: str,
        right: str | Sequence[str],
        why: str,
        wrong: Mapping[str, str],
        variant: Seed | None = None,
        pictures: tuple[Markup, ...] = (),
        place: Place | None = None,
    ) -> Choice:
        """Return a choice of what is right and the keys of `wrong`, each with why it is wrong.

        What is right may stand among them too, at its place. With a `variant`, which may also be the seed itself, the
        order is drawn.
        """
        found = (right,) if isinstance(right, str) else right
        every = [one for one in found if one not in wrong] + [*wrong]
        if variant is not None:
            seed = [variant, *name.encode()] if isinstance(variant, int) else variant
            every = [every[place] for place in np.random.default_rng(seed).permutation(len(every))]
        places = [place for place, option in enumerate(every) if option in found]
        reasons = [wrong.get(one, "") for one in every]
        return cls(name, text, tuple(every), tuple(places), why, tuple(reasons), pictures, place)

    def judge(self, given: int) -> Verdict:
        option = caption(self.options[given])
        if given in self.right:
            return Verdict(True, Markup("<b>✓ You predicted “{}”.</b> {}").format(option, caption(self.why)))
        return Verdict(False, Markup("<b>✕ Not “{}”.</b> {}").format(option, caption(self.reason(given))))

    def reason(self, given: int) -> str:
        return self.mistakes[given]

    @property
    def tries(self) -> int:
        """How often a student may answer: of two options, the second would be no answer."""
        return min(2, len(self.options) - 1)

    @property
    def answered(self) -> Markup:
        """The text with what is right in its gap, if it has one."""
        filling = Markup("<b>{}</b>").format(caption(self.options[self.right[0]]))
        return caption(self.text).replace(GAP, filling)

    @property
    def told(self) -> Markup:
        """The answer, for students who do not find it."""
        return TOLD.format(Markup("“{}”").format(caption(self.options[self.right[0]])), caption(self.why))


class Mistake(NamedTuple):
    """A wrong number and how it comes about."""

    value: float
    text: str


class Number(NamedTuple):
    name: str
    text: str
    right: float
    tolerance: float
    why: str
    mistakes: tuple[Mistake, ...]
    otherwise: str  # said of a number that no likely mistake explains
    digits: int = 2  # digits after the point; 0 for a count
    place: Place | None = None  # in the matrix that the question hides
    tries: int = 2  # how often a student may answer

    def judge(self, given: float) -> Verdict:
        """Return the verdict, with the nearest likely mistake if the number is wrong."""
        shown = f"{given:g}".replace("-", "−")
        if abs(given - self.right) <= self.tolerance:
            verdict = "right" if number(given, self.digits) == number(self.right, self.digits) else "close enough"
            return Verdict(True, Markup("<b>✓ {} is {}.</b> {}").format(shown, verdict, caption(self.why)))
        return Verdict(False, Markup("<b>✕ Not {}.</b> {}").format(shown, caption(self.reason(given))))

    def reason(self, given: float) -> str:
        near = [mistake for mistake in self.mistakes if abs(given - mistake.value) <= self.tolerance]
        near.sort(key=lambda mistake: abs(given - mistake.value))
        return near[0].text if near else self.otherwise or ("Too small." if given < self.right else "Too large.")

    @property
    def told(self) -> Markup:
        return TOLD.format(number(self.right, self.digits), caption(self.why))


class Cell(NamedTuple):
    """A question for a row and a column of a matrix."""

    name: str
    text: str
    labels: tuple[str, ...]
    right: Place
    why: str
    transposed: str  # said when row and column are swapped
    otherwise: str
    tries: int = 2

    @property
    def place(self) -> Place:
        return self.right

    def judge(self, given: Place) -> Verdict:
        """Return the verdict; swapped rows and columns have one of their own."""
        place = self.name_of(given)
        if tuple(given) == self.right:
            return Verdict(True, Markup("<b>✓ Yes, {}.</b> {}").format(place, self.why))
        return Verdict(False, Markup("<b>✕ Not {}.</b> {}").format(place, self.reason(given)))

    def reason(self, given: Place) -> str:
        return self.transposed if tuple(given) == self.right[::-1] else self.otherwise

    @property
    def told(self) -> Markup:
        return TOLD.format(self.name_of(self.right), self.why)

    def name_of(self, place: Place) -> str:
        return "row “{}”, column “{}”".format(*(self.labels[i] for i in place))


Question = Choice | Number | Cell
