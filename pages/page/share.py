"""Sharing a view: its link with what students cannot change or see, as text, QR code, mail and frame."""

import re
from collections.abc import Sequence
from html import unescape

import streamlit as st
from markupsafe import Markup

from pages.links.address import address
from pages.links.course import HOME, LATER, NUMBERS, WALKING
from pages.page.fields.controls import Controls
from pages.page.remember import is_news, last_visited
from pages.questions.kinds import Question
from pages.teaching.lecture import lecture_button, ways
from pages.teaching.plan import LONGEST, USUAL_MINUTES, View, keep, link_to, name_of, planned, view_of

PARTS = {"code": "Code behind this view", "keep": "Download", "presets": "Examples"}
KEY = (
    "This is what the step asks first. Students who press “Another question” get others. Lock a control, "
    "and your link opens without this box. But this is no exam: anyone who edits the address can still see the answers."
)
TAG = re.compile("<[^<>]+>")
ALL, NONE, ONE = "all of this step", "none", "only “{}”"


@st.dialog("Share this view", width="large")
def share(title: str, controls: Controls, asked: Sequence[Question], keys: Sequence[Question]) -> None:
    """Draw the dialog that makes the link of a view; the keys are the questions as this link opens with them."""
    page = controls.page
    labels = {name: control.label for name, control in controls.made.items() if name not in ("ask", "quiz", LATER)}
    settings = {name: label for name, label in labels.items() if name not in ("step", "exercise")}  # so that Next works
    left, right = st.columns([1.5, 1], gap="medium")
    with left:
        model = " A model of your own is not part of it." * ("model" in labels)
        st.markdown(f"Everyone who opens this link sees these numbers, until they change what is not locked.{model}")
        place = st.container()
        if st.checkbox("Lock all settings, but not the steps", key=f"_{page}_fixed"):
            locks = [NUMBERS]
        else:
            locks = choose(page, "lock", "Locked: students cannot change", settings)
            if free := [label for name, label in labels.items() if name not in {*locks, *WALKING} and locks]:
                st.caption(f"Students can still change: {', '.join(free)}.")
        if "step" in labels and st.checkbox("Students stay on this step", key=f"_{page}_stay"):
            locks = [*locks, "step"]
        hides = choose(page, "hide", "Not shown to students", labels | (PARTS if page != HOME else {}))
        marks = {}
        if asked:
            questions = {ALL: "first", NONE: "no"}
            questions |= {ONE.format(short(question.text)): question.name for question in asked}
            which = st.selectbox("Questions asked", list(questions), key=f"_{page}_ask")
            marks = {"ask": questions[which]} if which != ALL else {}
            if not controls.fixed | controls.hidden:  # who opened a link with locks is a student, and gets no key
                told = [key for key in keys if which == ALL or key.name == questions[which]]
                if told and st.checkbox("Show the answers", key=f"_{page}_key"):
                    item = Markup("<li>{}<p>{}</p></li>")
                    every = Markup("").join(item.format(Markup(key.text), key.told) for key in told)  # noqa: S704  escaped
                    st.html(Markup('<div class="course"><ol>{}</ol></div>').format(every))
                    st.caption(KEY)
    query = controls.query(locks, hides, **marks)
    own = f"{page}_quiz"  # its answers are for the lecture alone
    link = address(st.context.url or "", {key: word for key, word in query.items() if key != own})
    stage = controls.link(locks, hides, **marks)
    with place:
        st.code(link, language=None, wrap_lines=True)
    with right:
        ways(link, title, f"{page}_link")
        lecture_button("Lecture view", f"{stage}{'&' if '?' in stage else '?'}lecture=on", f"{page}_lecture")
        if page != HOME:
            offer_plan(page, view_of(page, query))
    with st.expander("In a course page, as a frame"):
        st.code(frame(link, title), language="html", wrap_lines=True)


def choose(page: str, word: str, label: str, labels: dict[str, str]) -> list[str]:
    return st.multiselect(label, list(labels), format_func=labels.__getitem__, key=f"_{page}_{word}")


def offer_plan(page: str, view: str) -> None:
    """Let a teacher add a view to the plan or put it in place of another, or say why not."""
    plan, visited = planned(), last_visited()
    titled = View(view, visited[2] if visited and visited[0] == page else "", USUAL_MINUTES)
    kept = [place for place, one in enumerate(plan.views) if one.link == view]
    instead = None
    if plan.views and not kept:
        instead = st.selectbox(
            "In my lesson plan",
            [None, *range(len(plan.views))],
            format_func=lambda place: "at its end" if place is None else f"in place of {name_of(plan.views[place])}",
            key=f"_{page}_plan_place",
        )
    longer = plan.with_view(titled, instead)
    length = len(link_to(longer))
    full = length > LONGEST
    label, disabled = "Add to my lesson plan", bool(kept) or full
    st.button(label, key=f"_{page}_plan", disabled=disabled, on_click=keep, args=(longer,))
    if is_news():  # the browser keeps the plan too, and is told by a run of the whole page
        st.rerun()
    if kept:
        place = kept[0] + 1
        st.caption(f"This is slide {place} of your plan, which is under “Teach” in the menu.")
    elif full:
        st.caption(
            f"This view does not fit into your plan. The link of a plan has at most {LONGEST:,} characters, and would "
            f"have {length:,}."
        )


def frame(link: str, title: str) -> Markup:
    return Markup('<iframe src="{}" title="{}" width="100%" height="900" style="border:0"></iframe>').format(
        link + ("&" if "?" in link else "?") + "embed=true", title
    )


def short(text: str) -> str:
    """Return the beginning of a question without its markup."""
    words = unescape(TAG.sub("", text)).split()
    return " ".join(words[:9]) + (" …" if len(words) > 9 else "")
