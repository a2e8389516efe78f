"""Lesson 3 as a whole: its links, its scripts, its presets and its questions."""

import re
from collections import defaultdict
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.multi_head.english_heads import TEXT
from attention_core.experiments.qkv.one_head import JOBS
from pages.page.links.course import LESSONS
from pages.reproduce.script import script
from tests.app import steps
from tests.app.bare import printed, run_bare
from tests.app.multi_head.scene import KINDS, RANDOM, STEPS, close, expected, page, step
from tests.app.visits import charts, heatmap, html_of, opened, press, reveal, said, set_to, shared, visit

ROOT = Path(__file__).parents[3]
PRESETS = {
    "2 heads, d_model 6": (4, 6, 2),
    "3 causal heads": (7, 12, 3),
    "8 heads, d_model 64": (6, 64, 8),
    "One job per head": (10, 32, 4),
    "Trained heads": (11, 32, 4),
}
STARTS = [{}, {"weights": "trained", "step": "free"}, {"step": "split", "d_model": "48", "heads": "12"}]
HOSTILE = "<b>&amp; “quoted”</b> $x$ {y} <script>alert(1)</script>"
ENDS = [
    {"d_model": "6", "heads": "1", "text": "a"},
    {"d_model": "6", "heads": "6", "text": "same same", "causal": "true"},
    {"d_model": "24", "heads": "12", "text": " ".join(["word", "is"] * 12), "seed": "9999", "q": "24"},
    {"d_model": "64", "heads": "8", "q": "mat", "k": "mat", "d": "64", "change_row": "mat", "change_column": "64"},
    {"weights": "trained", "text": "nothing qqq zzz", "second": "qqq"},
    {"weights": "hand-made", "causal": "true", "text": HOSTILE, "second": "<i>", "show": "one query"},
]
every_step = pytest.mark.parametrize("name", STEPS)


def representatives(first, second):
    """Return all pairs; of them those are for every run in which each value of the first has one of the second."""
    usual = list(zip(first, cycle(second), strict=False))
    pairs = [(one, other) for one in first for other in second]
    return [pair if pair in usual else pytest.param(*pair, marks=pytest.mark.nightly) for pair in pairs]


@every_step
@pytest.mark.parametrize("link", ENDS)
def test_both_ends_of_every_control_give_a_page(name, link):
    for head in ("all", "1", "12"):
        seen = step(name, **link, head=head)
        assert "NaN" not in said(seen)
        for chart in charts(seen):
            assert not chart.data.drop(columns="moved", errors="ignore").isna().any().any()


@every_step
def test_words_of_the_student_stay_text(name):
    for link in ({}, {"head": "2"}):
        seen = step(name, text=HOSTILE, second=HOSTILE, show="one query", q="<₁", **link)
        asked = [text for question in seen.page.asked for text in (question.text, question.told)]
        blocks = " ".join([*html_of(seen), *asked])
        assert "<script>" not in blocks
        assert "<b>&" not in blocks
        assert name in ("split", "free") or "&lt;" in blocks


@pytest.mark.parametrize("width", ["6", "12", "64"])
def test_heads_are_the_divisors_of_the_width(width):
    app = set_to(page(), multi_head_d_model=width)
    (found,) = [control for control in app.segmented_control if control.key == "multi_head_heads"]
    assert found.options == [str(n) for n in range(1, 13) if int(width) % n == 0]
    assert int(width) % int(found.value) == 0


def test_a_number_of_heads_that_no_longer_divides_falls_back():
    app = page(d_model="12", heads="3")
    assert len(charts(app)) == 4
    set_to(app, multi_head_d_model="16")
    assert len(charts(reveal(app))) == 5


def test_a_reset_leads_to_the_usual_heads_of_the_usual_width():
    app = press(set_to(visit("multi_head", weights="random"), multi_head_d_model="6"), "multi_head_reset")
    assert shared(app) == {"multi_head_weights": "random"}
    assert len(charts(reveal(app))) == 5


@pytest.mark.parametrize(
    "link",
    [
        {"head": "3", "q": "cat", "k": "the₅", "seed": "7"},
        {
            "step": "writes",
            "off": "1.3",
            "w_o": "identity (only concatenate)",
            "d_model": "32",
            "heads": "8",
            "first": "9",
            "ask": "no",
        },
        {"step": "matters", "weights": "trained", "gone": "true", "q": "warm", "ask": "no"},
        {"step": "across", "second": "a red ball", "text": "the dog saw it", "causal": "true"},
        {"step": "reads", "reads": "only its slice", "change_row": "on", "change_column": "3", "change_by": "-1.5"},
    ],
)
def test_a_link_restores_the_view(link):
    app = page(**link)
    again = shared(app)
    moved = {name for name, word in (RANDOM | link).items() if word != "trained"}
    assert {name.removeprefix("multi_head_") for name in again} == moved
    second = reveal(opened("multi_head", again))
    for one, other in zip(charts(app), charts(second), strict=True):
        assert one.spec == other.spec
        assert one.data.equals(other.data)


def test_what_a_teacher_locks_cannot_be_changed():
    app = page(step="heads", lock="step.head.seed")
    assert "Set by your teacher: Step, Seed, Head." in said(app)
    disabled = {button.label for button in app.button if button.disabled}
    assert {"Head 1", "Head 2", "Back", "Next"} <= disabled


@pytest.mark.parametrize(("preset", "start"), representatives(list(PRESETS), STARTS))
@pytest.mark.promise("tutorial 16")
def test_a_preset_leads_to_its_scene_from_anywhere(preset, start):
    words, width, heads = PRESETS[preset]
    link = shared(press(page(**start), preset))
    scene = {key.removeprefix("multi_head_"): word for key, word in link.items() if key != "multi_head_step"}
    text = said(steps.step("multi_head", "split", **scene))
    assert f"({words}, {width}) → ({heads}, {words}, {width // heads})" in text


@pytest.mark.promise("tutorial 16")
def test_the_three_heads_of_the_preset_look_back_only():
    app = press(page(), "3 causal heads")
    for chart in charts(app)[:3]:
        weights = heatmap(chart).values
        assert not np.triu(weights, 1).any()
        close(weights.sum(axis=1), np.ones(7))


@pytest.mark.promise("page 9")
def test_hand_set_heads_say_what_they_were_set_for_and_random_ones_that_they_mean_nothing():
    assert ", ".join(JOBS) in said(step("heads", weights="hand-made"))
    assert "are random (seed 18)" in said(step("heads"))
    assert f"trained on {TEXT}" in said(step("heads", weights="trained"))


@pytest.mark.parametrize(
    ("name", "weights", "idle"),
    [
        ("free", "trained", {"d_model", "heads", "causal", "seed"}),
        ("free", "hand-made", {"d_model", "heads"}),
        ("free", "random", set()),
    ],
)
def test_settings_that_would_change_nothing_are_not_there(name, weights, idle):
    app = visit("multi_head", step=name, weights=weights)
    styles = [element.proto.body for element in app.get("html") if "display:none!important" in element.proto.body]
    hidden = {found for style in styles for found in re.findall(r"\.st-key-multi_head_(\w+)", style)}
    assert hidden & {"text", "weights", "d_model", "heads", "causal", "seed"} == idle


@pytest.mark.parametrize(("name", "kind"), representatives(STEPS, list(KINDS)[1:]))
def test_the_script_of_every_step_prints_the_same_numbers(name, kind):
    recipe = step(name, **KINDS[kind]).page.recipe
    seen = printed(run_bare(script(recipe, "title", "link", "attention.weights[0]")))
    _, x, matrices, n_heads, mask, attention = expected(**KINDS[kind])
    output, _ = core.multi_head_attention(x, *matrices, n_heads, mask)
    np.testing.assert_allclose(seen["attention.weights"], attention.weights, atol=1e-6)
    np.testing.assert_allclose(seen["output"], output, atol=1e-6)


@every_step
def test_another_question_is_another_one(name):
    asked = set()
    for variant in range(4):
        seen = step(name, variants=defaultdict(lambda variant=variant: variant))
        (question,) = seen.page.asked
        asked.add((question.text, getattr(question, "options", ())))
        given = question.right[0] if isinstance(question.right, tuple) else question.right
        assert question.judge(given).right
    assert len(asked) >= 2


@every_step
@pytest.mark.parametrize("link", KINDS.values(), ids=KINDS)
def test_no_mistake_is_right_and_each_is_explained(name, link):
    (question,) = step(name, **link).page.asked
    if isinstance(question.right, tuple):
        wrong = [(i, reason) for i, reason in enumerate(question.mistakes) if i not in question.right]
    else:
        wrong = [mistake for mistake in question.mistakes if abs(mistake.value - question.right) > question.tolerance]
    assert wrong
    for given, reason in wrong:
        assert reason
        assert not question.judge(given).right


@pytest.mark.promise("page 2")
def test_the_course_counts_all_questions_of_the_lesson():
    (lesson,) = [lesson for lesson in LESSONS if lesson.name == "multi_head"]
    asked = {question.name for name in STEPS for question in step(name).page.asked}
    assert asked == set(lesson.questions)
    assert (ROOT / lesson.file).is_file()


def test_after_an_example_and_a_reset_the_arcs_are_again_those_of_the_head_that_the_page_opens_with():
    app = visit("multi_head")
    opened_with = app.button_group(key="multi_head_arcs").value
    press(app, "3 causal heads")
    assert app.button_group(key="multi_head_arcs").value != opened_with
    press(app, "Reset")
    assert app.button_group(key="multi_head_arcs").value == opened_with
    assert shared(app) == {}
