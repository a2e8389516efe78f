"""The picture of a lesson's steps: what it is given, where its wires go, and what a click in it does."""

import json
import re
from importlib import import_module

import pytest

from attention_core.model.npz import DataFileError
from pages.look.html import inline
from pages.page.course import LESSONS
from pages.page.flow import CHAIN, Flow
from tests.app.steps import step
from tests.app.visits import ROOT, flow, nodes, press, report_step, reveal, stages, to_step, visit

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)


def names_of(lesson):
    """Return the names of the steps as the page lists them."""
    source = (ROOT / lesson.file).read_text(encoding="utf-8")
    return re.findall(r"\w+", re.search(r"^STEPS = \((.*?)\)$", source, flags=re.MULTILINE | re.DOTALL)[1])


def ghosts(app):
    return [name for name, node in nodes(app).items() if node["ghost"]]


@each_lesson
def test_it_holds_every_step_with_its_label_and_its_thumbnail(lesson):
    last = names_of(lesson)[-1]
    app = visit(lesson.name, step=last, ask="no")
    assert stages(app) == names_of(lesson)
    for name, node in nodes(app).items():
        assert node["label"] == inline(import_module(f"pages.{lesson.name}.{name}").STEP.label)
        assert node["current"] == (name == last)
        assert 'class="thumb"' in node["picture"]
        assert not node["ghost"]
        assert not node["disabled"]
    assert nodes(app)[last]["picture"] == step(lesson.name, last).thumbnail


def test_steps_ahead_show_the_numbers_of_the_scene_in_view():
    app = visit("qkv", step="x", seed="3", ask="no")
    for name in ("x", "projections", "scores", "scaled", "softmax", "mix"):
        assert nodes(app)[name]["picture"] == step("qkv", name, seed=3).thumbnail
    assert nodes(app)["mix"]["picture"] != nodes(visit("qkv", step="x", seed="4", ask="no"))["mix"]["picture"]


@each_lesson
def test_a_question_hides_the_thumbnail_of_its_step_and_of_all_later_ones(lesson):
    names = names_of(lesson)
    hiding = next(name for name in names if name in ghosts(visit(lesson.name, step=name)))
    app = visit(lesson.name, step=hiding)
    assert ghosts(app) == names[names.index(hiding) :]
    assert not any(nodes(app)[name]["picture"] for name in ghosts(app))
    assert ghosts(reveal(app)) == []


def test_a_scene_without_the_numbers_of_later_steps_shows_none_of_their_thumbnails():
    names = stages(app := visit("qkv", step="dot", ask="no"))
    assert ghosts(app) == names[names.index("dot") + 1 :]


def test_a_thumbnail_ahead_that_needs_an_unreadable_file_is_a_ghost(monkeypatch):
    def refuse(scene):
        raise DataFileError("a file is missing")

    monkeypatch.setattr("pages.tiny_lm.copy.thumbnail", refuse)
    assert ghosts(visit("tiny_lm", step="draw", ask="no")) == ["copy"]


@each_lesson
def test_a_click_leads_to_any_step_and_the_first_needs_no_word_in_the_link(lesson):
    names = names_of(lesson)
    app = to_step(visit(lesson.name), names[-1])
    assert app.query_params[f"{lesson.name}_step"] == names[-1]
    assert app.title[0].value == import_module(f"pages.{lesson.name}.{names[-1]}").STEP.claim
    assert f"{lesson.name}_step" not in to_step(app, names[0]).query_params


@pytest.mark.parametrize("fixed", [{"lock": "step"}, {"hide": "step"}, {"hide": "strip"}])
def test_where_the_step_is_locked_or_hidden_no_step_can_be_clicked(fixed):
    app = visit("qkv", step="softmax", ask="no", **fixed)
    assert all(node["disabled"] for node in nodes(app).values())
    assert nodes(report_step(app, "mix"))["softmax"]["current"]


@pytest.mark.parametrize("word", ["nobody", None, 3, ["mix"], {"mix": "mix"}])
def test_what_is_no_step_leads_nowhere(word):
    assert nodes(report_step(visit("qkv", step="softmax", ask="no"), word))["softmax"]["current"]


def test_the_picture_stays_the_same_element_while_the_student_walks():
    app = visit("qkv", ask="no")
    first = flow(app).id
    assert flow(press(app, "Next")).id == flow(to_step(app, "mix")).id == first


# Where the steps stand


def test_lesson_1_is_wired_as_the_formula_computes():
    data = json.loads(flow(visit("qkv")).json)
    wires = {name: sorted(start for start, end in data["wires"] if end == name) for name in stages(visit("qkv"))}
    parts = [f"projections/{letter}" for letter in "QKV"]
    assert [end for start, end in data["wires"] if start == "x"] == parts
    for drawn in ("picture", "empty"):
        assert re.findall('data-part="(.)"', nodes(visit("qkv", step="mix"))["projections"][drawn]) == ["Q", "K", "V"]
    assert wires["scores"] == ["projections/K", "projections/Q"]
    assert (wires["scaled"], wires["softmax"], wires["mix"]) == (["scores"], ["scaled"], ["projections/V", "softmax"])
    assert wires["dot"] == wires["x"] == []
    placed = [name for column in data["columns"] for name in column]
    assert placed == stages(visit("qkv"))  # so that Tab follows the order of the steps


def test_a_wire_to_a_part_of_a_step_goes_where_the_step_does():
    plan = Flow((("a",), ("b",)), (("a", "b/Q"), ("c/Q", "b")), {"b": ("Q",)})
    assert plan.of(["a", "b"]) == Flow((("a",), ("b",)), (("a", "b/Q"),), {"b": ("Q",)})


def test_without_a_plan_each_step_is_wired_to_the_next():
    assert CHAIN.of(["a", "b", "c"]) == Flow((("a",), ("b",), ("c",)), (("a", "b"), ("b", "c")))


def test_a_plan_may_name_steps_that_are_not_there_and_steps_it_does_not_name_follow_as_a_chain():
    plan = Flow((("gone",), ("a",), ("b", "missing", "c")), (("gone", "a"), ("a", "b"), ("a", "missing"), ("a", "c")))
    columns, wires, _ = plan.of(["a", "b", "c", "d", "e"])
    assert columns == (("a",), ("b", "c"), ("d",), ("e",))
    assert wires == (("a", "b"), ("a", "c"), ("c", "d"), ("d", "e"))
