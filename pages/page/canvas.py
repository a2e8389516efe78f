"""What a step draws on: its sentences, its charts and its questions, and what it computed, in order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from pages.charts.chart import Chart
from pages.links.course import LESSONS
from pages.look.glossary import introduce
from pages.look.html import caption, plain, prose
from pages.page.ask import Answered, Then, answers, ask, recalled, variant
from pages.page.fields.controls import Controls
from pages.questions.kinds import Choice, Question
from pages.reproduce.program import InView
from pages.reproduce.recipe import Recipe
from pages.teaching.lecture import larger, on_stage

Block = Markup | Chart
Columns = Sequence[DeltaGenerator]
Asked = Question | None
Maker = Callable[[int], Question | None]  # returns a question in its variant of a number


@dataclass
class Drawing:
    """A step that is drawn again begins with a copy of what there was before it, so nothing stands in it twice."""

    recipe: Recipe = field(default_factory=Recipe)
    title: list[Block] = field(default_factory=list)  # and the text under it; all copies share this list
    shown: list[Block] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    number: InView | None = None  # the number that the code behind this view prints
    weights: str | None = None  # those that a script draws, by their name in it

    def copy(self) -> "Drawing":
        return replace(self, recipe=self.recipe.copy(), shown=list(self.shown), asked=list(self.asked))


class Canvas:
    """One run of a page: its controls, and what it has drawn.

    The settings and the step can run again by themselves, and then all else stays on the screen as it was drawn. So a
    page keeps what all else was drawn from (`surroundings`), and runs as a whole once that has changed.
    """

    def __init__(self, name: str, controls: Controls) -> None:
        self.name, self.controls = name, controls
        self.drawing = Drawing()
        self.view = self.drawing  # the last complete drawing: its code is shown, and its files are offered
        self.drawn_from: Any = None  # the `surroundings` from which the page was drawn; None until it is complete
        self.is_shown = True  # False while a question hides the picture
        self.is_built = True  # False while the picture is built up, part by part
        self.makers: dict[str, Maker] = {}  # make the next variant of a question, by its name
        self.afresh: dict[str, Maker] = {}  # make the variant that a link to this view asks, whatever was answered here
        self.near: set[str] = set()  # the names of the steps in this part of the path, and of their doors
        self.labels: dict[str, str] = {}  # of the steps, by their names
        self.at_end = False  # True if the last step of this part of the path is in view
        self.asks_own = False  # True if a question that a teacher wrote stands in place of those of the step
        self.may_claim = True  # False if the title would answer the question that is asked
        self.then = ""  # what the step adds to its text once its question is over
        self.before: tuple[str, ...] = ()  # the texts read before it, which have introduced their terms

    @property
    def recipe(self) -> Recipe:
        """What was computed; `recipe.run(name, function, …)` calls, records the call and returns its result."""
        return self.drawing.recipe

    @property
    def shown(self) -> list[Block]:
        return self.drawing.shown

    @property
    def asked(self) -> list[Question]:
        return self.drawing.asked

    @property
    def can_keep(self) -> bool:
        """Whether there is any code, and any file."""
        return bool(self.view.recipe.steps)

    def surroundings(self) -> Any:
        """Return what a step or a setting can change and the page shows around them.

        The menu carries the sentence on and counts the answers, a note lists the locked controls that were drawn, the
        way on is named by its claim once the picture is shown, and what can be kept is offered.
        """
        sentence = text.value if (text := self.controls.known.get("text")) else None
        fixed = frozenset(self.controls.locked & self.controls.made.keys())
        return sentence, dict(answers()), fixed, self.is_shown, self.can_keep

    def must_run_whole(self) -> bool:
        """Return whether the page around the step would be another one now, as it is where code or files are open."""
        state = st.session_state
        is_open = state.get(f"{self.name}_code") or state.get(f"{self.name}_keep")
        return bool(is_open) or self.drawn_from != self.surroundings()

    def title_and_text(self, claim: str, text: str) -> None:
        """Write the page's claim as its heading, and a text under it, before whatever else is shown."""
        st.title(claim, anchor=False)
        self.drawing.title[:] = Markup("<h2>{}</h2>").format(claim), block(prose(text), "lead")
        st.html(self.drawing.title[1])

    def heading(self, text: str) -> None:
        self.shown.append(Markup("<h3>{}</h3>").format(text))
        st.subheader(text, anchor=False)

    def say(self, text: str, look: str = "lead", **words: str) -> None:
        """Write our own prose, with a student's words in its places."""
        self.write(prose(text, **words), look)

    def write(self, text: str, look: str = "") -> None:
        """Write markup, or text, which is escaped."""
        written = block(text, look)
        self.drawing.shown.append(written)
        st.html(written)

    def head(self, title: str, text: str = "") -> None:
        self.write(Markup("<b>{}</b> {}").format(title, text), "shape")

    def show(
        self, chart: Chart, picked: Callable[[int, int], None] | None = None, note: str = "", quiet: bool = False
    ) -> None:
        """Draw a chart, its sentence unless it is quiet, and a note. A click on a cell calls `picked`."""
        self.drawing.shown.append(chart)
        draw_chart(self.name, chart, picked)
        said = [caption(text) for text in ("" if quiet else chart.sentence, note) if text]
        if said:
            self.write(Markup(" ").join(said), "note")

    def look_closer(self, label: str, draw: Callable[[], object]) -> None:
        """Offer what is drawn, and computed, only once it is opened."""
        with st.expander(plain(label), key=f"{self.name}_closer_{label}", on_change="rerun") as expander:
            if expander.open:
                draw()

    def prints(self, what: str, values: Any, *place: int) -> None:
        """Name the number in view, which the code behind it prints: a place in a result, or an expression of them."""
        text = values if isinstance(values, str) else self.recipe.text(values)
        text += f"[{', '.join(map(str, place))}]" if place else ""
        entry = None if isinstance(values, str) else np.asarray(values)[place]
        value = float(entry) if entry is not None and entry.ndim == 0 else None
        self.drawing.number = InView(text, what, len(self.recipe.steps), value)

    def ask(self, question: Question | None, blank: Then | None = None, then: Then | None = None) -> bool:
        """Ask a question, unless the link asks another one. Return True if what gives its answer away may be shown.

        Until then `blank` draws the picture without it; `then` follows the answer. None asks nothing.
        """
        if question is None:
            return True
        if not self.is_built:
            (blank or (lambda: None))()
            return False
        self.drawing.asked.append(question)
        names = [name for lesson in LESSONS if lesson.name == self.name for name in (*lesson.questions, *lesson.deeper)]
        only = self.controls.bare_text("ask", "Questions", "first", ("first", "no", *names).__contains__)
        asks = only == question.name or (only == "first" and not self.asks_own)
        self.may_claim &= only != "first" or not self.asks_own
        return not asks or ask(self.name, question, blank, then, lambda: self.has_more(question))

    def ask_beside(
        self, question: Asked, blank: Then, then: Then | None = None, spans: Any = (1.4, 1), under: bool = False
    ) -> Columns | None:
        """Ask beside a picture, on the stage above it; return where both go on: the verdict there or `under`."""
        if not question or not self.answer_to(question) or not self.is_built or on_stage():
            return st.columns(spans, gap="medium") if self.ask(question, blank, then) else None
        if under:
            columns = st.columns([1.18, 1], gap="medium")
            self.ask(question)
            self.tell_on()
            return columns
        with st.container(key=f"{self.name}_{question.name}_asking"):
            side, picture = st.columns([1, 1.18], gap="medium")
        with side:
            self.ask(question)
            self.tell_on(most=100)  # letters: of two lines
            self.fields = st.container(horizontal=True, vertical_alignment="bottom")
            more = st.container(key=f"{self.name}_{question.name}_more")  # on a phone it stands under the picture
        self.tell_on()
        return picture, more

    def tell_on(self, most: int = 1000) -> None:
        """Say here, and not above the picture, which it would move, what follows from an answer, if it is short."""
        if 0 < len(self.then) <= most and not on_stage():
            self.say(introduce(self.then, self.before), "")
            self.then = ""

    def question(self, name: str, make: Maker, afresh: Maker | None = None) -> Question | None:
        """Return the variant of a question that is asked now; None where there is nothing worth asking."""
        self.makers[name], self.afresh[name] = make, afresh or make
        return make(self.variant(name))

    def has_more(self, question: Question) -> bool:
        """Return whether the next variant of a question asks for something else."""
        make = self.makers.get(question.name)
        following = make(self.variant(question.name) + 1) if make else None
        return following is not None and asked_for(following) != asked_for(question)

    def answer_to(self, question: Asked) -> Answered | None:
        """Return the answer to this very question once it is over: found or told."""
        place = f"{self.name}_{question.name}" if question else ""
        answer = (answers().get(place) or recalled(place, question)) if question else None
        return answer if answer and answer.over and answer.question == question else None

    def key_to(self, question: Question) -> Question:
        """Return the variant of a question that a link opens with, as far as it is known here."""
        make = self.afresh.get(question.name)
        return (make(0) if make else None) or question

    def variant(self, question: str) -> int:
        return variant(self.name, question)


def asked_for(question: Question) -> tuple[str, frozenset[str]]:
    """Return what a question asks; another order of its options asks for nothing else."""
    return question.text, frozenset(question.options if isinstance(question, Choice) else ())


def block(text: str, look: str) -> Markup:
    """Return markup, or text, which is escaped, as the page shows it."""
    return Markup('<div class="course {}">{}</div>').format(look, text)


def draw_chart(page: str, chart: Chart, picked: Callable[[int, int], None] | None = None) -> None:
    """Draw a chart. A click on a cell calls `picked` with row and column."""
    key = f"{page}_{chart.name.replace(' ', '_')}_chart"

    def pick() -> None:
        if picked and (cell := cell_of(st.session_state[key]["selection"].get("cell"), chart)):
            picked(*cell)

    on_select: Any = pick if picked else "ignore"
    look = larger(chart.specification) if on_stage() else chart.specification
    st.vega_lite_chart(chart.sent(), look, key=key, on_select=on_select, alt=chart.sentence)


def cell_of(event: Any, chart: Chart) -> tuple[int, int] | None:
    """Return the last cell that a message of the browser names; None if the chart has no such cell."""
    last = event[-1] if isinstance(event, list) and event else None
    place = (last.get("i"), last.get("j")) if isinstance(last, dict) else None
    cells = zip(chart.columns["i"].tolist(), chart.columns["j"].tolist(), strict=True)
    return next((cell for cell in cells if cell == place), None)
