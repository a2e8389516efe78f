"""A part of a page that runs alone: what a student does there does not draw the rest of the page again."""

from collections.abc import Callable

import streamlit as st

from pages.page.questions.remember import is_news


def alone(draw: Callable[[], None], changes_more: Callable[[], bool] = lambda: False) -> None:
    """Draw what the rest of the page does not depend on: its controls run it alone.

    Before and after such a run all runs if it `changes_more`. What is answered or solved there belongs into the menu
    and into the browser's memory, so then all runs too.
    """
    drawn = False

    def part() -> None:
        nonlocal drawn
        if drawn and (is_news() or changes_more()):
            st.rerun()
        draw()
        if drawn and (is_news() or changes_more()):
            st.rerun()
        drawn = True

    st.fragment(part)()
