"""The page for teachers: a lesson is chosen, its plan is changed slide by slide, and a class begins."""

import json
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import streamlit as st
from markupsafe import Markup

from pages.class_room.attend import come_back, left_open
from pages.links.address import address
from pages.links.course import LESSONS, NUMBERS, PLAN, TEACH, WALKING
from pages.look.facts import several
from pages.look.html import plain, seen
from pages.page.fields.pills import pills
from pages.page.page import open_class
from pages.questions.kinds import Choice, Number
from pages.teaching import plan as plans
from pages.teaching.lecture import lecture_button, ways
from pages.teaching.own import ANSWERS, LONGEST, MOST, questions_in, typed_in, written

OWN_PLAN = "My own plan"
NOT_ASKED = "Not asked yet: it needs a number, such as = 4.5, or two to four different answers, one of them with a *."
BEFORE = Path(__file__).with_name("before_class.md").read_text("utf-8")
QUESTIONS = f"""
**Your own questions**, in place of the lesson’s, up to {MOST}: a paragraph each. A question is followed by two to
{ANSWERS} answers, one a line, with `*` before the right one; or by a number, such as `= 4.5 ± 0.1`; or by nothing: what
students write comes to the wall. A line `Why: …` is told with the answer.
"""
EXAMPLE = "Which word does “it” mean?\n* cat\nmat\nWhy: Only the cat can be tired.\n\nHow many weights?\n= 64 ± 0"
START: Any = {False: ("Start with a class", "primary"), True: ("Start another class", "secondary")}
GO = "<script>location.assign({})</script>"  # the stage is another session, to which the key opens the class


def choose_lesson() -> None:
    plan = plans.planned()
    row = {one.title: plans.ready(f"teach-{one.name}") for one in LESSONS} | {OWN_PLAN: plans.Plan()}
    chosen = next((title for title, one in row.items() if one == plan), OWN_PLAN)
    pills("Choose a lesson of 20 minutes", row, lambda one: plans.keep(one or plan), "teach_ready", chosen)


def change_plan() -> None:
    plan = plans.planned()
    with st.container(gap="xsmall", key="teach_plan"):
        for place, view in enumerate(plan.views):
            draw_row(place, view)
    with st.container(horizontal=True, vertical_alignment="bottom", key="teach_add"):
        others = [name for name, view in plans.slides().items() if view not in plan.views]
        st.selectbox("Add a slide", others, None, key="_teach_add", on_change=add, filter_mode="contains")
        undone = not st.session_state.get("plans_before")
        st.button("Undo", key="teach_undo", type="tertiary", disabled=undone, on_click=plans.undo)
        if plan.views:
            told = several(plan.minutes, "minute"), several(len(plan.views), "slide")
            kept = "" if plan.written.startswith("teach-") else ". This page’s address is your plan: bookmark it"
            st.html(Markup('<div class="course in-row"><b>{}</b> in {}{}</div>').format(*told, kept))


def add() -> None:
    view, plan = plans.slides().get(st.session_state["_teach_add"]), plans.planned()
    if view:
        plans.keep(plan.with_view(view))
    st.session_state["_teach_add"] = None


def field(place: int, name: str, value: object, **look: Any) -> Any:
    """Return what a field needs that says one thing of a slide, wherever the slide has moved to."""
    key = f"_teach_{name}_{place}"
    st.session_state[key] = value
    return look | {"key": key, "on_change": change, "args": (place, name, key)}


def change(place: int, name: str, key: str) -> None:
    """Keep what a field says of a slide: in the plan, or in a word of the slide's link."""
    value, view = st.session_state[key], plans.planned().views[place]
    if name in view._fields:
        replace(place, view._replace(**{name: value or type(getattr(view, name))()}))
        return
    word = ".".join(value) if name == "lock" else written(value or "") if name == "quiz" else "" if value else "no"
    replace(place, view.with_word(name, word))


def replace(place: int, *view: plans.View) -> None:
    plan = plans.planned()
    plans.keep(plan._replace(views=(*plan.views[:place], *view, *plan.views[place + 1 :])))


def move_up(place: int) -> None:
    views = [*plans.planned().views]
    views[place - 1 : place + 1] = views[place], views[place - 1]
    plans.keep(plans.planned()._replace(views=tuple(views)))


def draw_row(place: int, view: plans.View) -> None:
    seen = {"label_visibility": "collapsed" if place else "visible"}  # the first row has the heads of the columns
    look: Any = {"type": "tertiary", "args": (place,)}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", key=f"teach_view_{place}"):
        name = f"{place + 1} · {plans.lesson_of(view)}"
        st.html(Markup('<div class="course note in-row">{}</div>').format(name), width=76)
        st.text_input("Title", **field(place, "title", view.title, max_chars=plans.TITLE, width=190, **seen))
        st.number_input("Minutes", 0, plans.MINUTES, **field(place, "minutes", view.minutes, width=64, **seen))
        st.text_input("Note, for you", **field(place, "note", view.note, max_chars=plans.NOTE, width="stretch", **seen))
        if st.button(summary_of(view), key=f"teach_more_{place}", icon=":material/edit:", width=140, wrap=True):
            draw_details(place)
        up, out = ":material/arrow_upward:", ":material/close:"
        st.button(up, f"teach_up_{place}", "Move up", on_click=move_up, disabled=not place, **look)
        st.button(out, f"teach_remove_{place}", "Remove", on_click=replace, **look)


def summary_of(view: plans.View) -> str:
    own, asks = [*questions_in(view.word("quiz"))], "ask" in view.step[1] and view.word("ask") != "no"
    locked = ", ".join(plans.label_of(view, name) for name in view.locks)
    given = view.words.keys() - {f"{view.page}_{name}" for name in ("step", "lock", "ask", "quiz")}
    asked = ("May ask" if given else "Asks") if asks else "No question"  # of a sentence nothing may be left to ask
    told = f"{len(own)} of your own" + ", not all asked" * (None in own) if own else asked
    return seen(f"{told} · locked: {locked}" if locked else told)


@st.dialog("Questions and locks of this slide", width="medium", dismissible=False)  # Escape would lose what is typed
def draw_details(place: int) -> None:
    view = plans.planned().views[place]
    controls = {name: label for name, label in view.step[1].items() if name != "ask"}
    labels = plans.LOCKS | controls | {name: plans.label_of(view, name) for name in view.locks}
    st.markdown(f"**{plain(plans.name_of(view))}**")
    if "ask" in view.step[1] and not view.word("quiz"):
        asks = view.word("ask") != "no"
        st.checkbox("Ask the question of the lesson", **field(place, "ask", asks))
    st.markdown(QUESTIONS)
    look = {"placeholder": EXAMPLE, "height": 190, "max_chars": LONGEST, "label_visibility": "collapsed"}
    st.text_area("Your own questions", **field(place, "quiz", typed_in(view.word("quiz")), **look))
    for number, question in enumerate(questions_in(view.word("quiz")), start=1):
        st.caption(f"{number}. {how_read(question)}")
    names = field(place, "lock", view.locks, format_func=labels.__getitem__)
    st.multiselect("Locked: students cannot change", list(labels), **names)
    free = [
        controls[name] for name in controls if name not in view.locks and (NUMBERS not in view.locks or name in WALKING)
    ]
    walks = "They stay on this step." if "step" in view.locks else "They can go to other steps."
    st.caption(f"Students can still change: {', '.join(free) or 'nothing'}. {walks}")
    if st.button("Done", key="teach_done", type="primary"):
        st.rerun()


def how_read(question: object) -> str:
    if isinstance(question, Choice):
        return f"Choices. Right: “{plain(question.options[question.right[0]])}”."
    if isinstance(question, Number):
        return f"A number. Right: {question.right:g} ± {round(question.tolerance, 6):g}."
    return "An open text, for the wall." if question else NOT_ASKED


def way_into_class(another: bool) -> None:
    plan, member = plans.planned(), st.session_state.get("class_room")
    stage = plans.link_to(plan, lecture="on")
    with st.container(horizontal=True, vertical_alignment="center", key="teach_ways"):
        for view in plan.views[:1]:
            link = urljoin(st.context.url or "", address(view.page, view.numbered(1).words | {PLAN: plan.written}))
            st.link_button("Try as a student", link, icon=":material/visibility:", key="teach_try")
            if not member:
                label, look = START[another]
                st.button(label, type=look, key="teach_start", on_click=open_class)
            lecture_button("Start the lecture" if member else "Start without a class", stage, "teach_lecture")
        if not (member or plan.views):
            label = "Open another class" if another else "Open a class"
            st.button(label, type="tertiary", key="teach_class", on_click=open_class)
    if st.session_state.get("teach_start") and member:
        stage = plans.link_to(plan, lecture="on", teach=f"{member.word}.{member.key}")
        st.html(GO.format(json.dumps(stage)), unsafe_allow_javascript=True)


def offer_what_is_left() -> bool:
    """Offer the class that is still open, as after a crash, before another one; return whether there is one."""
    if word := "class_room" not in st.session_state and left_open():
        with st.container(border=True, horizontal=True, vertical_alignment="center", key="teach_left"):
            st.markdown(f"Your class **{word}** is still open.", width="content")
            st.link_button("Open your console", "./?console=on", icon=":material/tablet:", type="primary")
            st.button("Go on with its plan here", key="teach_go_on", on_click=go_on)
    return bool(word)


def go_on() -> None:
    plans.keep(plans.Plan())  # in place of which comes that of the class
    come_back(st.session_state.pop("class_left"))


def offer_links() -> None:
    plan = plans.planned()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        day = date.fromisoformat(plan.until) if plan.until else None
        st.session_state.update({"_teach_until": day, "_teach_seeds": plan.seeds})
        st.date_input("As homework, until", key="_teach_until", on_change=assign, width=240)
        st.checkbox("Each student gets other random numbers", key="_teach_seeds", on_change=assign)
    students = plans.link_to(plan.for_students)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        st.markdown("**For students**: the slides, without your own questions, which are asked in a class.")
        st.code(students, language=None, wrap_lines=True)
        st.markdown("**Your own link**: it opens this plan here, with the answers to your own questions. Keep it.")
        st.code(plans.link_to(plan, TEACH), language=None, wrap_lines=True)
    with right:
        ways(students, "A lesson plan", "teach_plan")


def assign() -> None:
    day = st.session_state["_teach_until"]
    plans.keep(plans.planned()._replace(until=day.isoformat() if day else "", seeds=st.session_state["_teach_seeds"]))
