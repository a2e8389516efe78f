"""A part of a page that runs by itself: what a student does there does not compute the rest of the page again."""

from collections.abc import Callable

import streamlit as st

from pages.page.remember import is_news


def apart(draw: Callable[[], None]) -> None:
    """Draw what the rest of the page does not depend on: its controls run it alone.

    What is answered or solved there belongs into the menu and into the browser's memory, so then all runs.
    """
    drawn = False

    def part() -> None:
        nonlocal drawn
        draw()
        if drawn and is_news():
            st.rerun()
        drawn = True

    st.fragment(part)()
