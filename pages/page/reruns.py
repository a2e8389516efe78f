"""What runs again when a student does something: a part of a page, or all of it.

The step in view runs alone, too: what a student does in it draws neither the other settings nor the rest anew. It keeps
what the page had computed and shown before it, and goes on from there. The code and the files of the view are made from
what it computed last. All runs where the rest of the page would be another one: where a control changed that something
else has read, where an answer counts, where the code or the files are open. On the home page, which has no steps, it is
the section on shapes.
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
    """What the page was before its step was drawn, and what the rest of it shows since all of it ran."""

    def __init__(self, page: Canvas, draw: Callable[[], bool]) -> None:
        self.page, self.draw = page, draw
        self.before = page.drawing.copy()
        self.read = frozenset(page.controls.read)
        self.rest: Any = None  # what the rest of the page depends on, once all of it was drawn
        self.problem: DataFileError | None = None
        self.shown = True  # whether no question hides the picture
        page.all_drawn = self.compare_with_this
        fragment(self.run, lambda: page.is_open or self.rest != self.state())
        if self.problem:
            raise self.problem

    def run(self) -> None:
        """Draw the step and what follows it, the first time within a run of all."""
        page, again = self.page, self.rest is not None
        if again:
            page_begins()
            page.drawing = self.before.copy()
        try:
            self.shown = self.draw()
        except DataFileError as problem:  # which the page says, and no part of it
            self.problem = problem
            return
        except StreamlitInvalidLayoutContextError:  # a setting beside the step, which it did not draw before
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
        page, controls, words = self.page, self.page.controls, st.query_params.to_dict()
        known = {name: control.value for name, control in controls.known.items() if name in self.read}
        read = {name: words.get(controls.key(name)) for name in self.read}
        answers = dict(st.session_state.get("answers", {}))
        buttons = bool(controls.changed()), controls.moved(), frozenset(controls.made)
        return known, read, answers, buttons, self.shown, self.problem, page.can_keep
