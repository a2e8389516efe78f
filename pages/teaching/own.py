"""A question that a teacher wrote, in a link: its text, why, and the answers, a star before the right one.

In a class the link has only the name of it, and the class keeps it.
"""

from base64 import urlsafe_b64decode
from contextlib import suppress

from pages.links.earlier import covered
from pages.look.html import seen
from pages.questions.kinds import Choice

QUESTION, ANSWER, ANSWERS = 250, 80, 4


def written(text: str, why: str, answers: str) -> str:
    """Return a question as a link carries it; nothing if there is none."""
    lines = [" ".join(line.split()) for line in (text, why, *answers.splitlines())]
    return covered("\n".join((*lines[:2], *filter(None, lines[2:])))) if lines[0] else ""


def lines_in(word: str) -> list[str]:
    """Return what a link carries of a question: its text, why, and the answers."""
    with suppress(ValueError):
        word = word if "\n" in word else urlsafe_b64decode(f"{word}==").decode()
    return word.split("\n") if "\n" in word else [word, ""]


def question_in(text: str) -> Choice | None:
    """Return the question that a link carries, if it has two to four answers of which one is right."""
    asked, why, *lines = map(seen, lines_in(text))
    lines = [line for line in lines if line]
    answers = tuple(line.removeprefix("*").strip()[:ANSWER] for line in lines)
    right = tuple(place for place, line in enumerate(lines) if line.startswith("*"))
    if not asked or not 2 <= len(answers) <= ANSWERS or len({*answers}) < len(answers) or len(right) != 1:
        return None
    return Choice.of("own", asked[:QUESTION], answers[right[0]], why[:QUESTION], dict.fromkeys(answers, ""))
