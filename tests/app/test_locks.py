"""Locks that hold: in a link, on every control, against clicks, examples and the way back."""

import html

import pytest

from tests.app.every_page import each_page, last_place, same, some_pages
from tests.app.visits import (
    click,
    controls,
    examples,
    html_of,
    opened,
    page_of,
    press,
    reveal,
    said,
    set_to,
    shared,
    to_step,
    visit,
)
from tests.lessons import controls_of
from tests.tiers import first


@some_pages
def test_a_tick_puts_a_lock_into_the_link_and_the_link_locks_that_control_alone(page):
    app = reveal(opened(page, last_place(page)))
    usual = {key for key, widget in controls(app).items() if widget.disabled}
    for key in controls(app):
        name = key.removeprefix(page + "_")
        link = shared(app, name)
        link.pop("home_head", None)  # which an answer there sets
        assert link == last_place(page) | {f"{page}_lock": name}
        found = controls(reveal(opened(page, link)))
        assert {other for other, widget in found.items() if widget.disabled} == usual | {key}


@each_page
def test_several_locks_are_named_as_set_by_the_teacher(page):
    app = reveal(opened(page, last_place(page)))
    keys = list(controls(app))[:3]
    link = shared(app, *(key.removeprefix(page + "_") for key in keys))
    (note,) = [html.unescape(block) for block in html_of(reveal(opened(page, link))) if "Set by your teacher" in block]
    for key in keys:
        assert controls(app)[key].label in note
    assert "Set by your teacher" not in said(app)


def locked_values(app, names):
    return {name: controls(app)[f"qkv_{name}"].value for name in names if f"qkv_{name}" in controls(app)}


def test_neither_clicks_nor_presets_nor_start_afresh_move_what_is_locked():
    names = ("q", "seed", "d_k")
    link = {"lock": ".".join(names), "q": "on", "seed": "3", "d_k": "6", "d_v": "9", "step": "match", "ask": "no"}
    link["weights"] = "random"
    app = visit("qkv", **link)
    before = locked_values(app, names)
    assert before == {"q": "on", "seed": 3, "d_k": 6}
    click(app, 1, 0)
    assert locked_values(app, names) == before
    assert controls(app)["qkv_k"].value == "the₁"
    set_to(app, qkv_d_model=16)
    assert locked_values(app, names) == before
    for label in ("Before training", "A trained head"):
        press(app, label)
        assert locked_values(app, ("q",)) == {"q": "on"}
        assert shared(app)["qkv_seed"] == "3"
    press(app, "Reset")
    to_step(app, "mix")
    assert locked_values(app, names) == before
    assert controls(app)["qkv_d_model"].value == 8
    assert controls(app)["qkv_d_v"].value == 9


def test_a_preset_that_would_change_what_is_locked_is_not_offered():
    of_a_job = {"An adjective finds its noun"}
    assert of_a_job < {*examples(visit("qkv", step="x"))}
    assert {*examples(visit("qkv", lock="job", step="x"))} == {*examples(visit("qkv", step="x"))} - of_a_job


def test_a_locked_step_cannot_be_left():
    app = visit("qkv", lock="step", step="x")
    assert app.segmented_control(key=f"{page_of(app)}_path").disabled
    assert not examples(app)
    assert all(app.button(key=key).disabled for key in ("qkv_next", "qkv_back"))
    set_to(app, qkv_seed=4.0)
    press(app, "Reset")
    assert app.session_state["_qkv_step"] == "x"
    assert shared(app) == {"qkv_step": "x", "qkv_lock": "step"}


@each_page
def test_everything_can_be_locked(page):
    app = reveal(opened(page, last_place(page)))
    names = [key.removeprefix(page + "_") for key in controls(app)]
    locked = reveal(opened(page, last_place(page) | {f"{page}_lock": ".".join(names)}))
    assert all(widget.disabled for widget in controls(locked).values())
    assert same(app, locked)


NOTHING = ["nonsense", "sed", "<b>", "seed,step", "__init__", "lock.lock", "qkv_seed", "x" * 2000]


@pytest.mark.parametrize("word", ["lock", "hide"])
@pytest.mark.parametrize("nothing", first(4, NOTHING))
def test_a_lock_on_nothing_that_exists_locks_nothing_and_is_noted(word, nothing):
    for listed in (nothing, f"text..{nothing}."):
        app = visit("qkv", step="x", **{word: listed})
        disabled = [key for key, widget in controls(app).items() if widget.disabled]
        assert disabled == (["qkv_text"] if "text" in listed else [])
        assert f"qkv_{word}={nothing[:40]}" in said(app)
        assert not any("<b>" in block for block in html_of(app) if "could not be used" in block)
        assert shared(app) == {"qkv_step": "x"} | ({f"qkv_{word}": "text"} if "text" in listed else {})


@each_page
def test_a_lock_on_what_another_step_draws_is_not_complained_of(page):
    names = ".".join(sorted(controls_of(page)))
    for word in ("lock", "hide"):
        app = visit(page, **{word: names})
        assert "could not be used" not in said(app)
        assert set(shared(app)[f"{page}_{word}"].split(".")) == controls_of(page)
