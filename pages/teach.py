"""Teach: a ready lesson or slides of one's own, their plan as a table, and the way into class."""

import streamlit as st

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from pages.home.quiz import offer_questions
from pages.home.teach import BEFORE, change_plan, choose_lesson, offer_links, offer_what_is_left, way_into_class
from pages.links.course import TEACH
from pages.page.carried import queries
from pages.page.page import begin
from pages.practice.hand_in_panel import check_hand_ins
from pages.teaching.plan import keep_in_address, planned

page = begin(TEACH, "Teach")
with page.body:
    st.title("Teach", anchor=False)
    st.markdown(
        "Students join by a code. *The class*, below a slide, opens [your console](./?console=on), also after a crash."
    )
    keep_in_address(planned())
    another = offer_what_is_left()
    choose_lesson()
    way_into_class(another)
    change_plan()
    if planned().views:
        page.look_closer("Links for students, homework, and your own link", offer_links)
    page.look_closer("Check hand-ins", check_hand_ins)
    page.look_closer("Questions for the page of your course: GIFT, Moodle", offer_questions)
    page.look_closer("Before class, and who sees what", lambda: st.markdown(BEFORE))
page.close(queries(page.controls))
