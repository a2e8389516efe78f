"""What the browser kept of a student's answers and points: it comes back whole, and nothing else comes in."""

import json

import pytest
import streamlit as st

from pages.page.ask import Answered, answers, outcomes, recalled, variant
from pages.page.remember import MAX_CHARACTERS, note_visit, packed, restore, take_back
from pages.practice.progress import solved, works
from pages.questions.kinds import Choice
from pages.teaching.plan import plan_in, planned

QUESTION = Choice("scale", "Which?", ("a", "b", "c"), (1,), "why", ("", "", ""))
PLACE = "qkv_scale"


@pytest.fixture(autouse=True)
def session(monkeypatch):
    state = {}
    monkeypatch.setattr(st, "session_state", state)
    return state


def after_work():
    """Return what the browser keeps once a question was answered and an exercise solved."""
    answers()[PLACE] = Answered(QUESTION, 2, 2)
    note_visit("qkv", "x", "X")
    st.session_state.update(answered={PLACE: "told"}, variants={PLACE: 3})
    solved()["softmax"] = 9
    return json.dumps(packed())


def test_answers_variants_and_points_come_back(session):
    text = after_work()
    session.clear()
    assert not solved()  # which was asked for before
    restore(text)
    assert json.dumps(packed()) == text  # also what was not asked again yet
    assert recalled(PLACE, QUESTION) == answers()[PLACE] == Answered(QUESTION, 2, 2)
    assert outcomes("qkv", ("scale",)) == ["told"]
    assert variant("qkv", "scale") == 3
    assert solved() == {"softmax": 9}
    session["course_progress"] = {"programs": {"attention-exercise-softmax": "x", "attention-exercise-none": "y"}}
    take_back()
    assert [work.text for work in works().values()] == ["x"]


def test_another_question_in_its_place_is_not_answered(session):
    text = after_work()
    session.clear()
    restore(text)
    assert (recalled(PLACE, QUESTION._replace(options=("a", "b", "d"))), answers()) == (None, {})


def test_a_session_that_knows_something_is_not_overwritten(session):
    after_work()
    session["course_progress"] = {"kept": json.dumps({"variants": {PLACE: 8}})}
    take_back()
    assert variant("qkv", "scale") == 3


def test_the_plan_of_a_link_stays_where_the_browser_kept_another_and_answers(session):
    session["plan"] = plan_in("qkv?qkv_seed=1")
    text = after_work()
    session.clear()
    session["plan"] = plan_in("scaling")  # of the link that this session began with
    session["course_progress"] = {"kept": text}
    take_back()
    assert planned() == plan_in("scaling")
    assert variant("qkv", "scale") == 3


def test_an_answer_that_is_no_option_is_none(session):
    kept = json.loads(after_work())
    for given in (3, -1, True, "2", 1.5, [1], {}):
        session.clear()
        kept["given"][PLACE][1] = given
        restore(json.dumps(kept))
        assert recalled(PLACE, QUESTION) is None


def test_what_is_not_in_order_claims_nothing():
    broken = (None, 5, "", "{", "[]", "null", "[" * 50_000, '{"answered": ["a"]}' + " " * MAX_CHARACTERS)
    wrong = (
        {"given": 1, "answered": 2, "variants": 3, "solved": 4},
        {"given": {"a": 1}, "answered": [[]], "variants": {"a": -1, "b": True, "c": "d"}, "solved": [["softmax", 1]]},
        {"solved": {"softmax": 999, "attention_weights": True, "induction_head": 0, "no such exercise": 1}},
        {"plan": ["qkv"], "given": {"a": ["mark", [[]], 1]}},
        {"visited": ["nowhere", "x", "X"]},
        {"visited": ["qkv", "a b", "X"]},
        {"answered": {"qkv_scale": "by magic"}},
        {"plan": "\ud800|home"},
    )
    for text in (*broken, *map(json.dumps, wrong)):
        restore(text)
        assert not solved()
        assert not any(packed().values())
