"""For teachers: a plan of views as one link, and what to know before class."""

import streamlit as st
from markupsafe import Markup

from pages.look.html import seen
from pages.page.links.plan import link_to, name_of, planned
from pages.page.links.share import ways

ONE = """
**One view.** Set up a lesson as you want your students to see it, and press *Share this view* beside it. Choose which
controls students can see and change, and which question they get. Copy the link, send it by mail, or show its QR code.
Everyone who opens it begins with exactly the same numbers. *Show the key* gives you the answers to the questions of the
step.

**Several views.** In each, press *Share this view* and then *Add to my lesson plan*. They are listed here, and the plan
has one link. It opens this page with all of them. Open it again to change your plan.
"""
CLASS = """
**A class that answers.** *Open a class* gives you a word of four letters or digits, a link and a QR code. Your
students need no account and no name. In a class an answer is sent, and its question stays open. You see how many have
answered, show how, and let them vote again. *Reveal* tells the right answer, and each mistake with its count. Your
students’ pages say where you are, and follow if you like.
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


def teachers() -> None:
    """Draw the teachers' section. Closed, it costs nothing."""
    with st.expander("For teachers", icon=":material/school:", key="home_teachers", on_change="rerun") as expander:
        if expander.open:
            if "class_room" not in st.session_state:
                st.button("Open a class", key="home_class", on_click=open_class)
            st.markdown(CLASS + ONE)
            change_plan()
            st.markdown(BEFORE)


def open_class() -> None:
    from pages.class_room.attend import begin_class  # what a class needs is loaded with the first one

    begin_class()


def change_plan() -> None:
    """List the views of the plan with their settings, let a teacher order and remove them, and offer their link."""
    views = planned()
    for place, view in enumerate(views):
        name, settings = (seen(text) for text in name_of(view))
        with st.container(horizontal=True, vertical_alignment="center"):
            line = Markup('<div class="course">{}. {} <span class="soft">{}</span></div>')
            st.html(line.format(place + 1, name, settings or "no settings"))
            for label, to in (("Move up", place - 1), ("Remove", None)):
                key = f"_home_{label}_{place}"
                st.button(label, key=key, type="tertiary", disabled=to == -1, on_click=move, args=(view, to))
    if views:
        left, right = st.columns([2, 1], gap="medium")
        with left:
            st.code(link_to(*views), language=None, wrap_lines=True)
        with right:
            ways(link_to(*views), "A lesson plan", "home_plan")


def move(view: str, to: int | None) -> None:
    """Move a view to another place in the plan, or out of it."""
    planned().remove(view)
    if to is not None:
        planned().insert(to, view)
