"""The questions that a teacher wrote for a view, in a link: of each its text, why, and the answers.

Of several answers the right one has a star; "= 4.5 ± 0.1" is a number, "…" an open text. A class keeps them itself.
"""

import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from pages.links.earlier import covered
from pages.look.html import seen
from pages.questions.kinds import BY_TEACHER, Choice, Number

QUESTION, ANSWER, ANSWERS, MOST = 250, 80, 4, 4  # characters, characters, answers, questions of a view
LONGEST = 2000  # characters of all: a class keeps a text of three times as many
NEXT = "\x1e"  # between two questions: no typed line has it, as it counts as white space
OPEN, WHY = "…", "why:"
NUMBER = re.compile(r"= ?([-−]?\d{1,9}(?:\.\d{1,6})?)(?: ?(?:±|\+-) ?(\d{1,9}(?:\.\d{1,6})?))?")


class Open(NamedTuple):
    """A question that has no right answer: what students write goes to the wall."""

    name: str
    text: str


def written(typed: str) -> str:
    """Return questions as a link carries them, from a paragraph for each: the question, its answers, and why."""
    questions, text = [], "\n".join(" ".join(line.split()) for line in typed.split("\n"))
    for lines in filter(None, ([line for line in one.split("\n") if line] for one in text.split("\n\n"))):
        whys = [line[len(WHY) :].strip() for line in lines if line.lower().startswith(WHY)]
        asked, *answers = [line for line in lines if not line.lower().startswith(WHY)] or [""]
        questions += ["\n".join((asked, *(whys or [""])[:1], *(answers or [OPEN])))]
    return covered(NEXT.join(questions))


def owns_in(word: str) -> list[list[str]]:
    """Return the questions that a link carries, those too that cannot be asked, each as its lines."""
    with suppress(ValueError):
        word = word if "\n" in word else urlsafe_b64decode(f"{word}==").decode()
    return [f"{one}\n".split("\n") for one in word.split(NEXT)[:MOST] if one]


def typed_in(word: str) -> str:
    found = ((asked, *answers, f"Why: {why}" if why else "") for asked, why, *answers in owns_in(word))
    return "\n\n".join("\n".join(line for line in lines if line not in ("", OPEN)) for lines in found)


def questions_in(word: str, name: str = BY_TEACHER) -> Iterator[Choice | Number | Open | None]:
    """Return the questions that a link carries; None for one that cannot be asked."""
    for place, lines in enumerate(owns_in(word), start=1):
        yield question_of(lines, name if place == 1 else f"{name}_{place}")


def question_of(own: list[str], name: str = BY_TEACHER) -> Choice | Number | Open | None:
    """Return a question that can be asked: of two to four answers one is right, or there is a number, or none."""
    asked, why, *lines = map(seen, own)
    lines, asked, why = [line for line in lines if line], asked[:QUESTION], why[:QUESTION]
    if asked and lines == [OPEN]:
        return Open(name, asked)
    if asked and len(lines) == 1 and (found := NUMBER.fullmatch(lines[0])):
        right, digits = float(found[1].replace("−", "-")), len(found[1].partition(".")[2])
        return Number(name, asked, right, float(found[2] or 0) + 1e-9, why, (), "", digits)
    answers = tuple(line.removeprefix("*").strip()[:ANSWER] for line in lines)
    rights = [place for place, line in enumerate(lines) if line.startswith("*")]
    if not asked or not 2 <= len(answers) <= ANSWERS or len({*answers}) < len(answers) or len(rights) != 1:
        return None
    return Choice.of(name, asked, answers[rights[0]], why, dict.fromkeys(answers, ""))
