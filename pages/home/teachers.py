"""For teachers: a plan of lessons as one link, and what to know before class."""

from urllib.parse import urljoin

import streamlit as st
from markupsafe import Markup

from pages.page.controls import address
from pages.page.course import LESSONS, PLAN, Lesson
from pages.page.page import Page
from pages.page.share import plans, ways

ONE = """
**One scene.** Set a lesson as you want your students to see it and press *Share this view* beside it. Choose what they
shall not change or not see, and which question they get. Copy the link, mail it, or show its code to the class. Whoever
opens it has the same numbers, to the last digit.

**Several lessons.** Choose them here in the order in which they shall be taken. A lesson starts as it usually does,
unless you set its scene first and press *Add to my lesson plan* where you share it.
"""
BEFORE = """
**Before class.** On Streamlit Community Cloud an app that nobody has visited for twelve hours sleeps, and the first
visitor waits while it wakes. Open your link ten minutes before the lesson.

**In a course page.** *Share this view* has the lines to paste, under “In a course page, as a frame”.

**On paper.** Print any page from the browser: menu and buttons stay behind, it fits A4, and the paper stays white.

**Without a network.** Start the app on your own computer as the README says; no page asks for anything from elsewhere.
Or keep a view with *Keep this view*: the page as one file opens in every browser.

**Who sees what.** Nobody has an account, and nothing that a student types or answers is kept: it goes with the tab.
"""
MARKS = {"lock": "locked", "hide": "hidden", "ask": "questions"}


def teachers(page: Page) -> None:
    """Draw the teachers' section. Closed, it costs nothing."""
    with st.expander("For teachers", icon=":material/school:", key="home_teachers", on_change="rerun") as expander:
        if expander.open:
            st.markdown(ONE)
            make_plan()
            st.markdown(BEFORE)


def make_plan() -> None:
    """Let a teacher choose lessons in an order, and offer the link of the plan."""
    named = {lesson.title: lesson for lesson in LESSONS}
    titles = {lesson.name: lesson.title for lesson in LESSONS}

    def choose() -> None:
        """Keep the order, and the scenes of the lessons that remain."""
        kept = plans().copy()
        plans().clear()
        plans().update({named[title].name: kept.get(named[title].name, {}) for title in st.session_state["_home_plan"]})

    st.multiselect(
        "Lessons, in this order",
        list(named),
        default=[titles[name] for name in plans()],
        key="_home_plan",
        placeholder="Choose the first",
        on_change=choose,
    )
    if not plans():
        return
    lessons = [lesson for name in plans() for lesson in LESSONS if lesson.name == name]
    link = plan_link(st.context.url or "", lessons)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        scenes = Markup("").join(Markup("<li>{}{}</li>").format(lesson.title, scene(lesson)) for lesson in lessons)
        st.html(Markup('<div class="course"><ol>{}</ol></div>').format(scenes))
        st.code(link, language=None, wrap_lines=True)
    with right:
        ways(link, "A lesson plan", "home_plan")


def plan_link(home: str, lessons: list[Lesson]) -> str:
    """Return the address of the first lesson of a plan, with the order and the scenes of all."""
    words = {PLAN: ".".join(lesson.name for lesson in lessons)}
    for lesson in lessons:
        words |= plans()[lesson.name]
    return address(urljoin(home, lessons[0].name), words)


def scene(lesson: Lesson) -> str:
    """Return a lesson's scene in words."""
    words = {key.removeprefix(f"{lesson.name}_"): value for key, value in plans()[lesson.name].items()}
    said = [f"{MARKS.get(name, name)}: {value.replace('.', ', ')}" for name, value in words.items()]
    return f", as you set it: {'; '.join(said)}" if said else ", as it begins"
