"""Teach: a ready lesson or slides of one's own, their plan as a table, and the way into class."""

import streamlit as st

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from pages.home.teach import change_plan, choose_lesson, offer_links, say_before, way_into_class
from pages.links.course import TEACH
from pages.page.links import queries
from pages.page.page import begin
from pages.practice.hand_in_panel import check_hand_ins
from pages.teaching.plan import keep_in_address, planned, say_what_is_lost

FOLDS = {
    "Links for students, homework, and your own link": offer_links,
    "Check hand-ins": check_hand_ins,
    "Before class, and who sees what": say_before,
}

page = begin(TEACH, "Teach")
with page.body:
    st.title("Teach", anchor=False)
    keep_in_address(planned())
    say_what_is_lost()
    choose_lesson()
    change_plan()
    way_into_class()
    for label, draw in FOLDS.items():
        with st.expander(label, key=f"teach_{draw.__name__}", on_change="rerun") as fold:  # closed, it costs nothing
            if fold.open:
                draw()
page.close(queries(page.controls))
