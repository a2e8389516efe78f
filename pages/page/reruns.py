"""What runs again when a student does something: a part of a page, or all of it.

The step in view is a part, with the settings that its picture depends on: a change of either draws both anew, and
nothing else. All runs where the rest of the page would be another one: where an answer counts, where the sentence
changed that the menu carries on, where the code or the files are open.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitInvalidLayoutContextError

from attention_core.data_files import DataFileError
from pages.page.canvas import Canvas
from pages.server.give_way import page_begins, page_ends


def fragment(draw: Callable[[], None], changes_more: Callable[[], bool] = lambda: False) -> None:
    """Draw what the rest of the page does not depend on: its controls run it alone.

    Before and after such a run all runs if it `changes_more`: what is answered or solved there belongs into the menu
    and into the browser's memory.
    """
    drawn = False

    def part() -> None:
        nonlocal drawn
        if drawn and changes_more():
            st.rerun()
        draw()
        if drawn and changes_more():
            st.rerun()
        drawn = True

    st.fragment(part)()


class InView:
    """The step in view with its settings: what the page was before them, and on what the rest of the page depends."""

    def __init__(self, page: Canvas, draw: Callable[[], bool]) -> None:
        self.page, self.draw = page, draw
        self.before, self.made = page.drawing.copy(), dict(page.controls.made)
        self.rest: Any = None  # what the rest of the page depends on, once all of it was drawn
        self.problem: DataFileError | None = None
        self.shown = True  # whether no question hides the picture
        page.all_drawn = self.compare_with_this
        fragment(self.run, lambda: page.is_open or self.rest != self.state())
        if self.problem:
            raise self.problem

    def run(self) -> None:
        """Draw the settings and the step, the first time within a run of all."""
        page, again = self.page, self.rest is not None
        if again:
            page_begins()
            page.drawing, page.controls.made = self.before.copy(), dict(self.made)
        try:
            self.shown = self.draw()
        except DataFileError as problem:  # which the page says, and no part of it
            self.problem = problem
            return
        except StreamlitInvalidLayoutContextError:  # a setting where there was none before
            if not again:
                raise
            st.rerun()
        if again:
            page.view = page.drawing
            page.controls.keep_link()
            page_ends()

    def compare_with_this(self) -> None:
        """Note what the rest of the page depended on when all of it was drawn."""
        self.rest = self.state()

    def state(self) -> Any:
        """Return what the rest of the page depends on and a step can change."""
        controls = self.page.controls
        sentence = text.value if (text := controls.known.get("text")) else None
        answers, fixed = dict(st.session_state.get("answers", {})), controls.locked & controls.made.keys()
        return sentence, answers, fixed, self.shown, self.problem, self.page.can_keep
