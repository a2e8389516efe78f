"""What every page has: a link that says all, examples, a way back, and an order from claim to exercises."""

import ast
import re

import numpy as np
import pytest
import streamlit as st

from pages.exercises.catalogue import exercises_of
from pages.links.course import LESSONS
from pages.page.steps import NOW
from tests.app.every_page import asked, each_page, same, some_pages, some_value
from tests.app.visits import (
    ENTRY,
    FILES,
    ROOT,
    afresh,
    charts,
    controls,
    examples,
    opened,
    press,
    rerun,
    reveal,
    said,
    set_to,
    shared,
    stages,
    to_step,
    visit,
)
from tests.lessons import controls_of, steps_of
from tests.tiers import first


def test_only_what_was_changed_is_in_the_link():
    app = set_to(visit("qkv", step="x"), qkv_weights="random", qkv_seed=5.0)
    set_to(app, qkv_d_k=7, qkv_text="tea & milk")
    changed = {"qkv_weights": "random", "qkv_seed": "5", "qkv_d_k": "7", "qkv_text": "tea & milk"}
    assert shared(app) == {"qkv_step": "x"} | changed
    assert shared(press(app, "Back")) == changed
    press(app, "Next")
    set_to(app, qkv_seed=20.0, qkv_d_k=4)
    assert shared(app) == {"qkv_step": "x", "qkv_weights": "random", "qkv_text": "tea & milk"}


def test_a_link_keeps_what_a_question_or_another_step_still_hides():
    link = {"qkv_step": "softmax", "qkv_weights": "random", "qkv_q": "cat", "qkv_cat": "1 2 3"}
    app = opened("qkv", link)
    assert len(charts(app)) == 1
    assert shared(app) == link
    app = rerun(to_step(set_to(visit("qkv", step="dot"), qkv_cat="1 2 3"), "softmax"))
    assert app.query_params["qkv_cat"] == "1 2 3"  # and so does the address


def test_a_number_between_two_whole_ones_is_the_one_that_the_field_shows():
    app = set_to(visit("qkv", step="x"), qkv_seed=4.7)
    assert shared(app) == {"qkv_step": "x", "qkv_seed": "5"}
    assert "random (seed 5)" in said(set_to(visit("home", weights="random"), home_seed=4.7))


@each_page
def test_every_word_of_a_page_stands_in_its_code(page):
    folders = [ROOT / "pages" / folder for folder in (page, "page", "heads", "memory", "practice")]
    code = [ROOT / FILES[page], *(path for folder in folders for path in folder.rglob("*.py"))]
    text = "".join(path.read_text(encoding="utf-8") for path in code if path.name != "course.py")
    of_step = {f"{step}_" for step in steps_of(page)} if page != "home" else set()

    def stands(name):  # a control that several steps have, each for itself, may be named by what follows its step
        names = [name, *(name.removeprefix(start) for start in of_step)]
        return any(f'"{word}"' in text or f"{word}=" in text for word in names)

    assert not {name for name in controls_of(page) if not stands(name)}


def test_a_word_that_no_control_has_is_not_carried_on():
    link = {"qkv_d_k": "7", "qkv_<img src=x onerror=zq>": "1", "qkv_nobody": "1", "qkv_": "1", "scaling_seed": "3"}
    assert shared(opened("qkv", link)) == {"qkv_d_k": "7"}


@pytest.mark.parametrize("asks", [{}, {"ask": "shape"}], ids=["all", "one"])
def test_after_an_example_the_questions_of_the_other_steps_still_come(asks):
    for preset in examples(visit("qkv")):
        app = to_step(press(visit("qkv", **asks), preset), "projections")
        assert asked(app), preset
        assert asked(to_step(app, "softmax")) == (not asks), preset


def test_start_afresh_sets_what_the_link_said_and_then_the_defaults_and_stays_on_the_step():
    link = {"qkv_step": "match", "qkv_weights": "random", "qkv_seed": "5", "qkv_q": "cat", "qkv_ask": "no"}
    app = opened("qkv", link)
    set_to(app, qkv_seed=6.0, qkv_text="tea is hot")
    to_step(app, "mix")
    press(app, "Reset")
    assert shared(app) == link | {"qkv_step": "mix"}
    press(app, "Reset")
    assert shared(app) == {"qkv_ask": "no", "qkv_step": "mix"}


@some_pages
def test_presets_are_in_the_address_and_may_follow_one_another(page):
    for preset in examples(visit(page)):
        app = press(visit(page), preset)
        words = {key: value if isinstance(value, str) else value[-1] for key, value in app.query_params.items()}
        assert f"{page}_ask" not in words, preset
        assert shared(opened(page, words)) == shared(app), preset  # the address says what was set, drawn before or not
        press(app, preset)
        if stages(app):
            to_step(app, stages(app)[0])
        afresh(app)
        assert shared(app) == {}


def undrawn(app, page):
    """Return the controls that were put and never drawn."""
    return {name for name, control in app.session_state[f"_{page}_known"].items() if control.default is None}


@each_page
def test_an_example_leads_to_a_step_that_shows_all_that_it_sets(page):
    for preset in examples(visit(page)):
        app = press(visit(page), preset)
        put = undrawn(app, page)  # as a question hides them still
        assert put & undrawn(reveal(app), page) == set(), preset


def test_start_afresh_sets_what_is_hidden_too():
    app = press(set_to(visit("qkv", step="dot", weights="hand-made", job="first word"), qkv_cat="1 2"), "Next")
    set_to(app, qkv_weights="random")
    press(app, "Reset")
    assert controls(app)["qkv_job"].value == "first word"
    press(app, "Reset")
    assert shared(app) == {"qkv_step": "softmax"}
    assert controls(set_to(app, qkv_weights="hand-made"))["qkv_job"].value == "pronoun to noun"


@some_pages
@pytest.mark.parametrize("seed", first(1, [1, 2, 3]))
def test_start_afresh_shows_the_page_as_it_began(page, seed):
    rng = np.random.default_rng(seed)
    app = visit(page)
    if stages(app):
        names = [name for name in stages(app)[1:] if not name.startswith(NOW)]
        reveal(to_step(app, names[rng.integers(len(names))]))
    for widget in controls(app).values():
        if widget.type in ("number_input", "slider", "text_input", "toggle") and not widget.disabled:
            widget.set_value(some_value(widget, rng))
    assert shared(reveal(rerun(app)))
    press(app, "Reset")
    assert shared(app).keys() <= {f"{page}_step"}
    there = {key.removeprefix(f"{page}_"): word for key, word in shared(app).items()}
    other = press(reveal(visit(page, **there)), "Reset")  # an answer that was given stays given
    assert same(reveal(rerun(app)), reveal(rerun(other)))


def test_every_page_has_a_title_of_its_own(monkeypatch):
    titles = []
    monkeypatch.setattr(st, "set_page_config", lambda page_title, **_: titles.append(page_title))
    for page in FILES:
        visit(page)
    assert len(titles) == len(set(titles)) == len(FILES)
    assert all("Attention, from scratch" in title for title in titles)


def part(node):
    if node.type == "html":
        return "words" if node.proto.body.startswith('<div class="course lead">') else ""
    if node.type == "expander":
        return node.label if node.label in ("Code behind this view", "Download") else ""
    if node.type == "header":
        return "exercises" if node.value == "Practise" else ""
    return {"title": "claim", "vega_lite_chart": "picture", "bidi_component": "picture"}.get(node.type, "")


@pytest.mark.parametrize("lesson", [lesson.name for lesson in LESSONS])
def test_every_lesson_goes_from_claim_to_picture_to_code_to_exercises(lesson):
    order = list(dict.fromkeys(filter(None, map(part, reveal(visit(lesson, step=exercises_of(lesson)[-1].step)).main))))
    assert order == ["claim", "words", "picture", "Code behind this view", "Download", "exercises"]


@each_page
def test_the_code_on_the_page_is_a_program_and_the_source_that_ran(page):
    app = reveal(visit(page))
    app.session_state[f"{page}_code"] = True
    (text,) = [block.value for block in rerun(app).code]
    last = ast.unparse(ast.parse(text).body[-1])
    assert last.startswith("print(")
    (offered,) = [box for box in app.selectbox if box.key == f"{page}_source"]
    assert offered.value is None
    assert offered.options
    for name in (offered.options[0], offered.options[-1]):
        offered.select(name)
        again, source = [block.value for block in rerun(app).code]
        path, _, found = source.removeprefix("# ").partition("\n")
        assert again == text
        assert found in (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^(?:def|class) {name}\b", found, re.MULTILINE)
        (offered,) = [box for box in app.selectbox if box.key == f"{page}_source"]


def test_nothing_moves_by_itself():
    """Except a run of training, which a student has started and can pause, and what a class says."""
    moves = r"run_every|st\.rerun|write_stream|setInterval|@keyframes|animation|transition:|<animate|balloons"
    code = [ROOT / ENTRY, *(ROOT / "pages").rglob("*.py")]
    found = {(path.parent.name, word) for path in code for word in re.findall(moves, path.read_text(encoding="utf-8"))}
    on_purpose = {(room, "st.rerun") for room in ("page", "links", "practice", "home")}
    assert {name for name, _ in found - on_purpose} == {"train", "class_room"}


def test_what_was_never_chosen_is_what_a_new_visit_would_choose_whatever_else_was_changed():
    before = controls(app := visit("qkv", step="match"))["qkv_k"].value
    now = controls(set_to(app, qkv_weights="random", qkv_seed=7.0))["qkv_k"].value
    assert before != now == controls(visit("qkv", step="match", weights="random", seed="7"))["qkv_k"].value
