"""A question that a class is asked, with what was sent in each vote; it is counted when somebody looks."""

from functools import partial
from typing import Any, NamedTuple

import streamlit as st
from markupsafe import Markup

from pages.class_room.pictures import Tally, draw_answers, tally
from pages.class_room.room import LATER, Count, Poll, counted, shelf_of
from pages.class_room.store import Store
from pages.page.ask import fitting
from pages.questions.kinds import Question


class Ballot(NamedTuple):
    place: str
    asked: Poll
    question: Question
    votes: list[dict[str, str]]  # by tabs
    varies: bool = False  # whether there is another variant
    where: str = ""  # the step that asks it, and the slide

    @classmethod
    def of(cls, store: Store, word: str, place: str, asked: Poll, question: Question, *more: Any) -> "Ballot":
        votes = [store.read(word, shelf_of(place, turn)) for turn in (1, 2)[: asked.turn]]
        return cls(place, asked, question, votes, *more)

    @property
    def last(self) -> Count:
        return counted(self.votes[-1].values(), self.asked.mark, partial(fitting, self.question))

    @property
    def first(self) -> list[Any] | None:
        """The answers of the first of two votes on one question."""
        return self._replace(votes=self.votes[:1]).last.given if self.votes[1:] and not self.asked.shift else None

    @property
    def right(self) -> str:
        given = self.last.given
        return f"{sum(self.question.judge(one).right for one in given)} of {len(given)}"

    @property
    def shift(self) -> str:
        """How many were right on the variant before, and how many are now; it is not said before all is told."""
        return f" Right: {self.asked.shift} on the first question, {self.right} on this one." * bool(self.asked.shift)

    @property
    def lines(self) -> list[Tally]:
        return tally(self.question, self.last.given, self.first)

    def told(self, here: int) -> str:
        last, elsewhere = len(self.last.given), self.last.elsewhere
        said = [f"{last} of {max(here, last)} answered", *["second vote"] * (self.asked.turn == 2)]
        said += ["asked again at the end"] * (self.asked.stage == LATER)
        return " · ".join([*said, *[f"{elsewhere} with other numbers"] * bool(elsewhere and not self.asked.shift)])

    def draw(self, revealed: bool = False) -> None:
        if revealed and self.shift:
            st.html(Markup('<div class="course class"><span class="soft">{}</span></div>').format(self.shift))
        draw_answers(self.place, self.question, self.last.given, self.first, revealed)
