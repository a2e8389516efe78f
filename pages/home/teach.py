"""The page for teachers: a lesson is chosen, its plan is changed slide by slide, and a class begins."""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any
from urllib.parse import urljoin

import streamlit as st
from markupsafe import Markup

from pages.links.address import address
from pages.links.course import LESSONS, PLAN, TEACH
from pages.look.html import indexed, plain, seen
from pages.page.fields.pills import pills
from pages.page.page import open_class
from pages.page.share import lecture_button, ways
from pages.teaching import plan as plans
from pages.teaching.own import (
    CHOICES,
    KINDS,
    MOST,
    NO_ANSWER,
    NUMBER,
    OPEN,
    QUESTION,
    OwnQuestion,
    number_in,
    owns_in,
    question_of,
    written,
)

OWN_PLAN = "My own plan"
LONG = 5000  # characters of the questions of a slide: a class keeps 6,000 of a text
BEFORE = """
**In class.** Page Down and Page Up (or a presenter’s clicker) go through the slides. N shows your note, S the
settings, Q the QR code of your class. F fills the screen, and B makes it black. Students open the code, or type your
class code on the home page: no account, no name. Each question is a vote. You see how many have answered, show how,
let them vote again, and *Reveal* tells the right answer and each mistake with its count.

**Who sees what.** Students see the slides, and of the answers what you show or reveal. The answers to your own
questions are in your own link and in your browser, and during class on the server. What students send is counted
without names. Nothing is left of it when you close the class, or after a day. Outside a class nothing is kept.

**Before class.** On Streamlit Community Cloud an app sleeps after twelve hours without a visitor, and the next visitor
waits while it wakes. Open your link ten minutes before the lesson.

**Without a network.** Start the app on your own computer as the README says: pages load nothing from other sites. Or
open *Download* under a view, and press *Page* for one file that opens in every browser. Any page can be printed.
"""
HALF = {
    CHOICES: "It is not asked yet: it needs two to four different answers, one with a *.",
    NUMBER: "It is not asked yet: it needs the right number.",
}
GO = """<script>
const kept = () => (sessionStorage["attention-progress"] ?? "").includes({})
const go = () => kept() ? location.assign({}) : setTimeout(go, 50)
go()
</script>"""  # once the browser keeps the class: the stage is another session


def say_before() -> None:
    st.markdown(BEFORE)


def choose_lesson() -> None:
    """Offer the plans that ship, an empty one, and all steps as slides."""
    plan = plans.planned()
    row = {one.title: plans.ready(f"teach-{one.name}") for one in LESSONS} | {OWN_PLAN: plans.Plan()}
    chosen = next((title for title, one in row.items() if one == plan), OWN_PLAN)
    pills(
        "Choose a lesson of 20 minutes",
        row,
        lambda one: None if one is None else plans.keep(one),
        "teach_ready",
        chosen,
    )


def change_plan() -> None:
    """Draw the plan as a table that is edited where it stands."""
    plan, titles = plans.planned(), {one.name: one.title for one in LESSONS}
    with st.container(gap="xsmall", key="teach_plan"):
        for place, view in enumerate(plan.views):
            draw_row(place, view)
    every = [(lesson, step) for lesson, steps in plans.steps().items() for step in steps]

    def add() -> None:
        if chosen := st.session_state["_teach_add"]:
            view = plans.slide_of(*chosen)
            if view not in plan.views:
                plans.keep(plan.with_view(view))
            st.session_state["_teach_add"] = None

    with st.container(horizontal=True, vertical_alignment="center", key="teach_add"):
        st.selectbox(
            "Add a slide",
            every,
            index=None,
            placeholder="Add a slide",
            format_func=lambda one: f"{titles[one[0]]}: {plain(indexed(plans.steps()[one[0]][one[1]][0]))}",
            key="_teach_add",
            on_change=add,
            label_visibility="collapsed",
            width=320,
        )
        undone = not st.session_state.get("plans_before")
        st.button(
            "Undo", icon=":material/undo:", type="tertiary", key="teach_undo", disabled=undone, on_click=plans.undo
        )
        if plan.views:
            st.markdown(f"**{plan.minutes} minutes**, {len(plan.views)} {'slides' if len(plan.views) > 1 else 'slide'}")


def draw_row(place: int, view: plans.View) -> None:
    """Draw a slide: what its teacher says of it, whether it asks, what is locked, and where it stands."""
    keys = [f"_teach_{name}_{place}" for name in ("title", "minutes", "note")]
    fields = (view.title, view.minutes, view.note)
    st.session_state.update(zip(keys, fields, strict=True))  # of this view, wherever it has moved to
    told: dict[str, Any] = {"on_change": describe, "args": (place, keys)}
    told["label_visibility"] = "collapsed" if place else "visible"  # the first row has the heads of the columns
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", key=f"teach_view_{place}"):
        st.html(Markup('<div class="course note">{} · {}</div>').format(place + 1, plans.lesson_of(view)), width=76)
        st.text_input("Title", key=keys[0], max_chars=plans.TITLE, width=190, **told)
        st.number_input("Minutes", 0, plans.MINUTES, step=1, key=keys[1], width=64, **told)
        st.text_input("Note, for you", key=keys[2], max_chars=plans.NOTE, width=210, **told)
        if st.button(summary_of(view), key=f"teach_more_{place}", icon=":material/edit:", width=140):
            draw_details(place)
        for icon, label, to in (("arrow_upward", "Move up", place - 1), ("close", "Remove", None)):
            key = f"teach_{label}_{place}".lower().replace(" ", "_")
            look: Any = {"type": "tertiary", "help": label, "disabled": to == -1}
            st.button(f":material/{icon}:", key=key, on_click=move, args=(place, to), **look)


def summary_of(view: plans.View) -> str:
    """Return whether a slide asks, and what is locked on it."""
    own = len(owns_in(view.words.get(f"{view.page}_quiz", "")))
    asks = "ask" in view.step[1] and view.words.get(f"{view.page}_ask") != "no"
    told = f"{own} of your own" if own else "Asks" if asks else "No question"
    locked = ", ".join(plans.label_of(view, name) for name in view.locks)
    return seen(f"{told} · locked: {locked}" if locked else told)


def describe(place: int, keys: Sequence[str]) -> None:
    """Keep what a teacher says of a slide."""
    title, minutes, note = (st.session_state[key] for key in keys)
    replace(place, plans.planned().views[place]._replace(title=title or "", minutes=int(minutes or 0), note=note or ""))


def replace(place: int, view: plans.View) -> None:
    plan = plans.planned()
    plans.keep(plan._replace(views=(*plan.views[:place], view, *plan.views[place + 1 :])))


def move(place: int, to: int | None) -> None:
    """Move a slide to another place in the plan, or out of it."""
    views = list(plans.planned().views)
    view = views.pop(place)
    if to is not None:
        views.insert(to, view)
    plans.keep(plans.planned()._replace(views=tuple(views)))


@st.dialog("Questions and locks of this slide", width="medium", on_dismiss="rerun")
def draw_details(place: int) -> None:
    """Draw what a slide asks, and what students can change on it."""
    view = plans.planned().views[place]
    st.markdown(f"**{plain(plans.name_of(view))}**")
    st.caption(plain(plans.settings_of(view)) or "Default settings")
    word = view.words.get(f"{view.page}_quiz", "")
    owns = owns_in(word)
    if "ask" in view.step[1]:
        key = f"_teach_ask_{place}"
        st.session_state[key] = view.words.get(f"{view.page}_ask") != "no" and not owns
        st.checkbox(
            "Ask the question of the lesson", key=key, on_change=set_word, args=(place, "ask", key), disabled=bool(owns)
        )
    for number, own in enumerate((*owns, OwnQuestion(""))[:MOST]):
        draw_own(place, number, own)
    if len(word) > LONG:
        st.caption("These questions are too long for a class: shorten them.")
    labels = plans.LOCKS | {name: label for name, label in view.step[1].items() if name != "ask"}
    labels |= {name: plans.label_of(view, name) for name in view.locks}
    key = f"_teach_lock_{place}"
    st.session_state[key] = view.locks
    st.multiselect(
        "Locked: students cannot change",
        list(labels),
        format_func=labels.__getitem__,
        key=key,
        on_change=set_word,
        args=(place, "lock", key),
    )
    walks = "They stay on this step." if "step" in view.locks else "They can go to other steps."
    st.caption(f"Students can still change: {', '.join(view.free) or 'nothing'}. {walks}")


def set_word(place: int, name: str, key: str) -> None:
    """Keep what was chosen of a slide as a word of its link."""
    chosen = st.session_state[key]
    word = ".".join(chosen) if name == "lock" else "" if chosen else "no"
    replace(place, plans.planned().views[place].with_word(name, word))


def draw_own(place: int, number: int, own: OwnQuestion) -> None:
    """Draw a question of the teacher's own, or the field for a new one."""
    keys = {name: f"_teach_{name}_{place}_{number}" for name in ("text", "kind", "answers", "right", "off", "why")}
    numbers = [number_in(answer[1:]) for answer in own.answers] if own.kind == NUMBER else [None, None]
    fields = (own.text, own.kind, "\n".join(own.answers), *numbers, own.why)
    st.session_state.update(zip(keys.values(), fields, strict=True))
    told: dict[str, Any] = {"on_change": keep_own, "args": (place, number, keys)}
    with st.container(border=True):
        label = "Another question of your own" if number else "A question of your own"
        st.text_input("Question" if own.text else label, key=keys["text"], max_chars=QUESTION, **told)
        if not own.text:
            return
        st.segmented_control(
            "Answered by", KINDS, key=keys["kind"], required=True, label_visibility="collapsed", **told
        )
        if own.kind == CHOICES:
            label = "Answers, two to four, one a line, with * before the right one"
            st.text_area(label, key=keys["answers"], height=120, max_chars=400, **told)
        elif own.kind == NUMBER:
            with st.container(horizontal=True):
                st.number_input("Right number", value=None, format="%g", key=keys["right"], width=200, **told)
                st.number_input("Right up to ±", 0.0, value=None, format="%g", key=keys["off"], width=200, **told)
        if own.kind == OPEN:
            st.caption("It has no right answer. What students write comes to the wall.")
        else:
            st.text_input("Why, told with the answer", key=keys["why"], max_chars=QUESTION, **told)
        if not question_of(own):
            st.caption(HALF[own.kind])


def keep_own(place: int, number: int, keys: dict[str, str]) -> None:
    """Keep a question as its fields say it; without a text it is removed."""
    text, kind, listed, right, off, why = (st.session_state.get(key) for key in keys.values())
    view = plans.planned().views[place]
    owns = owns_in(view.words.get(f"{view.page}_quiz", ""))
    typed = tuple((listed or "").splitlines()) if not owns[number:] or owns[number].kind == CHOICES else ()
    answers = {NUMBER: (f"={right if right is not None else '?'}", f"±{off or 0}"), OPEN: NO_ANSWER}.get(
        kind or "", typed
    )
    owns[number : number + 1] = [OwnQuestion(text or "", why or "", answers)]
    replace(place, view.with_word("quiz", written(owns)))


def way_into_class() -> None:
    """Offer to try the plan as a student, and to begin with it."""
    plan, member = plans.planned(), st.session_state.get("class_room")
    stage = plans.link_to(plan, lecture="on")
    with st.container(horizontal=True, vertical_alignment="center", key="teach_ways"):
        if plan.views:
            first = plan.views[0]
            link = urljoin(st.context.url or "", address(first.page, first.words | {PLAN: plan.written}))
            st.link_button("Try as a student", link, icon=":material/visibility:", key="teach_try")
        if plan.views and not member:
            st.button("Start with a class", icon=":material/groups:", type="primary", key="teach_start", on_click=start)
        if plan.views:
            lecture_button("Start the lecture" if member else "Start without a class", stage, "teach_lecture")
        if not member:
            st.button("Open a class", type="tertiary", key="teach_class", on_click=open_class)
    if st.session_state.pop("class_starts", False) and member:
        st.html(GO.format(json.dumps(f'"class": ["{member.word}"'), json.dumps(stage)), unsafe_allow_javascript=True)
    if len(plans.link_to(plan, TEACH)) > plans.LONGEST:
        st.caption(
            f"This plan is too long for a link of {plans.LONGEST:,} characters: shorten your notes and questions."
        )


def start() -> None:
    """Open a class; the page then goes to the lecture."""
    open_class()
    st.session_state["class_starts"] = True


def offer_links() -> None:
    """Offer the plan as links: for students, also as homework, and for its teacher."""
    plan = plans.planned()
    if not plan.views:
        st.markdown("Choose a lesson first, or add a slide.")
        return
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
    """Keep whether the plan is an assignment."""
    day = st.session_state["_teach_until"]
    plans.keep(plans.planned()._replace(until=day.isoformat() if day else "", seeds=st.session_state["_teach_seeds"]))
