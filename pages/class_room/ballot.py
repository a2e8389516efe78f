"""A question that a class is asked, with what was sent in each vote; it is counted when somebody looks."""

from functools import partial
from typing import Any, NamedTuple

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

    @classmethod
    def of(cls, store: Store, word: str, place: str, asked: Poll, question: Question) -> "Ballot":
        votes = [store.read(word, shelf_of(place, turn)) for turn in (1, 2)[: asked.turn]]
        return cls(place, asked, question, votes)

    @property
    def last(self) -> Count:
        return counted(self.votes[-1].values(), self.asked.mark, partial(fitting, self.question))

    @property
    def first(self) -> list[Any] | None:
        """The answers of the first of two votes."""
        return self._replace(votes=self.votes[:1]).last.given if self.votes[1:] else None

    @property
    def lines(self) -> list[Tally]:
        return tally(self.question, self.last.given, self.first)

    def told(self, here: int) -> str:
        """Return how many answered, and in which vote."""
        last, elsewhere = len(self.last.given), self.last.elsewhere
        said = [f"{last} of {max(here, last)} answered", *["second vote"] * (self.asked.turn == 2)]
        said += ["asked again at the end"] * (self.asked.stage == LATER)
        return " · ".join([*said, *[f"{elsewhere} with other numbers"] * bool(elsewhere)])

    def draw(self, revealed: bool = False) -> None:
        draw_answers(self.place, self.question, self.last.given, self.first, revealed)
