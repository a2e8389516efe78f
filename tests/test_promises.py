"""The table of promises: none is missing, and every place and every test that it names is there."""

import ast
import re
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from pages.exercises.catalogue import EXERCISES
from pages.page.course import ENTRY, HOME, LESSONS, controls_of
from tests.lessons import steps_of

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / ".github" / "docs" / "promises.md").read_text(encoding="utf-8")
FILES = {HOME: ENTRY} | {lesson.name: lesson.file for lesson in LESSONS}
PARTS = {
    "What five tutorials teach": 34,
    "What other pages get wrong": 12,
    "What every page has": 10,
    "The home page": 4,
}


def rows(part: str) -> list[list[str]]:
    """Return the cells of the table under a heading, row by row."""
    (text,) = re.findall(rf"^## {part}\n(.*?)(?=^## |\Z)", TEXT, flags=re.MULTILINE | re.DOTALL)
    lines = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in cells] for cells in lines[2:]]


def every_row() -> list[list[str]]:
    return [row for part in (*PARTS, "The six lessons") for row in rows(part)]


@cache
def named_in(path: str) -> set[str]:
    """Return the names of the tests in a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_no_promise_is_missing():
    for part, count in PARTS.items():
        assert [row[0] for row in rows(part)] == [str(number + 1) for number in range(count)], part
    named = [row[0].strip("*") for row in rows("The six lessons") if row[0]]
    assert named == [lesson.title for lesson in LESSONS]


def test_every_promise_has_a_place_and_a_test():
    for row in every_row():
        assert len(row) == 4, row
        assert "`/" in row[2] or row[2] in ("every page", "every lesson"), row
        assert "::test_" in row[3], row


def test_every_test_that_is_named_exists():
    named = re.findall(r"`(tests/\S+\.py)::(\w+)`", TEXT)
    assert len(named) == TEXT.count("::") - TEXT.count("::test_name")
    assert [f"{path}::{name}" for path, name in named if name not in named_in(path)] == []


def test_every_place_that_is_named_exists():
    links = [link for row in every_row() for link in re.findall(r"`(/[^`]*)`", row[2])]
    assert len(links) > 60
    for link in links:
        page = urlsplit(link).path.strip("/") or HOME
        assert page in FILES, link
        for key, value in parse_qsl(urlsplit(link).query, strict_parsing=bool(urlsplit(link).query)):
            name = key.removeprefix(f"{page}_")
            assert name != key, link
            if name == "step":
                assert value in steps_of(page), link
            elif name == "exercise":
                assert EXERCISES[value].lesson == page, link
            else:
                assert name in controls_of(page), link


def test_every_step_of_every_lesson_is_named():
    named = set(re.findall(r"`/(\w+)\?\w+_step=(\w+)", TEXT))
    missing = {(lesson.name, stage) for lesson in LESSONS for stage in steps_of(lesson.name)} - named
    assert missing == {("tiny_lm", "bet")}  # the first, which a bare link opens
