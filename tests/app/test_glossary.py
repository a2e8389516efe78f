"""The glossary: every term is explained where a lesson first says it, once, and belongs to a step that says it."""

import re
from importlib import import_module

import pytest

from pages.look.glossary import FOUND, TERMS, introduce
from pages.look.html import prose
from pages.page.course import LESSONS
from tests.app.steps import step
from tests.lessons import ROOT

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)


def texts_of(lesson):
    """Return what the steps of a lesson say, by their names and in their order."""
    source = (ROOT / lesson.file).read_text(encoding="utf-8")
    names = re.findall(r"\w+", re.search(r"^STEPS = \((.*?)\)$", source, flags=re.MULTILINE | re.DOTALL)[1])
    return {name: import_module(f"pages.{lesson.name}.{name}").STEP.whole for name in names}


@each_lesson
def test_a_term_is_marked_in_the_first_text_that_says_it_and_nowhere_else(lesson):
    texts = list(texts_of(lesson).values())
    marked = [re.findall(r"\[\[(.*?)\]\]", introduce(text, tuple(texts[:i]))) for i, text in enumerate(texts)]
    for term in TERMS:
        places = [i for i, names in enumerate(marked) for name in names if FOUND[term.name].fullmatch(name)]
        assert len(places) <= 1, term.name
        assert all(not FOUND[term.name].search(text) for text in texts[: places[0]]) if places else True


@each_lesson
def test_a_term_is_said_in_the_lesson_that_the_glossary_names(lesson):
    texts = texts_of(lesson)
    missing = [
        term.name
        for term in TERMS
        if term.lesson == lesson.name
        and (term.step not in texts or not any(FOUND[term.name].search(text) for text in texts.values()))
    ]
    assert missing == []


def test_a_marked_term_carries_its_meaning_and_can_be_reached_by_keyboard():
    text = "A :query[**query**] meets `query` and d_model, then softmax."
    shown = prose(introduce(text, ()))
    assert shown.count("<dfn tabindex") == 3
    assert all(part in shown for part in ("What a token looks for", '<span class="query">', "<code>query</code>"))
    assert introduce(text, ("Each query has a score.",)).count("[[") == 2
    assert "[[1, 2]] and [[no term]]" in prose("[[1, 2]] and [[no term]]")


def test_a_step_shows_its_terms_with_their_meanings():
    seen = step("qkv", "scores")
    assert any('<dfn tabindex="0">' in block for block in seen.html)
