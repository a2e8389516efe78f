"""The addresses that the documents give: each opens the step that it names, with the settings of today."""

import re
from urllib.parse import parse_qsl

import pytest

from pages.links.course import LESSONS
from tests.app.visits import FILES, ROOT, controls, reveal, said, shared, to_step, visit
from tests.lessons import controls_of

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / ".github").rglob("*.md"))]


def addresses():
    """Return the page and the words of each address in a document."""
    found = set()
    for document in DOCUMENTS:
        for page, query in re.compile(r"/(\w+)\?([^\s`)|\]]+)").findall(document.read_text(encoding="utf-8")):
            if page in FILES:
                found.add((page, tuple(sorted(parse_qsl(query)))))
    return sorted(found)


def test_every_word_of_an_address_is_one_of_its_page():
    found = addresses()
    assert len(found) > 50
    for page, words in found:
        for key, _ in words:
            assert key.removeprefix(f"{page}_") in {*controls_of(page), "lock", "hide"} or "_" not in key, key


@pytest.mark.parametrize("lesson", [lesson.name for lesson in LESSONS])
def test_an_address_that_names_only_a_step_opens_what_a_walk_to_it_does(lesson):
    name = [word for page, ((key, word), *more) in addresses() if key == f"{lesson}_step" and not more][-1]
    walked, opened = to_step(reveal(visit(lesson)), name), visit(lesson, step=name)
    assert shared(walked) == shared(opened) == {f"{lesson}_step": name}
    assert {key: field.value for key, field in controls(walked).items()} == {
        key: field.value for key, field in controls(opened).items()
    }
    assert said(walked) == said(opened)
