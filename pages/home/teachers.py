"""For teachers: a plan of views as one link, and what to know before class."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import streamlit as st
from markupsafe import Markup

from pages.links.course import LESSONS
from pages.look.html import seen
from pages.page.page import open_class
from pages.page.share import lecture_button, ways
from pages.practice.hand_in_panel import check_hand_ins
from pages.teaching import plan as plans
from pages.teaching.own import ANSWER, ANSWERS, QUESTION, lines_in, question_in, written

ONE = """
**One view.** Set up a lesson as you want your students to see it, and press *Share this view* beside it. Choose which
controls students can see and change, and which question they get. Copy the link, send it by mail, or show its QR code.
Everyone begins with the same numbers. *Show the key* gives you the answers to the questions of the step.

**Several views.** In each, press *Share this view* and then *Add to my lesson plan*. They are listed here. Give them a
title, minutes, a note, or a question of your own. All of this is in the link of the plan: open it to change the plan.

**Lecture.** *Start the lecture* shows the views of your plan one by one, as large as the screen. Page Down and Page Up
(or a presenter’s clicker) go through them. N shows your note, S the settings, and Q the QR code of the view. F fills
the screen, and B makes it black. Open your class first, or press C there, and each question is a vote.
"""
READY_PLANS = Markup("<b>Teach a lesson in 20 minutes</b>, with a plan that you can change:")
CLASS = """
**A class that answers.** *Open a class* gives you a word of four letters or digits, a link and a QR code. Your
students need no account and no name. In a class an answer is sent, and its question stays open. You see how many have
answered, show how, and let them vote again. *Reveal* tells the right answer, and each mistake with its count. With *Ask
again at the end* students vote at the start and at the end, and you see what has changed. The *Wall* shows what they
send of the view: their sentences, numbers and programs. Their pages say where you are, and follow if you like.
"""
BEFORE = """
**Before class.** On Streamlit Community Cloud an app sleeps after twelve hours without a visitor, and the next visitor
waits while it wakes. Open your link ten minutes before the lesson.

**On paper.** Print any page from the browser. It fits A4, on white paper, without menu and buttons.

**Without a network.** Start the app on your own computer as the README says: pages load nothing from other sites. Or
open *Download* under a view, and press *Page* for one file that opens in every browser.

**Who sees what.** There are no accounts. Outside a class, what a student types or answers is lost when the tab is
closed.
"""


def teachers() -> None:
    """Draw the teachers' section. Closed, it costs nothing."""
    with st.expander("For teachers", icon=":material/school:", key="home_teachers", on_change="rerun") as expander:
        if expander.open:
            if "class_room" not in st.session_state:
                st.button("Open a class", key="home_class", on_click=open_class)
            st.markdown(CLASS + ONE)
            link = Markup('<a href="{}" target="_self">{}</a>')  # no other tab has the key of a class
            links = (link.format(plans.link_to(plans.ready(f"teach-{one.name}")), one.title) for one in LESSONS)
            st.html(Markup('<div class="course">{} {}.</div>').format(READY_PLANS, Markup(", ").join(links)))
            change_plan()
            check_hand_ins()
            st.markdown(BEFORE)


def change_plan() -> None:
    """Let a teacher order, describe and remove the views of the plan, and offer its link."""
    plan = plans.planned()
    for place, view in enumerate(plan.views):
        with st.container(border=True, key=f"home_view_{place}"):
            draw_view(plan, place, view)
    if removed := st.session_state.get("plan_removed"):
        place, view = removed
        st.button(f"Put back {plans.name_of(view)}", key="_home_back", on_click=move, args=(None, place))
    if not plan.views:
        return
    st.markdown(f"**{plan.minutes} minutes** in {len(plan.views)} {'views' if len(plan.views) > 1 else 'view'}.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        day = date.fromisoformat(plan.until) if plan.until else None
        st.session_state.update({"_home_until": day, "_home_seeds": plan.seeds})
        st.date_input("An assignment for home, until", key="_home_until", on_change=assign, width=240)
        st.checkbox("Each student has a seed of their own", key="_home_seeds", on_change=assign)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        st.code(plans.link_to(plan), language=None, wrap_lines=True)
    with right:
        lecture_button("Start the lecture", plans.link_to(plan, lecture="on"), "home_lecture")
        ways(plans.link_to(plan), "A lesson plan", "home_plan")


def draw_view(plan: plans.Plan, place: int, view: plans.View) -> None:
    """Draw one view of the plan: what it sets, and fields for what its teacher says and asks."""
    with st.container(horizontal=True, vertical_alignment="center"):
        line = Markup('<div class="course">{}. <b>{}</b> <span class="soft">{}</span></div>')
        st.html(line.format(place + 1, plans.lesson_of(view), seen(plans.settings_of(view)) or "default settings"))
        for label, to in (("Move up", place - 1), ("Remove", None)):
            key = f"_home_{label}_{place}"
            st.button(label, key=key, type="tertiary", disabled=to == -1, on_click=move, args=(place, to))
    text, why, *answers = lines_in(view.words.get(f"{view.page}_quiz", ""))
    listed = "\n".join(answers)
    fields = (view.title, view.minutes, view.note, text, listed, why)
    keys = [f"_home_{name}_{place}" for name in ("title", "minutes", "note", "text", "answers", "why")]
    st.session_state.update(zip(keys, fields, strict=True))  # of this view, wherever it has moved to
    told: dict[str, Any] = {"on_change": describe, "args": (place, keys)}
    with st.container(horizontal=True):
        st.text_input("Title", key=keys[0], max_chars=plans.TITLE, width=320, **told)
        st.number_input("Minutes", 0, plans.MINUTES, step=1, key=keys[1], width=120, **told)
    st.text_area("Note", key=keys[2], max_chars=plans.NOTE, height=80, **told)
    with st.expander("A question of my own", expanded=any(fields[3:])):  # so that it moves with its view
        st.text_input("Question", key=keys[3], max_chars=QUESTION, **told)
        label = "Answers, two to four, one a line, with * before the right one"
        st.text_area(label, key=keys[4], max_chars=ANSWERS * (ANSWER + 2), height=120, **told)
        st.text_input("Why", key=keys[5], max_chars=QUESTION, **told)
        if any(fields[3:]) and not question_in(written(text, why, listed)):
            st.caption("It is not asked yet: it needs a question, and two to four different answers, one with a *.")


def describe(place: int, keys: Sequence[str]) -> None:
    """Keep what a teacher says of a view."""
    plan, (title, minutes, note, text, answers, why) = plans.planned(), (st.session_state[key] for key in keys)
    view = plan.views[place]._replace(title=title or "", minutes=int(minutes or 0), note=note or "")
    view = view.with_word("quiz", written(text or "", why or "", answers or ""))
    plans.keep(plan._replace(views=(*plan.views[:place], view, *plan.views[place + 1 :])))


def assign() -> None:
    """Keep whether the plan is an assignment."""
    day = st.session_state["_home_until"]
    plans.keep(plans.planned()._replace(until=day.isoformat() if day else "", seeds=st.session_state["_home_seeds"]))


def move(place: int | None, to: int | None) -> None:
    """Move a view to another place in the plan, out of it, or back into it."""
    views = list(plans.planned().views)
    view = st.session_state.pop("plan_removed")[1] if place is None else views.pop(place)
    if to is None:
        st.session_state["plan_removed"] = place, view
    else:
        views.insert(to, view)
    plans.keep(plans.planned()._replace(views=tuple(views)))
