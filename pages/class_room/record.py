"""What a teacher keeps of a class: what was revealed, and how often each answer was given. No person is in it."""

import json
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from pages.class_room.pictures import Line
from pages.class_room.room import read
from pages.look.html import table
from pages.look.style import STYLE
from pages.reproduce.files import csv_of

HEAD = ("question", "answer", "last vote", "first vote", "right", "why")
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Class {}</title><style>{}
body{{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}</style><h1>Class {}</h1>{}</html>"""


def record_of(question: str, lines: Sequence[Line]) -> str:
    """Return the answers to a question as a text for the store."""
    texts = [[plain(line.answer), line.last, line.first, line.right, plain(line.why)[:300]] for line in lines[:6]]
    return json.dumps([plain(question)[:300], texts], ensure_ascii=False)


def plain(text: str) -> str:
    return Markup("{}").format(text).striptags()


def rows_of(records: Iterable[str]) -> list[list[str]]:
    """Return the rows of a table of all questions."""
    found = []
    for question, lines in filter(None, map(read, records)):
        for answer, last, first, right, why in lines:
            before = "" if first is None else str(first)
            found.append([question, answer, str(last), before, "yes" if right else "", why])
    return found


def as_csv(records: Iterable[str]) -> bytes:
    """Return the table as a file for a spreadsheet."""
    return csv_of(HEAD, rows_of(records)).encode("utf-8-sig")


def as_page(word: str, records: Iterable[str]) -> str:
    """Return the table as a page that opens everywhere."""
    shown = Markup('<div class="course">{}</div>').format(table(HEAD, rows_of(records), left=6, long=5))
    return PAGE.format(word, STYLE, word, shown)
