"""What a teacher keeps of a class: what was revealed, and how often each answer was given. No person is in it."""

import json
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup

from pages.class_room.pictures import Tally, ballot
from pages.class_room.room import read
from pages.look.html import as_plain_text
from pages.look.style import STYLE, class_style
from pages.reproduce.files import csv_of

HEAD = ("question", "answer", "last vote", "first vote", "right", "why")
WALL = "Wall: "  # how the record of a text on the wall begins, which has one line
PAGE = Markup("""<!doctype html><html lang="en"><meta charset="utf-8"><title>Class {word}</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>{style}</style>
<body class="record"><h1>Class {word}</h1>{all}</html>""")


def record_of(question: str, lines: Sequence[Tally]) -> str:
    """Return the answers to a question as a text for the store."""
    texts = [
        [as_plain_text(one.answer)[:200], one.last, one.first, one.right, as_plain_text(one.why)[:500]]
        for one in lines[:6]
    ]
    return json.dumps([as_plain_text(question)[:500], texts], ensure_ascii=False)


def questions(records: Iterable[str]) -> Iterator[tuple[str, list[Tally]]]:
    """Return each question with its answers."""
    for question, lines in filter(None, map(read, records)):
        yield question, [Tally(*line) for line in lines]


def as_csv(records: Iterable[str]) -> bytes:
    """Return one table of all questions as a file for a spreadsheet."""
    rows = [
        (question, one.answer, str(one.last), "" if one.first is None else str(one.first), "yes" * one.right, one.why)
        for question, lines in questions(records)
        for one in lines
    ]
    return csv_of(HEAD, rows).encode("utf-8-sig")


def as_page(word: str, records: Iterable[str]) -> str:
    """Return a page for screen and paper: each question with its bars, as the class saw them when it was revealed."""
    part, text = Markup('<section class="course"><h2>{}</h2>{}</section>'), Markup("<p>{}</p>")
    item = Markup('<li>{} <span class="soft">{}</span></li>')
    found: dict[str, list[Tally]] = {}
    for question, lines in questions(records):
        found.setdefault(question, []).extend(lines)
    parts = []
    for question, lines in found.items():
        if question.startswith(WALL):
            shown = Markup("<ul>{}</ul>").format(Markup("").join(item.format(one.answer, one.why) for one in lines))
        else:
            why = Markup("").join(text.format(one.why) for one in lines if one.right and one.why)
            shown = why + ballot(lines, revealed=True)
        parts.append(part.format(question, shown))
    style = Markup(STYLE + class_style())  # noqa: S704  our own
    return PAGE.format(word=word, style=style, all=Markup("").join(parts))
