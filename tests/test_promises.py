"""The table of promises: each is held by tests that are there, and every view that it names is there."""

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages.exercises.catalogue import EXERCISES
from pages.links.course import ENTRY, HOME, LESSONS, TEACH, TEACHING
from tests.lessons import controls_of, steps_of

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / ".github/docs/promises.md").read_text(encoding="utf-8")
# a row: the promise’s name, what is promised, where it is seen, and the tests that hold it
PROMISES = re.findall(r"^\| ([a-z_]+ \d+) \| .+? \| (.+?) \| (.+) \|$", TEXT, re.MULTILINE)
EVERY = {HOME: ENTRY, TEACH: TEACHING} | {lesson.name: lesson.file for lesson in LESSONS}
COUNTS = {"tutorial": 34, "pitfall": 13, "page": 10, "home": 7}


def test_no_promise_is_missing():
    names = [name for name, _, _ in PROMISES]
    assert len(set(names)) == len(names)
    for kind, count in COUNTS.items():
        assert [name for name in names if name.startswith(f"{kind} ")] == [f"{kind} {i + 1}" for i in range(count)]
    assert all(any(name.startswith(f"{lesson.name} ") for name in names) for lesson in LESSONS)


@pytest.mark.parametrize(("name", "tests"), [(name, tests) for name, _, tests in PROMISES])
def test_a_promise_is_held_by_tests_that_are_there(name, tests):
    found = [test.strip("`").partition("::") for test in tests.split()]
    assert found
    for path, _, test in found:
        assert f"\ndef {test}(" in (ROOT / path).read_text(encoding="utf-8")


def test_every_view_that_is_named_exists():
    links = [link for _, where, _ in PROMISES for link in re.findall(r"`(/[^`]*)`", where)]
    assert len(links) > 60
    for link in links:
        page = urlsplit(link).path.strip("/") or HOME
        assert page in EVERY, link
        for key, value in parse_qsl(urlsplit(link).query, strict_parsing=bool(urlsplit(link).query)):
            name = key.removeprefix(f"{page}_")
            assert name != key, link
            if name == "step":
                assert value in steps_of(page), link
            elif name == "exercise":
                assert EXERCISES[value].lesson == page, link
            else:
                assert name in controls_of(page), link
