"""Lesson 5 as a whole: its links, its controls, its script and its questions."""

import re
from collections import defaultdict
from importlib import import_module

import numpy as np
import pytest

from attention_core.experiments.positions.position_kinds import KINDS
from pages.page.links.course import LESSONS
from pages.reproduce.script import script
from tests.app.bare import printed, run_bare
from tests.app.positional_encoding.scene import STEPS
from tests.app.steps import step
from tests.app.visits import charts, examples, heatmap, nodes, press, rerun, reveal, said, visit

NAME = "positional_encoding"
ASKING = {
    "order": "order",
    "simple": "drown",
    "waves": "wavelength",
    "alike": "own_product",
    "look_back": "back",
    "rope": "same_score",
    "five": "stay",
    "clinic": "meter",
}
KIND_IN = {"order": "order_kind", "table": "table_kind", "alike": "alike_kind"}
CHOOSING = ("order", "table", "alike", "add", "terms")  # steps in which a kind can be chosen
EXTREMES = (
    {"length": 4, "d_model": 8, "base": 10, "strength": 0, "add_strength": 0, "seed": 0, "offset": 0},
    {"length": 256, "d_model": 128, "base": 1000000, "strength": 8, "add_strength": 8, "seed": 9999, "offset": 100},
    {"text": "a", "position": 255, "dimension": 256, "first": 255, "second": 255, "q": 24, "k": 24},
    {"text": " ".join("abcdefghijklmnopqrstuvwxyz"), "q": 24, "asks": 24, "answers": 1, "q_at": 30},
    {"text": "cat cat cat cat", "here": 0, "steps": -12, "slide": 100},
    {"table_whose": "trained", "alike_whose": "trained", "told": "true"},
)


def test_the_lesson_is_announced_with_its_questions():
    (lesson,) = [lesson for lesson in LESSONS if lesson.name == NAME]
    asked = [question.name for name in STEPS for question in step(NAME, name).page.asked]
    assert sorted(lesson.questions) == sorted(asked) == sorted(ASKING.values())


@pytest.mark.parametrize("name", STEPS)
def test_a_question_comes_before_its_picture_and_an_answer_opens_it(name):
    before, after = step(NAME, name, unanswered="all"), step(NAME, name)
    assert [question.name for question in before.page.asked] == ([ASKING[name]] if name in ASKING else [])
    assert before.ready == (name not in ASKING)
    assert after.ready
    if name in ASKING:
        assert not before.charts
    assert after.charts


@pytest.mark.parametrize("name", STEPS)
def test_every_chart_has_a_sentence_and_numbers(name):
    for chart in step(NAME, name).charts:
        assert len(chart.alt) > 10
        assert "nan" not in chart.alt.lower()
        assert np.isfinite(chart.data.select_dtypes("number").to_numpy().astype(float)).all()


@pytest.mark.parametrize("name", STEPS)
def test_a_claim_fits_on_a_line_and_a_text_is_short(name):
    said = import_module(f"pages.{NAME}.{name}").STEP
    assert len(said.claim) <= 50
    assert len(said.claim.split()) <= 9
    assert len(re.findall(r"\w[\w’'.,]*", said.text)) <= 50


@pytest.mark.parametrize("i", range(len(EXTREMES)))
@pytest.mark.parametrize("name", STEPS)
def test_both_ends_of_every_control_work(name, i):
    for kind in KINDS if name in CHOOSING and i < 2 else [KINDS[i % len(KINDS)]]:
        seen = step(NAME, name, **{KIND_IN.get(name, "kind"): kind}, **EXTREMES[i])
        assert all(len(chart.data) for chart in seen.charts)


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("variant", range(2))
def test_every_question_can_be_asked_of_any_sentence(name, variant):
    for text in ("a", " ".join(f"word{i}" for i in range(24)), "<b>x</b> {y} *z* $q$ `c`"):
        seen = step(NAME, name, variants=defaultdict(lambda: variant), text=text)
        told = [question.text + question.why for question in seen.page.asked]
        assert "<b>x</b>" not in " ".join([*seen.html, *told, seen.thumbnail])


@pytest.mark.parametrize(
    ("name", "kind", "there", "missing"),
    [
        ("table", "RoPE", {"base"}, {"strength", "seed"}),
        ("table", "learned", {"table_kind", "seed"}, {"base"}),
        ("table", "ALiBi", {"length"}, {"d_model", "base", "seed"}),
        ("add", "ALiBi", {"d_model"}, {"base", "add_strength"}),
        ("terms", "RoPE", {"d_model"}, {"base", "terms_strength"}),
        ("five", "ALiBi", {"strength", "base"}, set()),
        ("order", "sinusoidal", {"d_model"}, {"base", "strength"}),
        ("rope", "none", {"base"}, {"d_model", "strength"}),
    ],
)
def test_a_control_that_would_move_nothing_is_not_drawn(name, kind, there, missing):
    drawn = step(NAME, name, **{KIND_IN.get(name, "kind"): kind}).page.controls.made.keys()
    assert there <= drawn
    assert not missing & drawn


@pytest.mark.parametrize(
    ("name", "kind", "control"), [("waves", "select_slider", "waves_base"), ("add", "slider", "add_strength")]
)
def test_what_a_step_asks_to_move_stands_beside_its_picture_and_not_in_the_menu(name, kind, control):
    app = visit(NAME, step=name)
    key = f"{NAME}_{control}"
    assert key in [widget.key for widget in app.main.get(kind)]
    assert key not in [widget.key for widget in app.sidebar.get(kind)]


@pytest.mark.promise("page 4")
def test_back_and_next_walk_through_all_steps():
    app = visit(NAME)
    titles = [app.title[0].value]
    for _ in STEPS[1:]:
        press(app, "Next")
        titles.append(app.title[0].value)
    texts = [import_module(f"pages.{NAME}.{name}").STEP for name in STEPS]
    assert titles == [text.asks or text.claim for text in texts]


def test_the_link_says_what_the_controls_say_and_brings_it_back():
    app = reveal(visit(NAME, step="five", offset="7", d_model="32", strength="2", seed="5"))
    assert app.query_params[f"{NAME}_offset"] == "7"
    assert app.slider(key=f"{NAME}_offset").value == 7
    app.slider(key=f"{NAME}_offset").set_value(0)
    press(rerun(app), f"{NAME}_reset")
    assert app.slider(key=f"{NAME}_offset").value == 7
    press(app, f"{NAME}_reset")
    assert app.title[0].value == import_module(f"pages.{NAME}.order").STEP.asks


def test_a_locked_control_is_disabled():
    app = visit(NAME, step="table", table_kind="RoPE", lock="table_kind.step")
    assert app.selectbox(key=f"{NAME}_table_kind").disabled
    assert nodes(app)["order"]["disabled"]


def test_a_scene_worth_a_look_sets_what_another_step_draws():
    app = reveal(press(visit(NAME), "The raw-index bug"))
    assert app.title[0].value == import_module(f"pages.{NAME}.clinic").STEP.claim
    assert "4.27372" in said(app)
    assert app.slider(key=f"{NAME}_length").value == 64
    assert "19.974" in said(reveal(press(visit(NAME), "20 positions × 64 columns")))
    app = press(visit(NAME, step="table"), "A learned position table")
    assert heatmap(charts(app)[0]).values.shape == (32, 32)
    locked = visit(NAME, lock="alike_kind")
    assert "A learned position table" in examples(app)
    assert "A learned position table" not in examples(locked)


@pytest.mark.parametrize("name", STEPS)
def test_the_script_of_a_view_prints_its_numbers(name):
    recipe = step(NAME, name, length=9, d_model=16).page.recipe
    found = printed(run_bare(script(recipe, "title", "link")))
    arrays = recipe.arrays()
    assert arrays
    for key, array in arrays.items():
        np.testing.assert_allclose(found[key], array.astype(float), rtol=1e-6, atol=1e-6, err_msg=key)
