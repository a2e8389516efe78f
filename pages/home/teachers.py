"""For teachers: a plan of lessons as one link, and what to know before class."""

from urllib.parse import urljoin

import streamlit as st
from markupsafe import Markup

from pages.page.address import address
from pages.page.course import LESSONS, PLAN, Lesson
from pages.page.share import plans, ways

ONE = """
**One view.** Set up a lesson as you want your students to see it, and press *Share this view* beside it. Choose which
controls students can see and change, and which question they get. Copy the link, send it by mail, or show its QR code.
Everyone who opens it sees exactly the same numbers. *Show the key* gives you the answers to the questions of the step.

**Several lessons.** Choose them here, in the order of your course. A lesson starts with its defaults, unless you first
set it up, press *Share this view* and choose *Add to my lesson plan*.
"""
BEFORE = """
**Before class.** On Streamlit Community Cloud an app sleeps after twelve hours without a visitor, and the next visitor
waits while it wakes. Open your link ten minutes before the lesson.

**In a course page.** *Share this view* has the lines to paste under “In a course page, as a frame”.

**On paper.** Print any page from the browser. It fits A4, on white paper, without menu and buttons.

**Without a network.** Start the app on your own computer as the README says: pages load nothing from other sites. Or
press *Download* under a view, which makes one file that opens in every browser.

**Who sees what.** There are no accounts. What a student types or answers is lost when the tab is closed.
"""
MARKS = {"lock": "locked", "hide": "hidden", "ask": "questions"}


def teachers() -> None:
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
        placeholder="Choose a lesson",
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
    return f", with your settings: {'; '.join(said)}" if said else ", with its defaults"
