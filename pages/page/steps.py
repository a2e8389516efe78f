"""A lesson in steps: a path, doors beside it, and the step in view.

A step is a module, named as its word in the link. It holds `STEP`, what the step says, and `draw`, which draws it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol

import streamlit as st
from markupsafe import Markup

from pages.links.course import LESSONS
from pages.look.glossary import introduce
from pages.look.html import indexed, plain
from pages.look.transformer import you_are_here
from pages.page.ask import TOLD, answers, ask, outcomes
from pages.page.page import Page
from pages.page.remember import note_visit
from pages.page.reruns import Part
from pages.questions.kinds import BY_TEACHER
from pages.teaching.lecture import on_stage
from pages.teaching.own import Open, questions_in
from pages.teaching.plan import own_at

BUILT, WHOLE = "built", "whole"  # of a picture that is built up: a word of the experiment of its step
NOW = "now"  # the names of last steps begin so; they ask from memory and need no scene


class Step(NamedTuple):
    """What a step says: its label among the steps, what it claims, and the text under the claim.

    Where these would answer its question, the claim is another one while the question is open, and the text is shorter.
    """

    label: str
    claim: str
    text: str
    asks: str = ""  # the claim while the question is open
    then: str = ""  # what follows the text after the answer
    words: str = ""  # the words of a link for controls that only this step draws; they keep their values
    experiment: str = ""  # more such words; their controls are set back when the step is left
    lent: str = ""  # words of controls that other steps draw too; set back when a student walks on
    helps: str = ""  # of a door: the names of the questions whose mistakes it treats

    @property
    def full_text(self) -> str:
        return f"{self.text} {self.then}".strip()

    @property
    def link_words(self) -> str:
        """All words of a link for the controls that this step alone draws."""
        return f"{self.words} {self.experiment}"


class StepModule(Protocol):
    __name__: str
    STEP: Step

    def draw(self, page: Page, scene: Any, /) -> bool | None:
        """Draw the step; return False while a question stands before what it shows."""


class Steps:
    """The steps of a lesson, and the one in view; `page.fields` is a row under its text.

    The doors are steps off the path, each with the step at whose end it is offered. A long path has named parts.
    """

    def __init__(
        self,
        page: Page,
        path: Sequence[StepModule],
        doors: Mapping[Any, StepModule] = MappingProxyType({}),
        parts: Mapping[str, StepModule] = MappingProxyType({}),
    ) -> None:
        self.page, self.path, self.steps = page, path, (*path, *doors)
        self.names = [step.__name__.rpartition(".")[2] for step in self.steps]
        self.name = page.controls.bare_choice("step", "Step", self.names, self.names[0])
        self.current = self.steps[self.names.index(self.name)]
        self.before = tuple(step.STEP.full_text for step in self.steps[: self.names.index(self.name)])
        self.host = path.index(doors.get(self.current, self.current))  # its place on the path, or that of its door
        self.parts = {path.index(first): name for name, first in parts.items()} or {0: ""}
        self.start = max(start for start in self.parts if start <= self.host)
        self.stop = min((start for start in self.parts if start > self.host), default=len(path))
        part = path[self.start : self.stop]
        named = dict(zip(self.names, self.steps, strict=True))
        self.doors = {name: step for name, step in named.items() if step in doors}
        self.offered = [
            name
            for name, step in self.doors.items()
            if doors[step] is self.current or (self.at_end and doors[step] in part)
        ]
        page.at_end = self.at_end
        page.labels = {name: plain(indexed(step.STEP.label)) for name, step in named.items()}
        page.near = {name for name, step in named.items() if doors.get(step, step) in part}
        self.end_experiment()
        note_visit(page.name, self.name, self.current.STEP.label)
        with page.body:
            with st.container(horizontal=True, vertical_alignment="center", key=f"{page.name}_top"):
                self.draw_path()
                self.walk()
            self.title_place = st.container(key=f"{page.name}_title_{self.name}")  # the browser knows the step by it
            if not self.waits:
                self.write_title()

    @property
    def waits(self) -> bool:
        """Whether the claim and the text depend on the question of the step, so that they are written after it."""
        return bool(self.current.STEP.asks or self.current.STEP.then)

    @property
    def at_end(self) -> bool:
        """Whether the step in view is the last of its part of the path."""
        return self.current is self.path[self.stop - 1]

    def end_experiment(self) -> None:
        """Set back what a student tried in the step that was in view before; begin the picture of one that is new."""
        state, key = st.session_state, f"_{self.page.name}_step"
        left, state[key] = state.get(key), self.name
        self.has_walked = state[f"{key}s"] = state.get(f"{key}s") or left not in (None, self.name)
        if left != self.name and left in self.names:
            self.set_back(self.steps[self.names.index(left)].STEP.experiment)
        linked = any(word.startswith(f"{self.page.name}_") for word in {*st.query_params} - {f"{self.page.name}_step"})
        came = left != self.name if left else "links" in state and not linked  # on foot, from a step or a page
        if came and BUILT in self.current.STEP.experiment.split():
            self.begin_build_up()

    def begin_build_up(self) -> None:
        """Let the picture begin with its first part until it was seen whole, and not before a class."""
        seen, controls = st.session_state.get("seen_whole", ()), self.page.controls
        if f"{self.page.name} {self.name}" not in seen and not on_stage() and "class_room" not in st.session_state:
            controls.bare_choice(BUILT, BUILT, (WHOLE,), WHOLE)  # the step may draw it only after its question
            controls.put(**{BUILT: "1"})

    def set_back(self, words: str) -> None:
        """Set controls back to where the visit began, or to their default."""
        known = {name: one for name in words.split() if (one := self.page.controls.known.get(name))}
        self.page.controls.put(**{name: one.origin for name, one in known.items() if one.default is not None})

    def write_title(self, answered: bool = True) -> None:
        """Write the claim and the text of the step, before whatever else it has shown."""
        said = self.current.STEP
        claim = said.claim if answered else said.asks or said.claim
        text = f"{said.text} {self.page.then if answered and self.page.is_built else ''}".strip()
        text = text if answered or self.page.is_built else ""  # its sentence stands below
        text = introduce(text, self.before)
        with self.title_place:
            self.page.title_and_text(claim, text)

    def note(self, *texts: str | None) -> None:
        """Show notes on what was typed, under the fields of the step."""
        for text in filter(None, texts):
            self.page.write(text, "note")

    def draw(self, choose_scene: Callable[["Steps"], Any]) -> None:
        """Draw the controls of the scene, the current step, and the ways on."""
        with self.page.body:
            try:
                with st.container(key=f"{self.page.name}_own_ballot"):
                    self.ask_own()
                Part(self.page, lambda: Part(self.page, partial(self.draw_step, self.chosen_scene(choose_scene))))
            finally:
                self.lead_on(self.page.is_shown)

    def ask_own(self) -> None:
        """Ask the questions that a teacher wrote for this view, on the stage one after another, above its picture."""
        word = self.page.controls.bare_text("quiz", "Your teacher’s question", "", lambda raw: True)
        member = st.session_state.get("class_room")
        name, text = member.own_questions(word) if member else (BY_TEACHER, own_at(word))
        owns = [one for one in questions_in(text, name) if one]
        for own, following in zip(owns, [*owns[1:], None], strict=False):
            self.page.asks_own = True
            if following and f"{self.page.name}_{following.name}" in answers() and on_stage():
                continue  # one result at a time, or all are small
            with st.container():
                if not isinstance(own, Open):
                    place = f"{self.page.name}_{own.name}"
                    if member and not (member.is_teacher or own.name == name or member.asked(place + member.part)):
                        return  # until its teacher asks it
                    if not ask(self.page.name, own, has_more=lambda: False) and on_stage():
                        return  # where one has room beside the picture
                elif member:
                    member.ask_for_text(self.page, own)
                else:
                    self.page.say("{asked} In a class, students write here.", "ask", asked=own.text)

    def chosen_scene(self, choose_scene: Callable[["Steps"], Any]) -> Any:
        """Draw the place for the fields of the step and the controls of its scene; return what follows from them."""
        self.fields = st.container(horizontal=True, vertical_alignment="bottom", key=f"{self.page.name}_fields")
        self.page.fields = self.fields
        return None if self.name.startswith(NOW) else choose_scene(self)

    def draw_step(self, scene: Any) -> None:
        """Draw the step in view, and note whether no question hides its picture."""
        self.page.is_shown = self.page.may_claim = self.page.is_built = True
        self.page.then, self.page.before = self.current.STEP.then, (*self.before, self.current.STEP.text)
        self.page.fields = self.fields  # a step that is drawn again by itself may have had others
        try:
            self.page.is_shown = self.current.draw(self.page, scene) is not False
        finally:
            if self.waits:
                self.write_title(self.page.is_shown and self.page.may_claim)

    def draw_path(self) -> None:
        """Draw the labels of the part in view, its step lit, and the names of other parts; go where a click leads."""
        if self.host == 0 and self.page.name == LESSONS[0].name and not self.has_walked:
            return  # names of steps mean nothing before the first picture
        key, inside = f"{self.page.name}_path", range(self.start, self.stop)
        labels = {
            self.names[i]: plain(indexed(step.STEP.label)) if i in inside else f"**{self.parts[i]}**"
            for i, step in enumerate(self.path)
            if i in inside or i in self.parts
        }

        def follow() -> None:
            self.go(st.session_state[key] or here)  # a click on the step that is lit chooses nothing

        st.session_state[key] = here = self.names[self.host]  # a step off the path has its door lit
        with st.container(key=f"{self.page.name}_strip", width="stretch"):
            st.segmented_control(
                f"**{self.parts[self.start] or 'Steps of this lesson'}**",
                list(labels),
                format_func=labels.__getitem__,
                key=key,
                on_change=follow,
                disabled=bool(self.page.controls.locked & {"step", "strip"}),
                label_visibility="visible" if self.parts[self.start] else "collapsed",
            )

    def go(self, name: str) -> None:
        if name != self.name:
            self.set_back(self.current.STEP.lent)
            st.session_state[f"_{self.page.name}_came"] = self.name
        self.page.controls.put(step=name)

    def walk(self) -> None:
        """Draw Back and Next, which Shift with an arrow key presses too."""
        with st.container(horizontal=True, width="content", key=f"{self.page.name}_walk"):
            came, door = st.session_state.get(f"_{self.page.name}_came"), self.name in self.doors
            ended = door and came == self.names[self.stop - 1]  # the end of a part offers its doors too
            self.step_button(
                "Back", self.stop - 1 if ended else self.host - (not door), "back", "tertiary", "Shift+Left"
            )
            self.step_button("Next", self.host + 1, "next", "tertiary", "Shift+Right")

    def lead_on(self, shown: bool) -> None:
        """Draw the ways on: doors, and the next step (by its label while a question is open) or the next lesson."""
        controls, name = self.page.controls, self.page.name
        stays = "step" in controls.locked or {"strip", "walk"} <= controls.hidden
        with st.container(horizontal=True, vertical_alignment="center", key=f"{name}_walk_on"):
            if self.host or name != LESSONS[0].name:
                lessons = [lesson.name for lesson in LESSONS]
                st.html(you_are_here(lessons[: lessons.index(name) + 1]))
            if self.offered and not stays:
                helping = [door for door in self.offered if TOLD in outcomes(name, self.doors[door].STEP.helps.split())]
                self.draw_doors("This may help:", helping, "secondary")
                self.draw_doors("Go deeper:", [door for door in self.offered if door not in helping], "tertiary")
        with st.container(horizontal=True, horizontal_alignment="right", key=f"{name}_walk_on_next"):
            if stays or self.host + 1 == len(self.path):
                self.page.after_step = None if stays else st.container(width="content")
                return
            following = self.path[self.host + 1].STEP
            title = (following.asks or following.claim) if shown else following.label
            begins = f"Next part, {self.parts[self.stop]}" if self.host + 1 == self.stop else "Next"
            self.step_button(f"{begins}: {plain(title)}", self.host + 1, "on", "primary")

    def draw_doors(self, title: str, doors: Sequence[str], look: Literal["secondary", "tertiary"]) -> None:
        """Offer some doors, each with its question, or its claim, as a tip."""
        if not doors:
            return
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            st.html(Markup('<div class="course note">{}</div>').format(title), width="content")
            for name in doors:
                said, key = self.doors[name].STEP, f"{self.page.name}_door_{name}"
                label, tip = plain(indexed(said.label)), plain(indexed(said.asks or said.claim))
                st.button(label, key=key, type=look, help=tip, on_click=self.go, args=(name,))

    def step_button(
        self, label: str, to: int, key: str, look: Literal["primary", "secondary", "tertiary"], keys: str | None = None
    ) -> None:
        """Draw a button that goes to the step of the path at that place, if there is one."""
        back, inside = label == "Back", 0 <= to < len(self.path)
        st.button(
            label,
            key=f"{self.page.name}_{key}",
            icon=f":material/arrow_{'back' if back else 'forward'}:",
            icon_position="left" if back else "right",
            type=look,
            shortcut=keys,
            disabled="step" in self.page.controls.locked or not inside,
            on_click=self.go,
            args=(self.names[to] if inside else self.name,),
        )
