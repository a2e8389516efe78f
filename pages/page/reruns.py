"""What runs again when a student does something: a part of a page, or all of it.

What a student does in a step draws the step alone; a setting draws it and what follows from the settings. All runs
where the rest of the page would be another one: an answer counts, the menu carries another sentence, code or files are
open, or a control changed that the settings have read.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from attention_core.data_files import DataFileError
from pages.page.canvas import Canvas
from pages.server.streamlit_private import NewWidget


def fragment(draw: Callable[[], None], changes_more: Callable[[], bool] = lambda: False) -> None:
    """Draw what the rest of the page does not depend on: its controls run it alone.

    Before and after such a run all runs if it `changes_more`: the menu and the browser's memory have it too.
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


class Part:
    """A part of a page that runs alone: it first sets the page back to what stood there before this part."""

    def __init__(self, page: Canvas, draw: Callable[[], object]) -> None:
        self.page, self.draw, self.drawn = page, draw, False
        self.before, self.made = page.drawing.copy(), dict(page.controls.made)
        self.read = frozenset(page.controls.read)  # controls that were read before this part
        self.drawn_from = self.values()
        self.problem: DataFileError | None = None
        fragment(self.run, lambda: page.must_run_whole() or self.drawn_from != self.values())
        if self.problem:
            raise self.problem

    def values(self) -> dict[str, Any]:
        return {name: control.value for name, control in self.page.controls.known.items() if name in self.read}

    def run(self) -> None:
        """Draw the part, the first time within a run of more."""
        page, again = self.page, self.drawn
        if again:
            page.drawing, page.controls.made = self.before.copy(), dict(self.made)
        try:
            self.draw()
        except DataFileError as problem:  # the page says it, as a part alone cannot
            if again:
                st.rerun()
            self.problem = problem
            return
        except NewWidget:  # a setting is to be drawn that was not there before
            if page.drawn_from is None:  # the whole page runs, so something else is wrong
                raise
            st.rerun()
        self.drawn = True
        if again:
            page.view = page.drawing
            page.controls.keep_link()
