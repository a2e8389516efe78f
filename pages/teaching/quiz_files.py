"""Questions as files that a learning platform reads, such as Moodle: GIFT."""

import re
from collections.abc import Iterable

from pages.look.html import caption
from pages.questions.kinds import Choice, Number

Item = tuple[str, Choice | Number]  # under which name it is kept, and what is asked
PLACE = "$course$/top/Attention, from scratch/{}"
ALL = 100  # percent, for a right answer
IN_GIFT = re.compile(r"[\\~=#{}:]")  # what means something there, unless a backslash is before it
OF_PAGES = re.compile(r' (?:class|style)="[^"]*"')  # the course's own look


def place_of(lesson: str) -> str:
    return PLACE.format(lesson.replace("/", "//"))  # one stroke begins a category within it


def html(text: str) -> str:
    """Return a text of a question as HTML that needs no style of ours."""
    return OF_PAGES.sub("", caption(text)).strip()


def answers(question: Choice | Number) -> list[tuple[int, str, str, str]]:
    """Return each answer: its percent, the text, the tolerance of a number, and the feedback. `*` is any other."""
    if isinstance(question, Choice):
        told = zip(question.options, question.mistakes, strict=True)
        return [
            (ALL, html(text), "", html(question.why)) if i in question.right else (0, html(text), "", html(reason))
            for i, (text, reason) in enumerate(told)
        ]
    near = f"{question.tolerance:.6g}"
    numbers = [(ALL, f"{question.right:.12g}", near, html(question.why))]
    numbers += [(0, f"{mistake.value:.12g}", near, html(mistake.text)) for mistake in question.mistakes]
    return [*numbers, (0, "*", "", html(question.otherwise))]


def gift(lesson: str, items: Iterable[Item]) -> str:
    parts = [f"$CATEGORY: {place_of(lesson)}\n"]
    for name, question in items:
        lines = []
        for percent, text, near, feedback in answers(question):
            if isinstance(question, Choice):
                sign, given = "=" if percent else "~", escaped(text)
            else:
                sign = "~" if text == "*" else "=" if percent else "=%0%"
                given = "" if text == "*" else f"{text}:{near}"
            lines.append(f"{sign}{given}#{escaped(feedback)}")
        opening = "{" if isinstance(question, Choice) else "{#"
        body = "\n".join((opening, *lines, f"####{escaped(html(question.why))}", "}"))
        parts.append(f"::{escaped(name)}::[html]{escaped(html(question.text))}{body}\n")
    return "\n".join(parts)


def escaped(text: str) -> str:
    """Return a text for a place in GIFT: what means something is marked, as is the end of a line."""
    return IN_GIFT.sub(r"\\\g<0>", text).replace("\n", "\\n")
