"""A lesson in steps: a picture of all to jump along, Back and Next to walk, and the step in view.

A step is a module, named as its word in the link. It holds `STEP`, what the step says; `draw`, which draws it; and
`thumbnail`, its small picture among all.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol

import streamlit as st
from markupsafe import Markup
from streamlit.errors import StreamlitAPIException

from attention_core.data_files import DataFileError
from pages.look.glossary import introduce
from pages.look.html import plain
from pages.look.transformer import transformer
from pages.page.frame.flow import CHAIN, Flow, Node, draw_flow
from pages.page.links.course import LESSONS
from pages.page.links.link import queries
from pages.page.page import Page
from pages.page.reruns import InView

View = Callable[..., bool | None]  # it draws, and returns False while a question stands before what it shows


class Step(NamedTuple):
    """What a step says: the label under its thumbnail, what it claims, and the text under the claim.

    Where these would answer its question, the claim is another one while the question is open, and the text is shorter.
    """

    label: str
    claim: str
    text: str
    sees_ahead: bool = True  # whether its scene holds the numbers of the steps after it
    asks: str = ""  # the claim while the question is open
    then: str = ""  # what follows the text after the answer
    runs_alone: bool = True  # whether what is done in the step, but for its controls, leaves the settings as they are
    words: str = ""  # of a link, for the controls that this step alone draws, but for:
    view: str = ""  # that for the one of its views that it shows
    views: Mapping[str, View] = MappingProxyType({})

    @property
    def full_text(self) -> str:
        """The text as it stands after the answer."""
        return f"{self.text} {self.then}".strip()

    @property
    def link_words(self) -> str:
        """All words of a link for the controls that this step alone draws."""
        return f"{self.words} {self.view}"

    def choose_view(self, page: Page, label: str = "Look at", **options: Any) -> View:
        """Draw the names of the views, and return the function that draws the chosen one."""
        return self.views[page.controls.choice(self.view, label, tuple(self.views), next(iter(self.views)), **options)]


class StepModule(Protocol):
    __name__: str
    STEP: Step

    def draw(self, page: Page, scene: Any, /) -> bool | None:
        """Draw the step; return False while a question stands before what it shows."""

    def thumbnail(self, scene: Any, /) -> Markup:
        """Return the small picture of the step, drawn from the numbers of the scene."""


class Steps:
    """The steps of a lesson, and the one in view; `page.fields` is the row beside Back and Next."""

    def __init__(self, page: Page, steps: Sequence[StepModule], flow: Flow = CHAIN) -> None:
        self.page, self.steps, self.flow = page, steps, flow
        self.names = [step.__name__.rpartition(".")[2] for step in steps]
        self.name = page.controls.place("step", "Step", self.names, self.names[0])
        self.place = self.names.index(self.name)
        self.current = steps[self.place]
        with page.body:
            self.head = st.container(key=f"{page.name}_title_{self.name}")  # by which the browser knows the step
            if not self.waits:
                self.write_head()
            self.strip = st.container()
            with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="right"):
                page.fields = st.container(horizontal=True, vertical_alignment="bottom", key=f"{page.name}_fields")
                self.walk()
            self.notes = st.container()  # also when it is empty, so that what follows keeps its place

    @property
    def waits(self) -> bool:
        """Whether the claim and the text depend on the question of the step, so that they are written after it."""
        return bool(self.current.STEP.asks or self.current.STEP.then)

    def write_head(self, answered: bool = True) -> None:
        """Write the claim and the text of the step, before whatever else it has shown."""
        said, before = self.current.STEP, tuple(step.STEP.full_text for step in self.steps[: self.place])
        claim = said.claim if answered else said.asks or said.claim
        with self.head:
            self.page.title_and_text(claim, introduce(said.full_text if answered else said.text, before))

    def note(self, text: str | None) -> None:
        """Show a note on what was typed."""
        if text:
            with self.notes:
                self.page.write(text, "note")

    def draw(self, choose_scene: Callable[["Steps"], Any]) -> None:
        """Draw the controls of the scene, the current step, and the picture of all steps.

        While a question hides the current step, no thumbnail of it or of a later one is shown.
        """
        with self.page.body:
            shown = True
            try:
                scene = choose_scene(self)
                shown = self.draw_step(scene)
            finally:
                if self.waits:
                    self.write_head(shown)
                self.lead_on(shown)
            n_pictures = len(self.steps) if shown and self.current.STEP.sees_ahead else self.place + shown
            nodes = [
                Node(name, step.STEP.label, picture(step, scene) if i < n_pictures else Markup())
                for i, (name, step) in enumerate(zip(self.names, self.steps, strict=True))
            ]
            with self.strip, st.container(key=f"{self.page.name}_strip"):
                self.draw_strip(nodes)

    def draw_step(self, scene: Any) -> bool:
        """Draw the step in view; return whether no question hides its picture."""

        def draw() -> bool:
            return self.current.draw(self.page, scene) is not False

        if not self.current.STEP.runs_alone:
            return draw()
        return InView(self.page, draw).shown

    def draw_strip(self, nodes: Sequence[Node]) -> None:
        """Draw the transformer with this lesson's part lit, and under it the steps; go where a click leads."""
        page = self.page
        locked = bool(page.controls.locked & {"step", "strip"})
        others = () if locked else tuple(lesson for lesson in LESSONS if lesson.name != page.name)
        titles = tuple((lesson.name, f"Lesson {LESSONS.index(lesson) + 1}: {lesson.title}") for lesson in others)
        above = transformer(page.name, titles)
        clicked = draw_flow(nodes, self.flow, self.name, locked, self.go, f"{page.name}_flow", above)
        for lesson in others:
            if lesson.name == clicked:
                with suppress(StreamlitAPIException):  # a page that is run by itself knows of no others
                    st.switch_page(lesson.file, query_params=queries(page.controls)[lesson.name])

    def go(self, name: str) -> None:
        """Go to another step."""
        self.page.controls.put(step=name)

    def walk(self) -> None:
        """Draw Back and Next, which Shift with an arrow key presses too."""
        with st.container(horizontal=True, width="content", vertical_alignment="bottom", key=f"{self.page.name}_walk"):
            self.step_button("Back", self.place - 1, "back", "tertiary", "Shift+Left")
            self.step_button("Next", self.place + 1, "next", "secondary", "Shift+Right")

    def lead_on(self, shown: bool) -> None:
        """Draw the way on at the end of the step: to the next one, or to the next lesson where no button leads there.

        While a question is open, it names the next step by its label, which gives no answer away.
        """
        controls, name = self.page.controls, self.page.name
        stays = "step" in controls.locked or {"strip", "walk"} <= controls.hidden
        if stays or self.place + 1 == len(self.steps):
            self.page.after_step = st.container(horizontal=True, horizontal_alignment="right")
            return
        following = self.steps[self.place + 1].STEP
        title = (following.asks or following.claim) if shown else following.label
        with st.container(horizontal=True, horizontal_alignment="right", key=f"{name}_walk_on"):
            self.step_button(f"Next: {plain(title)}", self.place + 1, "on", "primary" if shown else "secondary")

    def step_button(
        self, label: str, to: int, key: str, look: Literal["primary", "secondary", "tertiary"], keys: str | None = None
    ) -> None:
        """Draw a button that goes to another step, if there is one at that place."""
        back, inside = to < self.place, 0 <= to < len(self.names)
        st.button(
            label,
            key=f"{self.page.name}_{key}",
            icon=f":material/arrow_{'back' if back else 'forward'}:",
            icon_position="left" if back else "right",
            type=look,
            shortcut=keys,
            disabled="step" in self.page.controls.locked or not inside,
            on_click=self.page.controls.put,
            kwargs={"step": self.names[to] if inside else self.name},
        )


def picture(step: StepModule, scene: Any) -> Markup:
    """Return the thumbnail of a step; nothing where it needs a data file that is unreadable."""
    with suppress(DataFileError):
        return step.thumbnail(scene)
    return Markup()
