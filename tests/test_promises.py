"""The table of promises: each is held by a test, no test holds another, and every view that it names is there."""

import re
from urllib.parse import parse_qsl, urlsplit

from pages.exercises.catalogue import EXERCISES
from pages.links.course import ENTRY, HOME, LESSONS, TEACH, TEACHING
from tests.lessons import controls_of, steps_of
from tests.promises import DOCUMENT, holders, promises, written

TEXT = DOCUMENT.read_text(encoding="utf-8")
EVERY = {HOME: ENTRY, TEACH: TEACHING} | {lesson.name: lesson.file for lesson in LESSONS}
COUNTS = {"tutorial": 34, "pitfall": 13, "page": 10, "home": 7}


def test_no_promise_is_missing():
    names = [promise.name for promise in promises(TEXT)]
    assert len(set(names)) == len(names)
    for kind, count in COUNTS.items():
        assert [name for name in names if name.startswith(f"{kind} ")] == [f"{kind} {i + 1}" for i in range(count)]
    assert all(any(name.startswith(f"{lesson.name} ") for name in names) for lesson in LESSONS)


def test_every_promise_is_held_by_a_test_and_no_test_holds_another():
    assert holders().keys() == {promise.name for promise in promises(TEXT)}


def test_the_table_names_the_tests_that_say_so():
    assert written(TEXT) == TEXT, "python -m tests.promises writes it anew"


def test_every_view_that_is_named_exists():
    links = [link for promise in promises(TEXT) for link in re.findall(r"`(/[^`]*)`", promise.where)]
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
