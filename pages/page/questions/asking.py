"""The questions of a page: which of them its link asks, their variants, and what follows an answer."""

from collections.abc import Callable
from typing import Any

from pages.page.fields.controls import Controls
from pages.page.frame.drawing import Drawing
from pages.page.links.course import LESSONS
from pages.page.questions.ask import Then, answers, ask, settle, variant
from pages.page.questions.kinds import Place, Question

Maker = Callable[[int], Question | None]  # of the variants of a question


class Asking:
    """The questions that a page has asked in this run."""

    drawing: Drawing

    def __init__(self, name: str, controls: Controls) -> None:
        self.name, self.controls = name, controls
        self.shows_answer: Callable[[], None] = lambda: None  # called before what an answer shows is drawn
        self.makers: dict[str, Maker] = {}  # of the questions that have variants
        self.afresh: dict[str, Maker] = {}  # and as the link of this view asks them, whatever was answered here
        self.varied: set[str] = set()  # the questions whose variant was looked at

    @property
    def asked(self) -> list[Question]:
        return self.drawing.asked

    def ask(self, question: Question | None, blank: Then | None = None, then: Then | None = None) -> bool:
        """Ask a question, unless the link asks another one. Return True if what gives its answer away may be shown.

        Until then `blank` draws the picture without it; `then` follows the answer. None asks nothing.
        """
        if question is None:
            return True
        self.asked.append(question)
        only = self.controls.mark("ask", "Questions", "first", self.may_be_asked)
        asks = only in ("first", question.name)
        if asks and not ask(self.name, question, blank, then, lambda: self.has_more(question)):
            return False
        self.shows_answer()
        return True

    def question(self, name: str, make: Maker, afresh: Maker | None = None) -> Question | None:
        """Return the variant of a question that is asked now; None where there is nothing worth asking."""
        self.makers[name], self.afresh[name] = make, afresh or make
        return make(self.variant(name))

    def has_more(self, question: Question) -> bool:
        """Return whether the next variant of a question asks for something else."""
        if question.name not in self.makers:
            return question.name in self.varied
        following = self.makers[question.name](self.variant(question.name) + 1)
        return following is not None and following.text != question.text

    def given(self, question: Question | None) -> Any:
        """Return the answer that stands to this very question, or None."""
        answer = answers().get(f"{self.name}_{question.name}") if question else None
        return answer.given if answer and answer.question == question else None

    def answered_place(self, name: str) -> Place | None:
        """Return where the question was that was answered last, so that it stands while other cells are chosen."""
        answer = answers().get(f"{self.name}_{name}")
        return answer.question.place if answer else None

    def settle(self, question: Question, given: Any, then: Then) -> None:
        """Take a click in a picture as the answer."""
        settle(f"{self.name}_{question.name}", question, given, then)

    def key_to(self, question: Question) -> Question:
        """Return the variant of a question that a link opens with, as far as it is known here."""
        make = self.afresh.get(question.name)
        return (make(0) if make else None) or question

    def may_be_asked(self, word: str) -> bool:
        """Return whether a word of the link is legal here: all questions first, none, or the name of one."""
        names = [name for lesson in LESSONS if lesson.name == self.name for name in lesson.questions]
        return word in ("first", "no", *names)

    def variant(self, question: str) -> int:
        self.varied.add(question)
        return variant(self.name, question)
