"""Asking: a question hides its picture until it is answered, once; what was answered is kept, and counted."""

import html
import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.page.ask import Answered
from pages.questions.kinds import Choice
from tests.app.visits import press, rerun, said, visit


def page():
    """Ask a question of each kind about a scene, and show a picture behind each."""
    import streamlit as st

    from pages.page.ask import ask, outcomes, variant
    from pages.questions.kinds import Cell, Choice, Mistake, Number

    scene = st.session_state.get("scene", 0)
    for name in st.session_state.get("asked", ["shape", "scale", "cell"]):
        text = f"<p>{name} of scene {scene}, variant {variant('page', name)}</p>"
        question = {
            "shape": Choice(name, text, ("3 × 5", "*a* <b>", "15"), (0,), f"Because {scene}.", ("", "Turned.", "No.")),
            "scale": Number(name, text, 2.0 + scene, 0.1, "Divided.", (Mistake(8.0, "Not divided."),), "Try again."),
            "cell": Cell(name, text, ("the", "*cat*"), (0, 1), "Rows ask.", "Swapped.", "Another."),
        }[name]
        if ask("page", question):
            st.text(f"picture of {name}")
    assert not outcomes("other", ("shape", "scale"))
    st.text(", ".join(outcomes("page", ("shape", "scale", "cell"))))


def opened(*asked):
    """Return the page above with these questions on it."""
    app = AppTest.from_function(page, default_timeout=120)
    app.session_state["asked"] = list(asked)
    return rerun(app)


def give(app, name, answer):
    """Fill in a question without pressing a button, as its form allows."""
    if name == "cell":
        for field, value in zip(("row", "column"), answer, strict=True):
            if value is not None:
                app.selectbox(key=f"page_cell_{field}").set_value(value)
    elif name == "scale":
        app.number_input(key="page_scale_given").set_value(answer)
    else:
        app.radio(key="page_shape_given").set_value(answer)
    return app


def check(app, name, answer=None):
    """Answer a question, or press its button without an answer."""
    if answer is not None:
        give(app, name, answer)
    return push(app, name, "Check")


def push(app, name, label):
    """Press a button of the form of a question."""
    (key,) = [button.key for button in app.button if button.label == label and f"page_{name}_form" in button.key]
    return press(app, key)


def pictures(app):
    """Return the names of the questions whose pictures may be seen."""
    return [text.value.removeprefix("picture of ") for text in app.text[:-1]]


def counted(app):
    """Return how the questions that are over came out."""
    return app.text[-1].value.split(", ") if app.text[-1].value else []


def verdicts(app):
    """Return the look and the text of what is said to each answer."""
    found = [element.proto.body for element in app.get("html") if "verdict" in element.proto.body]
    assert all('role="status"' in body for body in found)
    looks = [re.search(r"course verdict (\w+)", body)[1] for body in found]
    return [(look, html.unescape(re.sub("<[^>]*>", "", body))) for look, body in zip(looks, found, strict=True)]


EMPTY, NO_NUMBER = "Give an answer first.", "Give a number first."
ELSEWHERE = [("told", "You answered this with other settings.")]
RIGHT = {"shape": 0, "scale": 2.05, "cell": (0, 1)}
WRONG = {"shape": 1, "scale": 8.0, "cell": (1, 0)}
ALSO_WRONG = {"shape": 2, "scale": 9.0, "cell": (1, 1)}
SAID = {  # of a right answer, of a wrong one, and when it is told
    "shape": ("✓ You predicted “3 × 5”. Because 0.", "✕ Not “*a* <b>”. Turned.", "✓ Right: “3 × 5”. Because 0."),
    "scale": ("✓ 2.05 is close enough. Divided.", "✕ Not 8. Not divided.", "✓ Right: 2.00. Divided."),
    "cell": (
        "✓ Yes, row “the”, column “*cat*”. Rows ask.",
        "✕ Not row “*cat*”, column “the”. Swapped.",
        "✓ Right: row “the”, column “*cat*”. Rows ask.",
    ),
}
of_each_kind = pytest.mark.parametrize("name", RIGHT)


@of_each_kind
def test_nothing_is_shown_before_an_answer(name):
    app = opened(name)
    assert pictures(app) == verdicts(app) == counted(app) == []
    assert f"{name} of scene 0, variant 0" in said(app)
    assert [button.label for button in app.button] == ["Check", "Just show me"]


@of_each_kind
def test_a_right_answer_shows_the_picture_and_counts(name):
    app = check(opened(name), name, RIGHT[name])
    assert verdicts(app) == [("right", SAID[name][0])]
    assert (pictures(app), counted(app)) == ([name], ["right at once"])
    assert said(app).count(f"{name} of scene 0") == 1  # what was asked stays over the verdict
    assert [button.label for button in app.button] == ["Another question"]


@of_each_kind
def test_a_first_mistake_is_explained_and_the_answer_is_told_after_the_second(name):
    app = check(opened(name), name, WRONG[name])
    assert verdicts(app) == [("wrong", SAID[name][1])]
    assert pictures(app) == counted(app) == []
    right = check(app, name, RIGHT[name])
    assert verdicts(right) == [("right", SAID[name][0])]
    assert counted(right) == ["right at the second try"]
    app = check(check(opened(name), name, WRONG[name]), name, WRONG[name])  # pressed twice: it is no second try
    assert verdicts(app) == [("wrong", SAID[name][1])]
    ((look, text),) = verdicts(check(app, name, ALSO_WRONG[name]))
    assert (look, text.endswith(SAID[name][2])) == ("wrong", True)
    assert pictures(app) == [name]
    assert counted(app) == ["told"]


def test_of_two_options_there_is_one_try():
    two = Choice("two", "Which?", ("a", "b"), (0,), "why", ("", "no"))
    assert Answered(two, 1).over
    assert not Answered(two._replace(options=("a", "b", "c")), 1).over


@of_each_kind
def test_what_was_only_shown_is_told(name):
    app = push(give(opened(name), name, RIGHT[name]), name, "Just show me")
    assert verdicts(app) == [("told", SAID[name][2])]
    assert pictures(app) == [name]
    assert counted(app) == ["told"]


@of_each_kind
def test_check_without_an_answer_asks_for_one(name):
    app, empty = check(opened(name), name), NO_NUMBER if name == "scale" else EMPTY
    assert empty in said(app)
    assert pictures(app) == counted(app) == []
    check(app, name, RIGHT[name])
    assert empty not in said(app)
    assert verdicts(app)[0][0] == "right"


@pytest.mark.parametrize("half", [(0, None), (None, 1)])
def test_half_a_cell_is_no_answer(half):
    app = check(opened("cell"), "cell", half)
    assert EMPTY in said(app)
    assert pictures(app) == []
    check(app, "cell", RIGHT["cell"])
    assert verdicts(app) == [("right", SAID["cell"][0])]


def test_the_first_option_and_zero_are_answers():
    assert verdicts(check(opened("shape"), "shape", 0))[0][0] == "right"
    assert verdicts(check(opened("scale"), "scale", 0.0)) == [("wrong", "✕ Not 0. Try again.")]


@of_each_kind
def test_once_answered_the_picture_stays_when_the_scene_changes(name):
    app = check(opened(name), name, RIGHT[name])
    app.session_state["scene"] = 1
    rerun(app)
    assert pictures(app) == [name]
    alike = name == "shape"  # where the same option is right, for the reason of now
    assert ("scene 1" in said(app)) == alike
    assert verdicts(app) == ([("right", "✓ You predicted “3 × 5”. Because 1.")] if alike else ELSEWHERE)
    assert [button.label for button in app.button] == ["Another question" if alike else "Ask again"]
    app.session_state["scene"] = 0
    assert verdicts(rerun(app)) == [("right", SAID[name][0])]


@pytest.mark.parametrize("scene", [0, 1])
@of_each_kind
def test_asked_again_it_is_the_next_variant_of_the_scene_that_stands_and_empty(name, scene):
    app = check(check(opened(name), name, WRONG[name]), name, ALSO_WRONG[name])
    for variant in (1, 2, 3):
        app.session_state["scene"] = scene
        rerun(app)
        press(app, f"page_{name}_again")
        assert f"{name} of scene {scene}, variant {variant}" in said(app)
        assert pictures(app) == verdicts(app) == []
        assert not [field for field in (*app.radio, *app.number_input, *app.selectbox) if field.value is not None]
        assert (NO_NUMBER if name == "scale" else EMPTY) in said(check(app, name))
        assert pictures(app) == []
        check(app, name, RIGHT[name] + scene if name == "scale" else RIGHT[name])
        assert verdicts(app)[0][0] == "right"
    push(press(app, f"page_{name}_again"), name, "Just show me")
    assert counted(app) == ["right at once"]  # the best of all variants


def test_each_question_has_its_own_answer_and_form():
    app = opened("shape", "scale", "cell")
    check(app, "scale", RIGHT["scale"])
    assert pictures(app) == ["scale"]
    check(app, "cell")
    assert said(app).count(EMPTY) == 1
    push(app, "shape", "Just show me")
    assert pictures(app) == ["shape", "scale"]
    check(app, "cell", RIGHT["cell"])
    press(app, "page_shape_again")
    check(app, "shape", RIGHT["shape"])
    assert counted(app) == ["right at once"] * 3
    assert pictures(app) == ["shape", "scale", "cell"]


@pytest.mark.parametrize("word", ["first", "yes"])
def test_any_other_word_in_the_link_asks(word):
    app = visit("qkv", step="projections", ask=word)
    assert "Check" in [button.label for button in app.button]
    assert ("could not be used" in said(app)) == (word != "first")
