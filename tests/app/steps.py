"""One step of a lesson, called without Streamlit's runner: what it says, shows and asks for a link."""

import json
import logging
from collections.abc import Sequence
from importlib import import_module
from unittest.mock import patch

import streamlit as st

from pages.charts.chart import Chart
from pages.page.fields.controls import Controls
from pages.page.fields.link_state import query_word
from pages.page.page import Page
from pages.page.steps import Steps
from pages.questions.kinds import Question
from tests.app.charts import Shown
from tests.lessons import controls_of

# Streamlit would write a line for each widget that is drawn outside a run, which is the point here.
logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").disabled = True


class LinkedControls(Controls):
    """Controls that stand where a link puts them; outside a run a widget itself knows its default alone."""

    def __init__(self, page):
        super().__init__(page, controls_of(page))
        self.ends = {}  # the words that a link may say of each control, its ends first and last

    def draw(self, widget, name, usual, *arguments, legal, **options):
        self.ends[name] = [query_word(word) for word in ends_of(widget, arguments)]
        default = super().draw(widget, name, usual, *arguments, legal=legal, **options)
        raw = self.from_link(name, legal)
        if raw is None or not legal(raw):
            return default
        return raw == "true" if isinstance(default, bool) else type(default)(float(raw)) if is_number(default) else raw

    def bare_choice(self, name, label, choices, default):
        self.ends[name] = list(choices)
        return super().bare_choice(name, label, choices, default)

    def bare_number(self, name, label, low, high, *more):
        self.ends[name] = [query_word(low), query_word(high)]
        return super().bare_number(name, label, low, high, *more)

    def bare_text(self, name, label, default, legal):
        words = [word for word in MARKS if legal(word) and word != default]
        self.ends.setdefault(name, [words[0], words[-1]] if words else [default])
        return super().bare_text(name, label, default, legal)


TEXT_ENDS = ["", "9 8 7"]
MARKS = ("2", "1", "ab", "ba", "1.2", "7", "none", "all")  # of which each control that is no widget has one


def ends_of(widget, arguments):
    if widget is st.toggle:
        return [False, True]
    if widget is st.text_input:
        return TEXT_ENDS
    return arguments[1] if isinstance(arguments[1], Sequence) else arguments[1:3]


def is_number(value):
    return isinstance(value, (int, float))


class RecordedPage(Page):
    """A page that keeps what a step does with it. Of its questions all are answered, or none but those named."""

    def __init__(self, name, link, unanswered=(), variants=None):
        st.session_state.clear()
        st.query_params.from_dict({f"{name}_{word}": str(value) for word, value in link.items()})
        super().__init__(name, name)
        self.controls = LinkedControls(name)
        self.unanswered, self.variants = unanswered, {} if variants is None else variants
        self.picked = {}

    def ask(self, question: Question | None, blank=None, then=None) -> bool:
        if question is None or not self.is_built:
            return super().ask(question, blank, then)
        self.asked.append(question)
        answered = question.name not in self.unanswered and self.unanswered != "all"
        if not answered and blank:
            blank()
        return answered

    def variant(self, question):
        try:
            return self.variants[question]
        except KeyError:
            return 0

    def show(self, chart, picked=None, note="", quiet=False):
        self.picked[chart.name] = picked
        super().show(chart, picked, note, quiet)

    def look_closer(self, label, draw):
        if self.opened:
            draw()


class Seen:
    """What a step has drawn: its page and its scene; `charts` and what it says as of a visit."""

    def __init__(self, page, scene, ready, sent):
        self.page, self.scene, self.ready, self.sent = page, scene, ready, sent

    @property
    def charts(self):
        """Every chart, in the order in which the step drew them."""
        return [
            Shown(json.loads(json.dumps(drawn.specification, default=float)), drawn.data, drawn.sentence)
            for drawn in self.page.shown
            if isinstance(drawn, Chart)
        ]

    @property
    def html(self):
        """All that the step wrote, block by block."""
        return [block for block in (*self.page.drawing.title, *self.page.shown) if isinstance(block, str)]

    def result(self, name):
        """Return what the core computed for the step, by the name that its script gives it."""
        (found,) = [one.result for one in self.page.recipe.steps if one.name == name]
        return found

    def question(self, name):
        (found,) = [question for question in self.page.asked if question.name == name]
        return found


MODEL_OF = {"tiny_lm": {"model": "Toy English"}}  # it has few words and one layer, so that tests are quick


def step(lesson, name, /, unanswered=(), variants=None, opened=True, **link):
    """Return what a step of a lesson draws for a link, its questions answered but for those named (or "all").

    What only a closer look shows is drawn too, unless it is not `opened`.
    """
    page = RecordedPage(lesson, MODEL_OF.get(lesson, {}) | {"step": name, **link}, unanswered, variants)
    page.opened = opened
    module = import_module(f"pages.{lesson}.{name}")
    steps = Steps(page, (module,))
    with patch.object(st, "_bidi_component", wraps=st._bidi_component) as component, page.body:
        scene = steps.chosen_scene(import_module(f"pages.{lesson}.scene").choose_scene)
        steps.draw_step(scene)
    sent = [(call.args[0], call.kwargs["data"]) for call in component.call_args_list]
    return Seen(page, scene, page.is_shown, sent)
