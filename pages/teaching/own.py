"""The questions that a teacher wrote for a view, in a link: of each its text, why, and the answers.

Of choices a star stands before the right one; a number has "=" before it, and "±" before how far another may be from
it; an open text has no right answer. In a class the link has only the name of them, and the class keeps them.
"""

import math
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from pages.links.earlier import covered
from pages.look.html import seen
from pages.questions.kinds import BY_TEACHER, Choice, Number

QUESTION, ANSWER, ANSWERS, MOST = 250, 80, 4, 4  # characters, characters, answers, questions of a view
NEXT = "\x1e"  # between two questions: no typed line has it, as it counts as white space
CHOICES, NUMBER, OPEN = KINDS = ("Choices", "Number", "Open text")
NO_ANSWER = ("…",)  # of an open text
OTHERWISE = "That is another number."


class OwnQuestion(NamedTuple):
    text: str
    why: str = ""
    answers: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        is_number = len(self.answers) == 2 and self.answers[0][0] == "=" and self.answers[1][0] == "±"
        return NUMBER if is_number else OPEN if self.answers == NO_ANSWER else CHOICES


class Open(NamedTuple):
    """A question that has no right answer: what students write goes to the wall."""

    name: str
    text: str


def written(questions: Iterable[OwnQuestion]) -> str:
    """Return questions as a link carries them; nothing if there are none."""
    lines = ([" ".join(line.split()) for line in (text, why, *answers)] for text, why, answers in questions)
    return covered(NEXT.join("\n".join((*one[:2], *filter(None, one[2:]))) for one in lines if one[0]))


def owns_in(word: str) -> list[OwnQuestion]:
    """Return what a link carries of questions, those too that cannot be asked."""
    with suppress(ValueError):
        word = word if "\n" in word else urlsafe_b64decode(f"{word}==").decode()
    parts = [f"{part}\n".split("\n") for part in word.split(NEXT)[:MOST]]
    return [OwnQuestion(text, why, tuple(filter(None, answers))) for text, why, *answers in parts if text]


def questions_in(word: str, name: str = BY_TEACHER) -> Iterator[Choice | Number | Open]:
    """Return the questions that a link carries, as far as they can be asked."""
    for place, own in enumerate(owns_in(word), start=1):
        if question := question_of(own, name if place == 1 else f"{name}_{place}"):
            yield question


def question_of(own: OwnQuestion, name: str = BY_TEACHER) -> Choice | Number | Open | None:
    """Return a question that can be asked, if it is whole: choices have two to four answers, of which one is right."""
    asked, why = seen(own.text)[:QUESTION], seen(own.why)[:QUESTION]
    if own.kind == OPEN:
        return Open(name, asked)
    if own.kind == NUMBER:
        right, tolerance = (number_in(answer[1:]) for answer in own.answers)
        if right is None or tolerance is None:
            return None
        digits = len(f"{right:.6f}".rstrip("0").partition(".")[2])
        return Number(name, asked, right, abs(tolerance) + 1e-9, why, (), OTHERWISE, digits)
    lines = [seen(line) for line in own.answers]
    answers = tuple(line.removeprefix("*").strip()[:ANSWER] for line in lines)
    rights = [place for place, line in enumerate(lines) if line.startswith("*")]
    if not asked or not 2 <= len(answers) <= ANSWERS or len({*answers}) < len(answers) or len(rights) != 1:
        return None
    return Choice.of(name, asked, answers[rights[0]], why, dict.fromkeys(answers, ""))


def number_in(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) < 1e9 else None
