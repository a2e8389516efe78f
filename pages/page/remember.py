"""What a student answered and solved, and a teacher planned, kept in the browser's tab: a reload does not lose it.

What comes back is input from outside: it is checked, and it can claim no more than a student could by answering.
"""

import json
from pathlib import Path
from typing import Any

import streamlit as st

from pages.links.course import LESSONS
from pages.look.glossary import MEANINGS
from pages.look.modules import assets
from pages.page.ask import OUTCOMES, answers, fingerprint
from pages.server.streamlit_private import is_flat, session_id
from pages.teaching.plan import Plan, keep, plan_in, planned

MAX_ENTRIES, MAX_CHARACTERS = 300, 120_000  # entries of a kind, and characters of all
LONGEST_VISIT = 100  # characters
STORE = st.components.v2.component("attention_progress", **assets(Path(__file__).with_suffix(".js")))
KEY = "course_progress"


def remember() -> None:
    """Send the browser what to keep; a session that knows nothing yet is told what the browser has."""
    progress = st.session_state["remembered"] = packed()
    empty = "recalled" not in st.session_state and knows_nothing()  # what it was told is data anew, which is kept then
    data = {"state": json.dumps(progress), "empty": empty, "session": session_id(), "meanings": MEANINGS}
    data["gone"], at = st.session_state.pop("class_gone", ""), st.session_state.get("class_room")
    data["holds"] = not at.is_laid_aside if at else "class_waits" in st.session_state  # also when this tab is closed
    hears: Any = dict.fromkeys((f"on_{name}_change" for name in ("kept", "programs", "seat", "left")), take_back)
    STORE(key=KEY, data=data, **hears)


def knows_nothing() -> bool:
    """Return whether a student did nothing in this session. A plan may stand in the link that it began with."""
    return not any(value for name, value in packed().items() if name not in ("plan", "visited", "variants", "class"))


def is_news() -> bool:
    """Return whether a student did something since the browser was told."""
    return packed() != st.session_state["remembered"]


def packed() -> dict[str, Any]:
    """Return what a student did, as far as it can be written down."""
    state = st.session_state
    given = {place: [fingerprint(answer.question), answer.given, answer.tries] for place, answer in answers().items()}
    return {
        "given": state.get("recalled", {}) | given,
        "answered": dict(state.get("answered", {})),
        "visited": last_visited(),
        "variants": state.get("variants", {}),
        "solved": dict(state.get("exercises_solved", state.get("recalled_solved", {}))),
        "plan": planned().written,
        "class": at.packed()
        if (at := state.get("class_room"))
        else state.get("class_waits", state.get("class_record")),
    }


def join(answered: dict[str, Any], solved: dict[str, Any]) -> None:
    """Add how questions came out and what was solved before to what is known; the exercises check the points."""
    state, known = st.session_state, packed()
    for place, outcome in answered.items():
        if outcome in OUTCOMES:
            known["answered"][place] = min(outcome, known["answered"].get(place, outcome), key=OUTCOMES.index)
    state["answered"], state["recalled_solved"] = known["answered"], solved | known["solved"]
    state.pop("exercises_solved", None)


def take_back() -> None:
    """Restore what the browser kept, unless this session knows of something itself."""
    sent = st.session_state.get(KEY) or {}
    if programs := entries(sent.get("programs"), str):
        st.session_state["recalled_programs"] = programs  # the exercises check them
    if knows_nothing():
        restore(sent.get("kept"))
    if seat := sent.get("seat"):
        st.session_state.setdefault("class_found", seat)
    if left := sent.get("left"):  # a class that its teacher may take up again
        st.session_state["class_left"] = left


def restore(text: object) -> None:
    """Restore as much of a text as is in order."""
    try:
        found = json.loads(text) if isinstance(text, str) and len(text) <= MAX_CHARACTERS else None
    except (ValueError, RecursionError):
        return
    if not isinstance(found, dict):
        return
    state = st.session_state
    given = entries(found.get("given"), list)
    state["recalled"] = {place: pair for place, pair in given.items() if len(pair) == 3 and all(map(is_flat, pair))}
    variants = entries(found.get("variants"), int)
    state["variants"] = {place: n for place, n in variants.items() if 0 <= n < 10**12}
    visit, names = found.get("visited"), {lesson.name for lesson in LESSONS}
    if isinstance(visit, list) and len(visit) == 3 and all(isinstance(part, str) for part in visit):
        lesson, step, label = visit
        if lesson in names and step.isidentifier() and len(step + label) < LONGEST_VISIT:
            st.session_state.setdefault("visited", [lesson, step, label])
    join(entries(found.get("answered"), str), entries(found.get("solved"), int))
    if told := state.pop("class_told", ""):  # this run would remove the note before anyone reads it
        state["class_again"] = told
    if found.get("class"):
        state["class_found"] = found["class"]
    plan = found.get("plan")
    if isinstance(plan, str) and not planned().lost and planned() in (Plan(), plan_in(plan).for_students):
        keep(plan_in(plan))  # an address may have left out the questions of its teacher


def note_visit(lesson: str, step: str, label: str) -> None:
    """Note where a student is: the lesson, the step as a link calls it, and its label."""
    st.session_state["visited"] = [lesson, step, label]


def last_visited() -> list[str] | None:
    """Return where a student was last, in that order; None at first."""
    return st.session_state.get("visited")


def entries(found: object, kind: type) -> dict[str, Any]:
    """Return the first entries of an object, those of a kind, or nothing if it is none."""
    first = list(found.items())[:MAX_ENTRIES] if isinstance(found, dict) else ()
    return {name: value for name, value in first if type(value) is kind}
