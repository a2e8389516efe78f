"""What every page has: a link that says all, locks that hold, presets, a way back, a menu, and words for each chart."""

import ast
import html
import json
import re
import unicodedata
from functools import cache
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import parse_qsl

import altair as alt
import numpy as np
import pytest
import streamlit as st

from pages.look.html import caption, seen
from pages.page.course import LESSONS, controls_of
from tests.app.visits import (
    ENTRY,
    FILES,
    QUICK,
    ROOT,
    Shown,
    afresh,
    blank,
    charts,
    click,
    controls,
    domain,
    examples,
    go,
    heatmap,
    html_of,
    main,
    nodes,
    opened,
    press,
    rerun,
    reveal,
    said,
    set_to,
    shared,
    stages,
    through_menu,
    to_step,
    today,
    visit,
)
from tests.tiers import first

# What is found out about a page is found out once, by one process.
each_page = pytest.mark.parametrize("page", [pytest.param(page, marks=pytest.mark.xdist_group(page)) for page in FILES])
TEXTS = [
    "tea is hot",
    "the the the",
    "<b>bold</b> & 100% + $x$",
    "ein Löwe, 獅子 🦁",
    "a" * 60,
    "",
    "?a=b&c#d",
    "0.5 1",
]


def same(first, second):
    """Tell whether two visits show the same pictures, bit for bit."""
    one, two = charts(first), charts(second)
    return len(one) == len(two) and all(
        a.spec == b.spec and a.alt == b.alt and a.data.equals(b.data) for a, b in zip(one, two, strict=True)
    )


def ends(widget):
    """Return the values at both ends of a control."""
    if widget.type == "toggle":
        return False, True
    if widget.type == "text_input":
        return "", "word " * 40
    if widget.type in ("number_input", "slider"):
        return widget.min, widget.max
    return widget.options[0], widget.options[-1]


def some_value(widget, rng):
    """Return a value that a student might choose."""
    if widget.type == "toggle":
        return bool(rng.integers(2))
    if widget.type == "text_input":
        return str(rng.choice(TEXTS))
    if widget.type in ("number_input", "slider"):
        n_steps = round((widget.max - widget.min) / widget.step)
        return type(widget.step)(round(widget.min + int(rng.integers(n_steps + 1)) * widget.step, 9))
    return widget.options[rng.integers(len(widget.options))]


def wander(app, rng, times=3):
    """Set controls at random, as somebody does who plays."""
    for _ in range(times):
        if stages(app):
            to_step(app, rng.choice(stages(app)))
        free = [widget for widget in controls(app).values() if not widget.disabled]
        for i in rng.permutation(len(free))[: rng.integers(1, len(free) + 1)]:
            free[i].set_value(some_value(free[i], rng))
        reveal(rerun(app))
    return app


# The link


@each_page
@pytest.mark.parametrize("seed", first(1, range(8)))
@pytest.mark.promise("pitfall 3")
def test_the_shared_link_shows_the_same_numbers_to_the_last_bit(page, seed):
    app = wander(visit(page), np.random.default_rng(seed))
    link = shared(app)
    assert all(key.startswith(page + "_") for key in link)
    again = opened(page, link)
    assert same(reveal(app), reveal(again))
    assert shared(again) == today(link)
    assert "could not be used" not in said(again)
    for key, widget in controls(app).items():
        assert controls(again)[key].value == widget.value, key


@each_page
def test_a_page_as_it_begins_has_a_bare_link(page):
    app = visit(page)
    assert shared(app) == {}
    assert app.button(key=f"{page}_reset").disabled


@pytest.mark.promise("page 6")
def test_only_what_was_changed_is_in_the_link():
    app = set_to(visit("qkv", step="x"), qkv_weights="random", qkv_seed=5.0)
    set_to(app, qkv_d_k=7, qkv_same=True, qkv_text="tea & milk")
    changed = {"qkv_weights": "random", "qkv_seed": "5", "qkv_d_k": "7", "qkv_same": "true", "qkv_text": "tea & milk"}
    assert shared(app) == today({"qkv_step": "x"} | changed)
    assert shared(press(app, "Back")) == today({"qkv_step": "dot"} | changed)
    press(app, "Next")
    set_to(app, qkv_seed=20.0, qkv_same=False, qkv_d_k=4)
    assert shared(app) == today({"qkv_step": "x", "qkv_weights": "random", "qkv_text": "tea & milk"})


@pytest.mark.promise("page 3")
def test_the_chosen_cell_is_in_the_link():
    app = click(visit("qkv", step="mix"), 5, 1)
    assert shared(app) == today({"qkv_step": "mix", "qkv_q": "warm", "qkv_d": "word 2"})


def test_a_link_keeps_what_a_question_or_another_step_still_hides():
    link = {"qkv_step": "softmax", "qkv_weights": "random", "qkv_q": "cat", "qkv_cat": "1 2 3"}
    link["qkv_closer"] = "Change one number"
    app = opened("qkv", link)
    assert [blank(shown) for shown in charts(app)] == [True]
    assert shared(app) == today(link)


def test_a_number_between_two_whole_ones_is_the_one_that_the_field_shows():
    app = set_to(visit("qkv", step="x"), qkv_seed=4.7)
    assert shared(app) == today({"qkv_step": "x", "qkv_seed": "5"})
    assert "random (seed 5)" in said(set_to(visit("home", weights="random"), home_seed=4.7))


# Locks


def last_place(page):
    """Return a link to the last stage of a page, which has most controls, without its questions, which set some."""
    place = next(place for place in reversed(places(page)) if set(place) <= {f"{page}_step", *quick(page)})
    return place if page == "home" else place | {f"{page}_ask": "no"}


@each_page
def test_a_tick_puts_a_lock_into_the_link_and_the_link_locks_that_control_alone(page):
    app = reveal(opened(page, last_place(page)))
    usual = {key for key, widget in controls(app).items() if widget.disabled}
    for key in controls(app):
        name = key.removeprefix(page + "_")
        link = shared(app, name)
        assert link == today(last_place(page) | {f"{page}_lock": name})
        found = controls(reveal(opened(page, link)))
        assert {other for other, widget in found.items() if widget.disabled} == usual | {key}


@each_page
@pytest.mark.promise("page 6")
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
    link = {"lock": ".".join(names), "q": "on", "seed": "3", "d_k": "6", "d_v": "9", "step": "scores", "ask": "no"}
    link["weights"] = "random"
    app = visit("qkv", **link)
    before = locked_values(app, names)
    assert before == {"q": "on", "seed": 3, "d_k": 6}
    click(app, 1, 0)
    assert locked_values(app, names) == before
    assert controls(app)["qkv_k"].value == "the₁"
    set_to(app, qkv_same=True)
    assert locked_values(app, names) == before
    for label in ("Attend to the previous word", "A trained head"):
        press(app, label)
        assert locked_values(app, ("q", "seed")) == {"q": "on", "seed": 3}
    press(app, "Reset")
    to_step(app, "mix")
    assert locked_values(app, names) == before
    assert controls(app)["qkv_same"].value is False
    assert controls(app)["qkv_d_v"].value == 9


def test_a_preset_that_would_change_what_is_locked_is_not_offered():
    of_a_job = {"An adjective finds its noun", "Attend to the previous word", "Same matrix for Q and K"}
    assert of_a_job < {*examples(visit("qkv", step="x"))}
    assert {*examples(visit("qkv", lock="job", step="x"))} == {*examples(visit("qkv", step="x"))} - of_a_job


def test_a_locked_step_cannot_be_left():
    app = visit("qkv", lock="step", step="x")
    assert all(node["disabled"] for node in nodes(app).values())
    assert not examples(app)
    assert all(app.button(key=key).disabled for key in ("qkv_next", "qkv_back"))
    set_to(app, qkv_seed=4.0)
    press(app, "Reset")
    assert main(app).data.columns[2] == "x"
    assert shared(app) == today({"qkv_step": "x", "qkv_lock": "step"})


@each_page
@pytest.mark.promise("page 6")
def test_everything_can_be_locked(page):
    app = reveal(opened(page, last_place(page)))
    names = [key.removeprefix(page + "_") for key in controls(app)]
    locked = reveal(opened(page, last_place(page) | {f"{page}_lock": ".".join(names)}))
    assert all(widget.disabled for widget in controls(locked).values())
    assert same(app, locked)


NOTHING = ["nonsense", "sed", "<b>", "seed,step", "__init__", "lock.lock", "qkv_seed", "x" * 2000]


@pytest.mark.parametrize("word", ["lock", "hide"])
@pytest.mark.parametrize("nothing", NOTHING)
def test_a_lock_on_nothing_that_exists_locks_nothing_and_is_noted(word, nothing):
    for listed in (nothing, f"text..{nothing}."):
        app = visit("qkv", step="x", **{word: listed})
        disabled = [key for key, widget in controls(app).items() if widget.disabled]
        assert disabled == (["qkv_text"] if "text" in listed else [])
        assert f"qkv_{word}={nothing[:40]}" in said(app)
        assert not any("<b>" in block for block in html_of(app) if "could not be used" in block)
        assert shared(app) == today({"qkv_step": "x"} | ({f"qkv_{word}": "text"} if "text" in listed else {}))


@each_page
def test_a_lock_on_what_another_step_draws_is_not_complained_of(page):
    names = ".".join(sorted(controls_of(page)))
    for word in ("lock", "hide"):
        app = visit(page, **{word: names})
        assert "could not be used" not in said(app)
        assert set(shared(app)[f"{page}_{word}"].split(".")) == controls_of(page)


@each_page
def test_every_word_of_a_page_stands_in_its_code(page):
    folders = [ROOT / "pages" / folder for folder in (page, "page", "practice")]
    code = [ROOT / FILES[page], *(path for folder in folders for path in folder.rglob("*.py"))]
    text = "".join(path.read_text(encoding="utf-8") for path in code if path.name != "course.py")
    assert not {name for name in controls_of(page) if f'"{name}"' not in text and f"{name}=" not in text}


def test_a_word_that_no_control_has_is_not_carried_on():
    link = {"qkv_d_k": "7", "qkv_<img src=x onerror=zq>": "1", "qkv_nobody": "1", "qkv_": "1", "scaling_seed": "3"}
    assert shared(opened("qkv", link)) == today({"qkv_d_k": "7"})


# Presets, and the way back


def test_presets_do_what_they_say():
    app = reveal(
        press(set_to(visit("qkv", step="x"), qkv_seed=3.0, qkv_weights="trained"), "Attend to the previous word")
    )
    weights = main(app).data.pivot(index="i", columns="j", values="weight").to_numpy()
    assert weights[1:].argmax(axis=1).tolist() == list(range(9))
    app = press(app, "Same matrix for Q and K")
    assert nodes(app)["two"]["current"]
    assert controls(app)["qkv_same"].value is True
    assert "so their scores are equal" in said(app)
    app = reveal(press(app, "A trained head"))
    assert "weight" in main(app).data
    assert "trained on" in said(app)


def test_a_preset_sets_what_is_hidden_too():
    app = set_to(visit("qkv", step="x", weights="hand-made", job="first word"), qkv_weights="random")
    press(app, "Attend to the previous word")
    assert controls(app)["qkv_job"].value == "previous word"


def test_start_afresh_goes_to_where_the_link_began_and_then_to_where_the_page_does():
    link = {"qkv_step": "scores", "qkv_seed": "5", "qkv_q": "cat", "qkv_ask": "no"}
    app = opened("qkv", link)
    set_to(app, qkv_seed=6.0, qkv_text="tea is hot")
    to_step(app, "mix")
    press(app, "Reset")
    assert shared(app) == today(link)
    press(app, "Reset")
    assert shared(app) == today({"qkv_ask": "no"})


def test_a_question_that_a_teacher_chose_stays_chosen():
    app = visit("qkv", step="projections", ask="shape", seed="3")
    press(app, "Reset")
    assert shared(app) == today({"qkv_ask": "shape"})


@each_page
def test_presets_are_in_the_address_and_may_follow_one_another(page):
    for preset in examples(visit(page)):
        app = press(visit(page), preset)
        words = {key: value if isinstance(value, str) else value[-1] for key, value in app.query_params.items()}
        assert shared(opened(page, words)) == shared(app), preset  # the address says what was set, drawn before or not
        press(app, preset)
        if stages(app):
            to_step(app, stages(app)[0])
        afresh(app)
        assert shared(app) == {}


def test_start_afresh_sets_what_is_hidden_too():
    app = press(set_to(visit("qkv", step="dot", weights="hand-made", job="first word"), qkv_cat="1 2"), "Next")
    set_to(app, qkv_weights="random")
    press(app, "Reset")
    assert controls(press(app, "Next"))["qkv_job"].value == "first word"
    press(press(app, "Reset"), "Reset")
    assert same(app, visit("qkv"))
    assert (
        controls(set_to(press(press(app, "Next"), "Next"), qkv_weights="hand-made"))["qkv_job"].value
        == "pronoun to noun"
    )


@each_page
@pytest.mark.parametrize("seed", first(1, [1, 2, 3]))
def test_start_afresh_shows_the_page_as_it_began(page, seed):
    rng = np.random.default_rng(seed)
    app = visit(page)
    if stages(app):
        reveal(to_step(app, stages(app)[rng.integers(1, len(stages(app)))]))
    for widget in controls(app).values():
        if widget.type in ("number_input", "slider", "text_input", "toggle") and not widget.disabled:
            widget.set_value(some_value(widget, rng))
    assert len(shared(reveal(rerun(app)))) >= 2
    press(app, "Reset")
    assert shared(app) == {}
    assert same(reveal(rerun(app)), reveal(visit(page)))  # an answer that was given stays given


# Both ends


@pytest.mark.exhaustive
@each_page
def test_every_control_works_at_both_ends_wherever_it_stands(page):
    seen = set()
    for app in everywhere(page):
        together = {key for key, widget in controls(app).items() if not widget.disabled}
        for end in (0, 1):
            for key in together:
                if key in controls(app):
                    widget = controls(app)[key]
                    widget.set_value(ends(widget)[end])
            rerun(app)
            assert pictured(app) or asked(app)
            seen |= set(controls(app))
    assert len(seen) >= 2


@each_page
@pytest.mark.promise("tutorial 6")
def test_every_control_works_at_both_ends_by_itself(page):
    done = set()
    for app in everywhere(page):
        for key, widget in controls(app).items():
            if key in done or widget.disabled:
                continue
            done.add(key)
            for value in (*ends(widget), widget.value):
                set_to(app, **{key: value})
                reveal(app)
                if key not in controls(app):
                    break
                assert controls(app)[key].value == value


def quick(page):
    return {f"{page}_{name}": value for name, value in QUICK.get(page, {}).items()}


@cache
def places(page):
    """Return links to a page at each of its stages, and in each of its modes, as far as one is in the link."""
    found, done = [], set()
    for stage in stages(visit(page)) or [None]:
        here = quick(page) | ({f"{page}_step": stage} if stage else {})
        found.append(here)
        for key, box in controls(reveal(opened(page, here))).items():
            modes = box.options if box.type in ("button_group", "selectbox") and len(box.options) <= 5 else ()
            for option in modes:
                if option != box.value and (key, option) not in done:
                    done.add((key, option))
                    found.append(here | {key: option})
    return found


def everywhere(page):
    """Yield a page at each of these places, its pictures shown."""
    for place in places(page):
        yield reveal(opened(page, place))


class View(NamedTuple):
    """What a page shows at one of these places."""

    place: dict[str, str]
    charts: list[Shown]
    under: list[str]  # what stands under each chart
    text: str
    names: set[str]  # of its controls


@cache
def views(page):
    """Return what a page shows at each of these places: to open them takes longer than all that is asked of them."""
    found = []
    for place, app in zip(places(page), everywhere(page), strict=True):
        nodes = list(app.main)
        under = [getattr(b.proto, "body", "") for a, b in pairwise(nodes) if a.type == "vega_lite_chart"]
        names = {key.removeprefix(f"{page}_") for key in controls(app)}
        found.append(View(place, charts(app), under, said(app), names))
    return found


# Nonsense in the link


NONSENSE = ["y", "", "nan", "1e309", "-1e12", "9" * 50, "<b>1</b>", "<script>", "\x00", "٣٣٣٣٣٣٣٣٣٣٣٣", "{0}", "null"]


@each_page
@pytest.mark.parametrize("nonsense", first(2, NONSENSE))
@pytest.mark.promise("page 6")
def test_nonsense_gives_the_usual_value_and_a_note_that_names_it(page, nonsense):
    place = last_place(page)
    usual = opened(page, place)
    offered = {key: widget for key, widget in controls(usual).items() if key not in place}
    keys = [key for key, widget in offered.items() if widget.type != "text_input" and not widget.disabled]
    app = opened(page, dict.fromkeys(keys, nonsense) | place)
    assert same(app, usual)
    for key in keys:
        assert f"{key}={seen(nonsense[:40])}" in said(app)
    assert not any(f"={nonsense}" in block for block in html_of(app) if "<" in nonsense)
    assert shared(app) == today(place)


@each_page
def test_a_good_link_is_not_complained_of(page):
    for view in views(page):
        assert "could not be used" not in view.text, view.place


def test_a_step_that_does_not_exist_is_the_first():
    app = visit("qkv", step="<b>x</b>")
    assert same(app, visit("qkv"))
    assert "qkv_step=<b>x</b>" in said(app)
    assert not any("<b>x" in block for block in html_of(app))


def test_a_switch_may_be_written_in_capitals():
    app = visit("qkv", step="x", same="True")
    assert controls(app)["qkv_same"].value is True
    assert "could not be used" not in said(app)


def hostile(rng, page, names):
    """Return the words of a link that nobody should send."""
    words = [
        "", " ", "x", "0", "-1", "1.5", "1e309", "-1e309", "nan", "NaN", "inf", "9" * 400, "1e-320", "0x1F", "1_000",
        "+7", "--5", "٣", "½", "true", "false", "True", "None", "null", "[]", "{}", "{0}", "%s", "%00", "../../passwd",
        "<script>alert(1)</script>", "</style>", "<img src=x onerror=alert(1)>", "&amp;", '"', "'; DROP TABLE",
        "$x^2$", "**bold**", ":red[x]", "[a](javascript:x)", "\x00", "\x07\x1b[2J", "\r\n", "\u202eabc", "\u200d",
        "\ufeff", "é\u0301", "👩‍👩‍👧", "𝔘" * 300, "a" * 20_000, "word " * 3_000, "\U0010ffff", "softmax", "trained",
        "hand-made", "random", "head 9", "A soft look-up", "Softmax, closely", "∞", "√2", "mix", "24", "32", "9999",
    ]  # fmt: skip
    every = [f"{page}_{name}" for name in [*names, "lock", "hide", "share", "keep", "code"]]
    every += [
        "embed",
        "embed_options",
        "lessons",
        "amp;",
        f"amp;{page}_seed",
        "unknown",
        "",
        "__proto__",
        "seed",
        f"{page}_",
        f"{page}_reset",
        f"_{page}_refused",
    ]
    query = {}
    for _ in range(rng.integers(1, 7)):
        key = every[rng.integers(len(every))]
        values = [words[i] for i in rng.integers(len(words), size=rng.integers(1, 4) if rng.random() < 0.2 else 1)]
        if key.endswith(("_lock", "_hide", "lessons")) and rng.random() < 0.7:
            values = [rng.choice([".", ",", "..", "\x00."]).join([*rng.choice(every, 3), *values])]
        query[key] = values if len(values) > 1 else values[0]
    return query


def pictured(app):
    """Tell whether a page shows a chart, or a picture that it draws by itself, if only that of a step."""
    if charts(app) or any(not node["ghost"] for node in nodes(app).values()):
        return True
    return any("<i style" in block or "<table" in block or "<i class" in block for block in html_of(app))


def asked(app):
    return any('"course ask"' in block for block in html_of(app))


@each_page
@pytest.mark.parametrize("times", first(1, [10, 60]))
@pytest.mark.promise("page 6")
def test_no_link_breaks_a_page(page, times):
    rng = np.random.default_rng(2017)
    names = sorted(set.union(*(view.names for view in views(page))) | {"step", "ask"})
    for _ in range(times):
        query = hostile(rng, page, names)
        app = opened(page, query)  # sees that there is no exception
        assert pictured(app) or asked(app), query
        blocks = " ".join(html_of(app))
        assert not any(tag in blocks for tag in ("<script", "<img", "</style>")), query


# The menu


def links(app):
    """Return the links of the menu by the file that they lead to: what each says."""
    found = {}
    for link in app.sidebar.get("page_link"):
        found["home" if link.proto.page == "" else link.proto.page] = dict(parse_qsl(link.proto.query_string))
    return found


def test_the_menu_carries_the_sentence_and_the_seed():
    app = through_menu("qkv", step="x", text="tea & milk", seed="5", d_k="7")
    assert links(app)["home"] == {"home_text": "tea & milk", "home_seed": "5"}
    go(app, "home", links(app)["home"])
    assert controls(app)["home_text"].value == "tea & milk"
    assert app.query_params["home_seed"] == "5"  # which waits for matrices with something random
    assert links(app)["qkv"] == today({"qkv_step": "x", "qkv_text": "tea & milk", "qkv_seed": "5", "qkv_d_k": "7"})


def test_the_menu_leads_back_to_the_page_as_it_was_left():
    app = reveal(through_menu("qkv", step="scores", weights="random", seed="5", d_k="7", closer="Change one number"))
    before = charts(app)
    go(app, "home", links(app)["home"])
    reveal(go(app, "qkv", links(app)["qkv"]))
    for one, other in zip(before, charts(app), strict=True):
        assert one.data.equals(other.data)
    set_to(app, qkv_seed=6.0)
    go(app, "home", links(app)["home"])
    set_to(app, home_weights="random", home_seed=8.0, home_text="fresh tea")
    go(app, "qkv", links(app)["qkv"])
    assert controls(app)["qkv_seed"].value == 8
    assert controls(app)["qkv_text"].value == "fresh tea"
    assert controls(app)["qkv_d_k"].value == 7


def test_a_lock_holds_when_a_student_walks_through_the_menu():
    app = through_menu("qkv", step="x", lock="text", text="tea is hot")
    go(app, "home", links(app)["home"])
    set_to(app, home_text="dogs bark")
    go(app, "qkv", links(app)["qkv"])
    assert controls(app)["qkv_text"].value == "tea is hot"
    assert controls(app)["qkv_text"].disabled


def test_every_page_is_in_the_menu_of_every_page():
    for page in FILES:
        app = opened(page, {}, ENTRY)
        assert set(links(app)) == set(FILES)


@each_page
def test_a_page_stands_by_itself(page):
    app = visit(page)
    assert pictured(app) or asked(app)
    assert app.title[0].value


# Names and words


def test_every_page_has_a_title_of_its_own(monkeypatch):
    titles = []
    monkeypatch.setattr(st, "set_page_config", lambda page_title, **_: titles.append(page_title))
    for page in FILES:
        visit(page)
    assert len(titles) == len(set(titles)) == len(FILES)
    assert all("Attention, from scratch" in title for title in titles)


def small(chart, others):
    """Tell whether a chart stands among others that one sentence describes together."""
    legend = chart.spec.get("layer", [{}])[0].get("encoding", {}).get("color", {}).get("legend", False)
    bare = chart.spec.get("encoding", {}).get("x", {"axis": True}).get("axis", True) is None
    many = sum(other.spec == chart.spec for other in others) > 2
    beside = legend is None  # the map beside it has the legend of both
    return bare or many or beside or bool(legend and legend["gradientLength"] == 120)


def is_map(chart):
    """Tell whether a chart is a heatmap: what a line or a bar says may stand in the card beside it."""
    return any(layer["mark"]["type"] == "rect" for layer in chart.spec.get("layer", [])[:1])


@each_page
@pytest.mark.promise("page 8")
def test_every_chart_has_words_and_they_stand_under_it(page):
    for view in views(page):
        for chart, under in zip(view.charts, view.under, strict=True):
            assert chart.alt.strip()
            assert not any(unicodedata.category(char) == "Cc" for char in chart.alt)
            if is_map(chart) and not small(chart, view.charts):
                assert under.startswith(f'<div class="course note">{caption(chart.alt)}')


@pytest.fixture(params=[pytest.param(page, marks=pytest.mark.xdist_group(page)) for page in FILES])
def pictures(request):
    """Every picture of a page, with the place where it stands and what the page says there."""
    return [(view.place, chart, view.text) for view in views(request.param) for chart in view.charts]


def test_every_picture_keeps_to_the_grammar_of_its_pictures(pictures):
    """The pages build them without that check, which takes most of the time."""
    sizes = {"height": 1, "params": []}
    kinds = {json.dumps({**chart.spec, **sizes}, sort_keys=True): chart.spec for _, chart, _ in pictures}
    for spec in kinds.values():
        kind = alt.LayerChart if "layer" in spec else alt.Chart
        kind.validate(spec | {"data": {"name": "data"}})


@pytest.mark.promise("pitfall 6")
def test_every_colour_scale_of_shares_is_from_0_to_1_and_of_other_numbers_symmetric_or_from_0_on(pictures):
    for _, chart, _ in pictures:
        colour = chart.spec.get("layer", [{}])[0].get("encoding", {}).get("color", {})
        if colour.get("type") == "quantitative":
            low, high = domain(chart)
            assert (low, high) == (0, 1) if chart.data.columns[2] == "weight" else low in (0, -high)


@pytest.mark.promise("pitfall 5")
def test_on_every_map_of_weights_a_row_is_a_query_and_a_column_a_key(pictures):
    for chart in [chart for _, chart, _ in pictures if list(chart.data.columns[:3]) == ["query", "key", "weight"]]:
        heatmap(chart)  # sees that rows and columns come in their order, and none is missing
        encoding = chart.spec.get("layer", [chart.spec])[0]["encoding"]
        assert (encoding["y"]["field"], encoding["x"]["field"]) in {("query", "key"), ("i", "j")}


@pytest.mark.promise("pitfall 7")
def test_every_map_of_weights_says_whose_weights_it_shows(pictures):
    for place, chart, text in pictures:
        if "weight" in chart.data.columns[:3]:
            assert re.search(r"random|Random numbers|made by hand|trained (on|for)|of Toy English", text), place


@pytest.mark.promise("pitfall 8")
def test_no_sentence_of_a_picture_gives_a_reason(pictures):
    for _, chart, _ in pictures:
        assert not re.search(
            r"\b(because|reasons?|why|explain\w*|therefore|due to|important|caus(e|es|ed))\b", chart.alt
        )


# From claim to exercises


def part(node):
    """Return which part of a lesson an element is."""
    if node.type == "html":
        return "words" if node.proto.body.startswith('<div class="course lead">') else ""
    if node.type == "expander":
        return node.label if node.label in ("Code behind this view", "Download") else ""
    if node.type == "header":
        return "exercises" if node.value == "Exercises" else ""
    return {"title": "claim", "vega_lite_chart": "picture", "bidi_component": "picture"}.get(node.type, "")


@pytest.mark.parametrize("lesson", [lesson.name for lesson in LESSONS])
@pytest.mark.promise("page 1")
def test_every_lesson_goes_from_claim_to_picture_to_code_to_exercises(lesson):
    order = list(dict.fromkeys(filter(None, map(part, reveal(visit(lesson)).main))))
    assert order == ["claim", "words", "picture", "Code behind this view", "Download", "exercises"]


@each_page
@pytest.mark.promise("page 5", "pitfall 11")
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


@pytest.mark.promise("pitfall 12")
def test_nothing_moves_by_itself():
    """Except a run of training, which a student has started and can pause; a broken link is read anew at once."""
    moves = r"run_every|st\.rerun|write_stream|setInterval|@keyframes|animation|transition:|<animate|balloons"
    code = [ROOT / ENTRY, *(ROOT / "pages").rglob("*.py")]
    found = {(path.parent.name, word) for path in code for word in re.findall(moves, path.read_text(encoding="utf-8"))}
    assert {name for name, _ in found - {("page", "st.rerun")}} == {"train"}
