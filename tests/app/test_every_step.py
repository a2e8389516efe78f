"""Every step, called without a browser: its controls at both ends, what its questions hide, and what is right."""

import json
import re
import tomllib
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from pages.links.course import LESSONS
from pages.questions.kinds import Choice
from pages.scaling.claims import CLAIMS
from tests.app.calculations import wrong_calculations
from tests.app.steps import step
from tests.app.visits import blank, domain, heatmap, html_of, main
from tests.lessons import doors_of, path_of, steps_of

STEPS = [(lesson.name, name) for lesson in LESSONS for name in steps_of(lesson.name)]
VIEWS = [
    (lesson, name, {"weights": kind} if kind else {})
    for lesson, name in STEPS
    for kind in (("trained", "hand-made", "random") if lesson == "multi_head" else ("",))
]
VIEWS += [("scaling", "claims", {"claim": claim}) for claim in CLAIMS]
TABLES = tomllib.loads(Path(__file__).with_name("every_step.toml").read_text("utf-8"))
STATED = {(lesson, name): count for lesson, steps in TABLES["stated"].items() for name, count in steps.items()}
RESCALED = TABLES["rescaled"]
SHADED = ("leak", "matters")  # whose colours are not those of the scale of their numbers
SENTENCES = ("a", " ".join(f"word{i}" for i in range(24)), "<u>x</u> {y} *z* $q$ `c`")
each_step = pytest.mark.parametrize(("lesson", "name"), STEPS)
each_view = pytest.mark.parametrize(("lesson", "name", "link"), VIEWS, ids=str)


def of_variant(variant):
    return defaultdict(lambda: variant)


@each_step
def test_a_question_comes_before_what_gives_it_away(lesson, name):
    waiting, answered = step(lesson, name, unanswered="all"), step(lesson, name)
    if not waiting.ready:
        assert [blank(chart) for chart in waiting.charts].count(False) == STATED.get((lesson, name), 0)
        assert len(waiting.page.asked) == 1
    assert answered.ready
    assert not any(map(blank, answered.charts))


def test_a_wrong_calculation_is_found():
    right = "1 ÷ 3 = 0.33, √2 ≈ 1.41, <i>4</i> · 32 = 128 = 2 · 64. 0.7 · −10 + 0.2 · 5 = −6.00<br>768² = 589,824"
    assert wrong_calculations(right) == []
    wrong = ["1 ÷ 3 = 0.34", "√2 ≈ 1.51", "12 ÷ 3 = 5", "4 · 32 = 128 = 2 · 65", "6.36 − 4.24 = 2.14", "3² = 10"]
    assert wrong_calculations(*wrong, right) == wrong


@each_view
def test_another_question_asks_for_something_else(lesson, name, link):
    def asked(question):  # an order of options is none
        return question.text, frozenset(question.options) if isinstance(question, Choice) else ()

    for variant in range(2):
        seen = step(lesson, name, "all", of_variant(variant), **link)
        following = step(lesson, name, "all", of_variant(variant + 1), **link)
        for question in seen.page.asked:
            if seen.page.has_more(question):
                assert asked(following.question(question.name)) != asked(question)


@each_view
def test_the_key_of_a_teacher_is_to_the_question_with_which_a_link_opens(lesson, name, link):
    opened, another = (step(lesson, name, variants=of_variant(variant), **link).page for variant in (0, 1))
    for question in another.asked:
        assert another.key_to(question) in opened.asked


@pytest.mark.parametrize("lesson", LESSONS[:-1], ids=lambda lesson: lesson.name)  # the last asks in many looks
def test_the_course_lists_what_the_path_of_a_lesson_asks_and_what_its_doors_ask(lesson):
    for names, listed in ((path_of(lesson.name), lesson.questions), (doors_of(lesson.name), lesson.deeper)):
        views = [(name, link) for of, name, link in VIEWS if of == lesson.name and name in names]
        asked = {question.name: name for name, link in views for question in step(lesson.name, name, **link).page.asked}
        assert asked.keys() == set(listed)
        assert all(lesson.questions.get(question, name) == name for question, name in asked.items())


@each_step
def test_every_question_can_be_asked_of_any_sentence_whose_words_stay_words(lesson, name):
    for variant, text in enumerate(SENTENCES if lesson != "scaling" else ()):  # which has no field for words
        seen = step(lesson, name, variants=of_variant(variant), text=text)
        told = [part for question in seen.page.asked for part in (question.text, question.told)]
        assert "<u>x</u>" not in " ".join([*html_of(seen), *told])


@pytest.mark.parametrize(("lesson", "name"), [step for step in STEPS if step[0] != "tiny_lm"])  # its models are large
def test_a_step_stands_with_all_its_controls_at_both_ends_and_its_colours_hold_its_numbers(lesson, name):
    ends = step(lesson, name).page.controls.ends
    for end in (0, -1):
        seen = step(lesson, name, **{control: words[end] for control, words in ends.items() if control != "step"})
        assert all(len(chart.data) for chart in seen.charts)
        if (picture := main(seen)) is not None and name not in SHADED:
            numbers = heatmap(picture).values
            assert np.abs(numbers[np.isfinite(numbers)]).max() <= domain(picture)[1] + 1e-9


def scales(seen):
    """Return the ends of all axes and colours in numbers."""
    return [re.findall(r'"domain": (\[-?\d[^\]]*\])', json.dumps(chart.spec)) for chart in seen.charts]


@pytest.mark.parametrize(("lesson", "name"), [step for step in STEPS if step[0] != "tiny_lm"])
def test_axes_and_colours_stay_while_seed_cell_and_slider_change(lesson, name):
    usual, rescaled = step(lesson, name), f"{RESCALED['everywhere']} {RESCALED.get(name, '')}".split()
    for end in (0, -1):
        ends = {control: words[end] for control, words in usual.page.controls.ends.items() if control not in rescaled}
        assert scales(step(lesson, name, **ends)) == scales(usual)
