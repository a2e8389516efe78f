"""The glossary: every term is explained where a lesson first says it, once, and belongs to a step that says it."""

import re
from importlib import import_module

import pytest

from pages.links.course import LESSONS
from pages.look.glossary import SAID, TERMS, introduce, term_of
from pages.look.html import prose
from tests.lessons import names_of

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)


def texts_of(lesson):
    """Return what the steps of a lesson say, by their names and in their order."""
    return {name: import_module(f"pages.{lesson.name}.{name}").STEP.full_text for name in names_of(lesson.name)}


def terms_in(text):
    return {term.name for match in SAID.finditer(text) if (term := term_of(match))}


def marked_in(text, before=()):
    return re.findall(r"\[\[(.*?)\]\]", introduce(text, tuple(before)))


@each_lesson
def test_a_term_is_marked_in_the_first_text_that_says_it_and_nowhere_else(lesson):
    texts = list(texts_of(lesson).values())
    for i, text in enumerate(texts):
        new = terms_in(text).difference(*map(terms_in, texts[:i]))
        marked = [name for word in marked_in(text, texts[:i]) for name in terms_in(word)]
        assert sorted(marked) == sorted(new)


@each_lesson
def test_a_term_is_said_in_the_lesson_that_the_glossary_names(lesson):
    texts = texts_of(lesson)
    own = [term for term in TERMS if term.lesson == lesson.name]
    assert {term.step for term in own} <= texts.keys()
    assert {term.name for term in own} <= set().union(*map(terms_in, texts.values()))


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Patch it (activation patching). The activation is GELU.", ["activation patching", "activation"]),
        ("Rotary position embedding, or RoPE, rotates.", ["Rotary position embedding"]),
        ("The output of every earlier head and MLP is read.", ["head", "MLP"]),
        ("The output of a head is read.", ["output", "head"]),
        ("A hidden state, a `score` and queries-first.", ["hidden state"]),
    ],
)
def test_a_term_is_not_marked_inside_of_a_longer_name(text, marked):
    assert marked_in(text) == marked
    assert marked_in(text, (text,)) == []
    assert marked_in("The activation is GELU.", ("Here is activation patching.",)) == ["activation"]


def test_a_marked_term_carries_its_meaning_and_can_be_reached_by_keyboard():
    text = "A :query[**query**] meets `query` and d_model, then softmax."
    shown = prose(introduce(text, ()))
    assert shown.count("<dfn tabindex") == 3
    assert all(part in shown for part in ("What a token looks for", '<span class="query">', "<code>query</code>"))
    assert introduce(text, ("Each query has a score.",)).count("[[") == 2
    assert "[[1, 2]] and [[no term]]" in prose("[[1, 2]] and [[no term]]")
