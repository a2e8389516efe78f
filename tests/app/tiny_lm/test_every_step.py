"""Every view of every step of the lesson: whatever model, prompt or link it is given."""

from importlib import import_module
from itertools import cycle

import numpy as np
import pytest
from markupsafe import escape

from pages.links.course import LESSONS
from pages.tiny_lm.model_in_view import NAMES, WHEN
from pages.tiny_lm.train.upload import from_file
from tests.app.steps import step
from tests.app.tiny_lm.models import ODD, odd, step_with
from tests.app.tiny_lm.test_units import own_of_pieces
from tests.app.tiny_lm.test_upload import FILES_LET_IN
from tests.app.visits import charts, html_of
from tests.lessons import steps_of

STEPS = {name: import_module(f"pages.tiny_lm.{name}").STEP for name in steps_of("tiny_lm")}
(LESSON,) = (lesson for lesson in LESSONS if lesson.name == "tiny_lm")
each_step = pytest.mark.parametrize("name", STEPS)


def assert_sound(seen):
    """See that a step says or draws something, that its numbers are numbers, and that no token of it is markup."""
    asked = [escape(text) for question in seen.page.asked for text in (question.text, question.why)]
    text = "".join([*html_of(seen), *asked])
    assert text or charts(seen)
    assert not [word for word in ("<b>bold</b>", "<b>zq</b>", "NaN", "Ġ", "Ã") if word in text]
    for chart in charts(seen):
        assert chart.alt
        for column in sorted({"value", "probability"} & set(chart.data.columns)):
            assert np.isfinite(chart.data[column]).all()


OWN = {kind: lambda kind=kind: odd(kind) for kind in ODD}
OWN |= {"pieces": own_of_pieces} | {f"file: {name}": lambda f=f: from_file(f) for name, f in FILES_LET_IN.items()}


PROMPTS = [
    ("Toy English", {"text": "it"}),
    ("Copy task", {"letters": "a3" * 30}),
    ("Small Stories", {"story": ""}),
    ("Pronouns", {"text": "the " * 30}),
]


@each_step
def test_a_model_of_ones_own_and_prompts_of_any_length_are_shown(name):
    """Warnings are errors here: no number overflows."""
    assert_sound(step_with(odd(next(iter(ODD))), name))
    for label, prompt in PROMPTS[:2]:
        assert_sound(step("tiny_lm", name, model=label, when="just begun", **prompt))


@pytest.mark.nightly
@pytest.mark.parametrize("kind", OWN)
def test_any_model_of_ones_own_is_shown(kind):
    for name in STEPS:
        assert_sound(step_with(OWN[kind](), name))


@pytest.mark.nightly
@pytest.mark.parametrize(("label", "prompt"), PROMPTS[2:])
def test_any_prompt_is_read(label, prompt):
    for name in STEPS:
        assert_sound(step("tiny_lm", name, model=label, when="just begun", **prompt))


@pytest.mark.nightly
@pytest.mark.parametrize("label", NAMES)
@pytest.mark.parametrize("when", WHEN)
def test_every_model_is_shown_at_every_checkpoint(label, when):
    for name in STEPS:
        assert_sound(step("tiny_lm", name, model=label, when=when))


@each_step
def test_the_course_lists_what_is_asked(name):
    asked = step("tiny_lm", name, unanswered="all").page.asked
    assert {question.name for question in asked} <= {*LESSON.questions, *LESSON.deeper}


@each_step
def test_what_a_link_cannot_say_falls_back(name):
    words = set(STEPS[name].words.split()) - {"sentence", "typed", "word"}  # any text is one
    nonsense = dict(zip(sorted(words), cycle(["1e309", "<script>"])))
    usual, seen = (step("tiny_lm", name, **link) for link in ({}, nonsense))
    assert [one.alt for one in charts(seen)] == [one.alt for one in charts(usual)]
