"""What a step lets one change is that step’s experiment: it changes no other step, but for the scene that all share."""

import json
from functools import cache
from importlib import import_module

import numpy as np
import pytest

from pages.links.course import LESSONS
from tests.app.every_page import some_value
from tests.app.steps import step
from tests.app.visits import controls, press, report, rerun, sent, shared, to_step, visit
from tests.lessons import path_of, steps_of
from tests.tiers import first

NAMES = first(1, [lesson.name for lesson in LESSONS])
SCENE = {  # what follows a student from step to step: the words, the matrices, the sizes, the cell in view
    "qkv": "text weights job head seed d_model d_k d_v q k d",
    "scaling": "seed length draws",
    "multi_head": "text weights seed d_model heads causal head q k",
    "causal_mask": "text weights job head seed q k",
    "positional_encoding": "text kind length d_model base strength seed q k",
    "tiny_lm": "model when text letters story greedy temperature top_k top_p seed head at q k",
}
MOVING = {"lookup", "collapse", "train", "clocks", "rope", "time"}  # pictures whose sliders are set by a release
TRIED = [
    case
    for lesson in LESSONS
    for case in first(
        2,
        [
            (lesson.name, name)
            for name in sorted(steps_of(lesson.name), key=lambda name: name not in MOVING)
            if import_module(f"pages.{lesson.name}.{name}").STEP.experiment.removeprefix("built")
        ],
    )
]
MOST = 6  # options of a control, each of which may show other controls


@cache
def experiments(lesson):
    """Return the controls that each step has for itself, with the words of a link at both their ends."""
    shared = {*SCENE[lesson].split(), "step", "ask"}
    found = {}
    for name in steps_of(lesson):
        own = dict(step(lesson, name).page.controls.ends)
        for control, words in [*own.items()]:
            for word in words if len(words) <= MOST else ():
                own |= step(lesson, name, **{control: word}).page.controls.ends
        found[name] = {control: (words[0], words[-1]) for control, words in own.items() if control not in shared}
    return found


def drawn(lesson, name, **link):
    """Return all that a step shows and asks."""
    seen = step(lesson, name, **link)
    charts = [(str(shown.spec), shown.data.to_json(), shown.alt) for shown in seen.charts]
    return seen.html, charts, [repr(question) for question in seen.page.asked], seen.page.view.number


@pytest.mark.parametrize("end", first(1, (1, 0)))
@pytest.mark.parametrize("lesson", NAMES)
def test_what_is_changed_in_other_steps_changes_nothing_in_a_step(lesson, end):
    own = experiments(lesson)
    for name in own:
        link = {
            control: words[end]
            for other in own
            if other != name
            for control, words in own[other].items()
            if control not in own[name]
        }
        assert drawn(lesson, name, **link) == drawn(lesson, name), name


@pytest.mark.parametrize(("lesson", "name"), TRIED)
def test_what_was_tried_in_a_step_is_set_back_when_it_is_left(lesson, name):
    app, rng = visit(lesson, step=name, ask="no"), np.random.default_rng(2)
    tried = {f"{lesson}_{word}" for word in import_module(f"pages.{lesson}.{name}").STEP.experiment.split()}
    for key in sorted(tried & controls(app).keys()):
        widget = controls(app)[key]
        widget.set_value(not widget.value if widget.type == "toggle" else some_value(widget, rng))
        rerun(app)
    pictures = [element.proto for element in app.get("bidi_component")]
    for proto in (one for one in pictures if one.component_name.startswith("attention_moving")):
        sliders = json.loads(proto.json)["sliders"]
        report(app, proto, "moved", {one["name"]: one["stops"][one["rests"][1]] for one in sliders})
        assert [one["at"] for one in sent(app, proto.component_name)["sliders"]] == [one["rests"][1] for one in sliders]
    for proto in (one for one in pictures if one.component_name == "attention_line_order"):
        report(app, proto, "order", json.loads(proto.json)["order"][::-1])
    if not tried & shared(app).keys():  # only buttons set what is tried
        press(app, next(one.key for one in app.button if "_put_" in one.key and not one.disabled))
    assert tried & shared(app).keys()
    to_step(app, next(other for other in path_of(lesson) if other != name))
    assert tried & shared(app).keys() == set()


@pytest.mark.parametrize("name", ["it", "x"])
def test_the_word_pointed_at_in_a_first_step_does_not_ask_in_the_next_but_that_of_a_link_does(name):
    app = visit("qkv", step=name, ask="no")
    controls(app)["qkv_q"].set_value("warm")
    assert shared(rerun(app))["qkv_q"] == "warm"
    assert "qkv_q" not in shared(press(app, "qkv_on"))
    app = press(visit("qkv", step=name, ask="no", q="cat"), "qkv_on")
    assert shared(app)["qkv_q"] == "cat"
