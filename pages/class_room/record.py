"""What a teacher keeps of a class: each question with its answers, and the wall. No person is in it."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from markupsafe import Markup

from pages.class_room.pictures import Tally, ballot
from pages.class_room.room import read
from pages.class_room.store import whole
from pages.look.html import as_plain_text, caption
from pages.look.style import STYLE, class_style
from pages.reproduce.files import csv_of

HEAD = ("lesson", "view", "question", "answer", "last vote", "first vote", "right", "why", "when", "here")
WALL = "Wall: "  # how the record of a text on the wall begins, which has one line
PAGE = Markup("""<!doctype html><html lang="en"><meta charset="utf-8"><title>Class {word}</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>{style}</style>
<body class="record"><h1>Class {word}</h1><p class="course"><span class="soft">{told}</span></p>{all}</html>""")


class Record(NamedTuple):
    """A question with its answers, or texts of a wall."""

    question: str
    lines: list[Tally]
    at: float  # when it was revealed, chosen or kept
    here: int  # how many were there
    lesson: str = ""
    view: str = ""

    @property
    def text(self) -> str:
        return json.dumps(self, ensure_ascii=False)

    @classmethod
    def of(cls, text: str) -> "Record | None":
        match read(text):
            case [str() as question, list() as lines, int() | float() as at, int() as here, *names] if 0 <= at < 1e11:
                if all(map(is_tally, lines)):
                    return cls(question, [Tally(*line) for line in lines], at, here, *map(str, names[:2]))
        return None

    def when(self, offset: int) -> datetime:
        """Return the time where the clock is `offset` minutes behind that of the world."""
        return datetime.fromtimestamp(self.at, timezone(-timedelta(minutes=max(-1439, min(1439, offset)))))


def is_tally(found: object) -> bool:
    match found:
        case [str(), int(), None | int(), bool(), str()]:
            return True
    return False


def record_of(question: str, lines: Sequence[Tally], at: float, here: int, *names: str) -> Record:
    plain = [one._replace(answer=as_plain_text(one.answer)[:200], why=as_plain_text(one.why)[:500]) for one in lines]
    return Record(as_plain_text(question)[:500], plain[:6], at, here, *names)


def records_in(texts: Iterable[str]) -> list[Record]:
    return sorted(filter(None, map(Record.of, texts)), key=lambda one: one.at)


def as_csv(word: str, texts: Iterable[str], offset: int = 0) -> bytes:
    rows = []
    for record in records_in(texts):
        when, here = f"{record.when(offset):%Y-%m-%d %H:%M}", record.here or ""
        for answer, last, first, right, why in record.lines:
            votes = last, "" if first is None else first
            cells = (*record[-2:], record.question, answer, *votes, "yes" * right, why, when, here)
            rows.append([whole(str(cell)) for cell in cells])
    return csv_of(HEAD, rows).encode("utf-8-sig")


def as_page(word: str, texts: Iterable[str], offset: int = 0) -> str:
    """Return a page for screen and paper: each question with its bars, and what was shown of the wall."""
    records, walls = records_in(texts), dict[tuple[str, str], list[Tally]]()
    part = Markup('<section class="course"><h2>{}</h2><p class="soft">{}</p>{}</section>')
    item, text = Markup('<li>{} <span class="soft">{}</span></li>'), Markup("<p>{}</p>")
    parts = []
    for one in records:
        where = f"{': '.join(one[-2:])} · " if one.lesson else ""
        if one.question.startswith(WALL) and not any(line.right for line in one.lines):  # a question has a right answer
            walls.setdefault((one.question, where), []).extend(one.lines)
            continue
        last, first = sum(line.last for line in one.lines), sum(line.first or 0 for line in one.lines)
        told = f"{where}{one.when(offset):%H:%M} · {last} of {max(one.here, last)} answered"
        told += f", {first} in the first vote" if first else ""
        why = Markup("").join(text.format(caption(line.why)) for line in one.lines if line.right and line.why)
        parts.append(part.format(caption(one.question), told, why + ballot(one.lines, revealed=True)))
    for (title, where), lines in walls.items():
        shown = Markup("").join(item.format(line.answer, line.why) for line in lines)
        parts.append(part.format(title, f"{where}chosen for the class", Markup("<ul>{}</ul>").format(shown)))
    about = "Nothing was asked."
    if records:
        times = dict.fromkeys(f"{one.when(offset):%H:%M}" for one in (records[0], records[-1]))
        here = max(one.here for one in records)
        about = f"{records[0].when(offset):%d %B %Y}, answers of {' to '.join(times)} · up to {here} here"
    style = Markup(STYLE + class_style())  # noqa: S704  our own
    return whole(PAGE.format(word=word, style=style, told=about, all=Markup("").join(parts)))
