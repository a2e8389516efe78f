"""The frame of every page: its head and menu, what it shows, and at its end the code, the files and the link."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAPIException

from attention_core.data_files import DataFileError
from attention_core.text.characters import beginning
from pages.links.course import CONSOLE, COURSE, ENTRY, EXAMPLES, HOME, LESSONS, TEACH, TEACHING, Lesson, with_course
from pages.look.html import seen
from pages.look.style import STYLE, hiding
from pages.page.ask import OUTCOMES, outcomes
from pages.page.canvas import Canvas, Drawing
from pages.page.carried import mend_link, queries
from pages.page.downloads import offer_files, show_code
from pages.page.fields.controls import Controls
from pages.page.fields.pills import pills
from pages.page.remember import is_news, remember
from pages.page.reruns import fragment
from pages.page.share import share
from pages.server.process import collect_and_freeze, is_full, one_pool, raise_limit
from pages.server.streamlit_private import sweep_seldom
from pages.teaching.lecture import draw_stage, on_stage
from pages.teaching.plan import show_plan

Ways = dict[str, dict[str, str]]  # the words of the link to each page

CLASS = ("class_room", "class_found", "class_waits", "class_problem", "class_again", "class_record")  # session keys
FORGETS = "This browser lets the page keep nothing here, so a reload loses your answers."
MARK = str(Path(__file__).parents[1] / "look" / "mark.svg")


class Page(Canvas):
    """A canvas with what stands around it."""

    def __init__(self, name: str, title: str, words: Sequence[str] = ()) -> None:
        super().__init__(name, Controls(name, words))
        self.title = title
        with st.sidebar:
            self.menu = st.container(gap="xxsmall")
            self.share = st.container(gap="xsmall")
            self.sidebar = st.container()
        self.main = st.container(width=1080)
        self.fields = self.main
        self.after_step: DeltaGenerator | None = None  # the container for the link to the next lesson
        with self.main:
            self.notices = st.container()

    @property
    @contextmanager
    def body(self) -> Iterator[None]:
        """The middle of the page. Where a data file of the course is unreadable, it says so and stops the page."""
        try:
            with self.main:
                yield
        except DataFileError as problem:
            logging.getLogger(__name__).error("a page cannot be shown: %s (%s)", problem, problem.__cause__)
            with self.main:
                self.say(
                    "This needs a file of the course: {problem}. Install the course again to restore it. Until then, "
                    "try other settings or another lesson.",
                    problem=str(problem),
                )
            self.drawing = Drawing()
            self.finish()
            st.stop()

    def offer_examples(self) -> None:
        """Offer scenes that set several controls at once, from the page's defaults; none that sets what is locked."""
        examples, locked = EXAMPLES[self.name], self.controls.locked
        offered = {label: values for label, values in examples.items() if not locked & values.keys()}

        def show(values: dict[str, Any] | None) -> None:
            if values:
                self.controls.clear(**values)

        if offered:
            with self.sidebar:
                pills("Examples", offered, show, f"{self.name}_presets")

    def finish(self, then: Callable[["Page"], None] | None = None) -> None:
        """Draw the end of the page, then the menu, whose links carry the final values of the controls."""
        self.view = self.drawing
        with self.body:
            if self.can_keep:
                fragment(self.offer_view)
            if then and not self.controls.hidden & {"exercise", "practice"}:
                with st.container(key=f"{self.name}_practice"):
                    fragment(partial(then, self), is_news)
            ways = queries(self.controls)
            self.lead_on(ways)
        with self.share:
            self.offer_link()
        self.close(ways)

    def close(self, ways: Ways) -> None:
        """Draw what each page ends with: what the browser keeps, what was refused, and the menu."""
        with self.notices:
            self.say_what_was_refused()
        with self.main:
            remember()
        with self.menu:
            self.draw_menu(ways)
        self.drawn_from = self.surroundings()
        self.drawing, self.makers = Drawing(), {}  # which only this run needs: what runs alone keeps the page

    def offer_view(self) -> None:
        """Draw the code and the files of what was computed last."""
        if "code" not in self.controls.hidden:
            show_code(self.name, self.view.recipe, self.view.number)
        if "keep" not in self.controls.hidden:
            offer_files(self.title, self.controls, self.view)

    def say_what_was_refused(self) -> None:
        """List the locked controls and the refused parts of the link; on paper, print the link."""
        note = Markup('<div class="course note {}">{}</div>')
        st.html(note.format("printed", self.controls.link()) + note.format("forgets", FORGETS))
        fixed = self.controls.locked - self.controls.hidden
        locked = [control.label for name, control in self.controls.made.items() if name in fixed]
        if locked:
            st.html(note.format("", f"Set by your teacher: {', '.join(locked)}."))
        if refused := self.controls.refused:
            part = Markup("{}=<bdi>{}</bdi>")
            parts = Markup(", ").join(part.format(key, seen(beginning(raw, 40))) for key, raw in refused.items())
            text = Markup("Part of the link could not be used, so the page shows its default instead: {}.")
            st.html(note.format("", text.format(parts)))

    def offer_link(self) -> None:
        fragment(self.offer_sharing)
        told = "Back to how this page was opened, and from there to its defaults. The step stays"
        look: Any = {"icon": ":material/restart_alt:", "type": "tertiary", "help": told}
        st.button("Reset", f"{self.name}_reset", on_click=self.controls.reset, **look)
        if on_stage() and "class_room" not in st.session_state:
            st.button("Open a class", type="tertiary", key="class_begin", on_click=open_class, args=(True,))

    def offer_sharing(self) -> None:
        if st.button("Share this view", icon=":material/link:", type="tertiary", key=f"{self.name}_share"):
            share(self.title, self.controls, self.view.asked, [self.key_to(question) for question in self.view.asked])

    def lead_on(self, ways: Ways) -> None:
        names = [lesson.name for lesson in LESSONS]
        following = LESSONS[names.index(self.name) + 1 :] if self.name in names else ()
        if following and self.after_step:
            key = f"{self.name}_way_on"
            with self.after_step, st.container(key=key, width="content"), suppress(StreamlitAPIException):
                self.link_to(following[0], f"Next lesson: **{following[0].title}**", ways)

    def draw_menu(self, ways: Ways) -> None:
        """Draw the menu. Its links carry this page's sentence, and each page's last state."""
        with suppress(StreamlitAPIException):  # a page that is run alone has no other pages to link to
            st.page_link(ENTRY, label=f"**{COURSE}**", icon=":material/home:", query_params=ways[HOME])
            for lesson in LESSONS:
                done, asked = outcomes(lesson.name, lesson.questions), len(lesson.questions)
                mark = " :green[:material/check:]" if len(done) == asked else f" :gray[:small[ {len(done)} of {asked}]]"
                self.link_to(lesson, lesson.title + (mark if done else ""), ways, how_answered(done))
            st.page_link(TEACHING, label="Teach", icon=":material/school:", query_params=ways[TEACH])
        if self.name not in (HOME, TEACH):  # which show the plan in their middle
            show_plan(self.name)

    def link_to(self, lesson: Lesson, label: str, ways: Ways, tip: str | None = None) -> None:
        st.page_link(lesson.file, label=label, icon=lesson.icon, query_params=ways[lesson.name], help=tip)


def open_class(goes_on: bool = False) -> None:
    """Open a class; where a lecture may go on, come back into the one that was left open, as after a crash."""
    from pages.class_room import attend  # loaded with the first class, and not with each page

    if goes_on and attend.left_open():
        attend.come_back(st.session_state.pop("class_left"))
    else:
        attend.begin_class()


def how_answered(done: Sequence[str]) -> str | None:
    """Return how many questions came out in each way, or None without any."""
    counted = [f"{done.count(outcome)} {outcome}" for outcome in OUTCOMES if outcome in done]
    return f"Questions: {', '.join(counted)}" if done else None


def begin(name: str, title: str, *words: str) -> Page:
    """Begin a page, whose links say these words of their own, each for a control."""
    raise_limit()
    if "admitted" not in st.session_state and is_full():
        st.title("Too many pages are open", anchor=False)
        st.markdown("This server is full now. Please load this page again in a minute.")
        st.stop()
    st.session_state["admitted"] = True
    mend_link()
    one_pool()
    sweep_seldom()
    if name != HOME:
        collect_and_freeze()
    st.set_page_config(
        page_title=with_course(title),
        page_icon=MARK,
        layout="wide",
        initial_sidebar_state="collapsed" if st.context.is_embedded else 320,
    )
    draw_stage()
    st.logo(MARK, size="large")
    page = Page(name, title, words)
    st.html(f"<style>{STYLE}</style>")
    if name == HOME and CONSOLE in st.query_params:
        from pages.class_room.console import draw_console

        draw_console(page, remember)
    if {"class", "teach"} & page.controls.given.keys() or any(key in st.session_state for key in CLASS):
        from pages.class_room.attend import attend  # without a class it is never loaded

        attend(page)
    if page.controls.hidden:
        with page.notices:  # HTML needs a script of Streamlit, and what is hidden would be seen until it comes
            st.markdown(f"<style>{hiding(name, page.controls.hidden)}</style>", unsafe_allow_html=True)
    return page
