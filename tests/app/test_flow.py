"""The picture of a lesson's steps: what it is given, where its wires go, and what a click in it does."""

import json
import re
from importlib import import_module

import pytest

from attention_core.data_files import DataFileError
from pages.look.html import inline
from pages.look.transformer import NARROW, PARTS, WIDE
from pages.page.frame.flow import CHAIN, GHOSTS, Flow
from pages.page.links.course import LESSONS
from tests.app.steps import MODEL_OF, step
from tests.app.visits import (
    ROOT,
    flow,
    nodes,
    page_of,
    report_lesson,
    report_step,
    reveal,
    set_to,
    stages,
    through_menu,
    to_step,
    visit,
)
from tests.lessons import names_of

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
NOWHERE = ["nobody", None, 3, ["mix"], {"mix": "mix"}]


def ghosts(app):
    return [name for name, node in nodes(app).items() if node["ghost"]]


@each_lesson
@pytest.mark.promise("page 4")
def test_it_holds_every_step_with_its_label_and_its_thumbnail(lesson):
    last = names_of(lesson.name)[-1]
    app = visit(lesson.name, step=last, ask="no", **MODEL_OF.get(lesson.name, {}))
    assert stages(app) == names_of(lesson.name)
    for name, node in nodes(app).items():
        assert node["label"] == inline(import_module(f"pages.{lesson.name}.{name}").STEP.label)
        assert node["current"] == (name == last)
        assert 'class="thumb"' in node["picture"]
        assert not node["ghost"]
        assert not node["disabled"]
    assert nodes(app)[last]["picture"] == step(lesson.name, last).thumbnail


@each_lesson
def test_a_question_hides_the_thumbnail_of_its_step_and_of_all_later_ones(lesson):
    names = names_of(lesson.name)
    hiding = next(name for name in names if name in ghosts(visit(lesson.name, step=name)))
    app = visit(lesson.name, step=hiding)
    assert ghosts(app) == names[names.index(hiding) :]
    assert {nodes(app)[name]["picture"] for name in ghosts(app)} <= set(GHOSTS.values())  # which hold no numbers
    assert ghosts(reveal(app)) == []


def test_a_thumbnail_ahead_that_needs_an_unreadable_file_is_a_ghost(monkeypatch):
    def refuse(scene):
        raise DataFileError("a file is missing")

    monkeypatch.setattr("pages.tiny_lm.copy.thumbnail", refuse)
    assert ghosts(visit("tiny_lm", step="draw", ask="no")) == ["copy"]


@each_lesson
def test_a_click_leads_to_any_step_and_the_first_needs_no_word_in_the_link(lesson):
    names = names_of(lesson.name)
    app = to_step(visit(lesson.name, ask="no"), names[-1])
    assert app.query_params[f"{lesson.name}_step"] == names[-1]
    assert app.title[0].value == import_module(f"pages.{lesson.name}.{names[-1]}").STEP.claim
    assert f"{lesson.name}_step" not in to_step(app, names[0]).query_params


@pytest.mark.parametrize("fixed", [{"lock": "step"}, {"hide": "step"}, {"hide": "strip"}])
def test_where_the_step_is_locked_or_hidden_no_step_can_be_clicked(fixed):
    app = visit("qkv", step="softmax", ask="no", **fixed)
    assert all(node["disabled"] for node in nodes(app).values())
    assert nodes(report_step(app, "mix"))["softmax"]["current"]


def test_what_is_no_step_or_no_other_lesson_leads_nowhere():
    app = through_menu("qkv", step="softmax", ask="no")
    for word in NOWHERE:
        assert nodes(report_step(app, word))["softmax"]["current"]
    for word in (*NOWHERE, "home", "qkv"):
        assert page_of(report_lesson(app, word)) == "qkv"


def test_lesson_1_is_wired_as_the_formula_computes():
    data = json.loads(flow(visit("qkv")).json)
    wires = {name: sorted(start for start, end in data["wires"] if end == name) for name in stages(visit("qkv"))}
    parts = [f"projections/{letter}" for letter in "QKV"]
    assert [end for start, end in data["wires"] if start == "x"] == parts
    for name, ghost in (("mix", False), ("dot", True)):
        node = nodes(visit("qkv", step=name))["projections"]
        assert re.findall('data-part="(.)"', node["picture"]) == ["Q", "K", "V"]
        assert node["ghost"] is ghost
    assert wires["scores"] == ["projections/K", "projections/Q"]
    assert (wires["scaled"], wires["softmax"], wires["mix"]) == (["scores"], ["scaled"], ["projections/V", "softmax"])
    assert wires["dot"] == wires["x"] == []
    placed = [name for column in data["columns"] for name in column]
    assert placed == stages(visit("qkv"))  # so that Tab follows the order of the steps


@pytest.mark.parametrize(
    ("plan", "steps", "drawn"),
    [
        (CHAIN, "abc", Flow((("a",), ("b",), ("c",)), (("a", "b"), ("b", "c")))),
        (  # a wire to a part of a step goes where the step does
            Flow((("a",), ("b",)), (("a", "b/Q"), ("c/Q", "b")), parts={"b": ("Q",)}),
            "ab",
            Flow((("a",), ("b",)), (("a", "b/Q"),), parts={"b": ("Q",)}),
        ),
        (  # of steps that are not there nothing is drawn, and those that it does not name follow as a chain
            Flow((("gone",), ("a",), ("b", "missing", "c")), (("gone", "a"), ("a", "b"), ("a", "missing"), ("a", "c"))),
            "abcde",
            Flow((("a",), ("b", "c"), ("d",), ("e",)), (("a", "b"), ("a", "c"), ("c", "d"), ("d", "e"))),
        ),
        (  # a group stands apart, and nothing leads into it
            Flow(groups=(("Go deeper", (("c", "d"), ("missing",))), ("Empty", (("gone",),)))),
            "abcd",
            Flow((("a",), ("b",)), (("a", "b"),), (("Go deeper", (("c", "d"),)),)),
        ),
    ],
)
def test_a_plan_is_drawn_of_the_steps_that_are_there(plan, steps, drawn):
    assert plan.of([*steps]) == drawn


def test_lesson_2_has_a_path_and_steps_that_go_deeper_in_the_order_of_next():
    data = json.loads(flow(visit("scaling")).json)
    ((label, deeper),) = data["groups"]
    assert label == "Go deeper"
    path = [name for (name,) in data["columns"]]
    assert path == ["collapse", "spread", "scores", "largest", "entropy", "gradient", "train"]
    assert [name for column in deeper for name in column] == ["claims", "d_v", "overflow", "constant"]
    assert path + [name for column in deeper for name in column] == stages(visit("scaling"))
    assert {name for wire in data["wires"] for name in wire} == set(path)


@each_lesson
def test_the_kinds_are_those_of_steps(lesson):
    source = (ROOT / lesson.file).read_text(encoding="utf-8")
    named = re.findall(r'"(\w+)"', "".join(re.findall(r"fromkeys\(\((.*?)\)", source)))
    assert set(named) <= set(names_of(lesson.name))


def drawings(app):
    """Return the parts of the transformer in each of its two forms: text, whether lit, and the lesson it leads to."""
    found = []
    for svg in json.loads(flow(app).json)["whole"].split("<svg")[1:]:
        groups = re.findall(r'<g class="part( lit)?"(?:[^>]*data-lesson="(\w+)")?[^>]*>.*?<text[^>]*>(.*?)</text>', svg)
        found.append({re.sub("<[^>]+>", "", text): (bool(lit), lesson) for lit, lesson, text in groups})
    assert len(found) == 2
    return found


@each_lesson
def test_the_parts_of_the_lesson_are_lit_and_the_others_lead_to_theirs(lesson):
    of_lesson = {text.replace("_", ""): whose for text, whose in PARTS.values()}
    for parts in drawings(visit(lesson.name)):
        for text, (lit, leads_to) in parts.items():
            assert lit == (of_lesson[text] == lesson.name)
            assert leads_to == ("" if lit else of_lesson[text])
        assert {of_lesson[text] for text in parts} == {one.name for one in LESSONS}


def test_both_forms_have_every_part_in_the_order_of_the_computation():
    assert WIDE.parts.keys() == NARROW.parts.keys() == PARTS.keys()
    inside = ["projections", "scores", "scale", "mask", "softmax", "values", "heads"]
    for drawing in (WIDE, NARROW):
        places = [drawing.parts[name][1::-1] for name in inside]  # from row to row, and in each from left to right
        assert places == sorted(places)
        assert drawing.parts["heads"][0] < drawing.parts["mlp"][0]
        boxes = [(x - width / 2, x + width / 2, y) for x, y, width in drawing.parts.values()]
        for left, right, y in boxes:
            assert 0 <= left < right <= drawing.size[0]
            assert not any(
                left < other[1] and other[0] < right for other in boxes if other[2] == y and other[0] != left
            )


@pytest.mark.parametrize("fixed", [{"lock": "step"}, {"hide": "strip"}])
def test_where_the_step_is_locked_no_part_leads_away(fixed):
    app = through_menu("qkv", ask="no", **fixed)
    assert not any(leads_to for parts in drawings(app) for _, leads_to in parts.values())
    assert page_of(report_lesson(app, "scaling")) == "qkv"


def test_a_part_leads_to_its_lesson_with_the_sentence_and_the_step_that_was_left_is_kept():
    app = set_to(through_menu("qkv", step="x", ask="no"), qkv_text="the small dog ran")
    app = report_lesson(app, "causal_mask")
    assert page_of(app) == "causal_mask"
    assert app.query_params["causal_mask_text"] == "the small dog ran"
    assert app.session_state["links"]["qkv"]["qkv_step"] == "x"


def test_the_times_of_the_parts_of_the_last_lesson_are_that_of_the_lesson():
    source = (ROOT / LESSONS[-1].file).read_text(encoding="utf-8")
    assert sum(map(int, re.findall(r'\("\w+ · (\d+) min", ', source))) == LESSONS[-1].minutes
