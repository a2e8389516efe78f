"""A visitor: a tab on which somebody does what students do in a lesson, on every page, at random but by a seed.

They take the next step, drag a slider, click a cell, choose a word, answer a question, follow the menu, run code.
"""

import json
import random
from collections import defaultdict
from typing import Any

from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.bench.choice import Choice, cells, choice_of, said
from tests.bench.client import Student
from tests.bench.control import Control, control_of, key_of

KINDS = ("selectbox", "radio", "button_group", "checkbox", "slider")
OFTEN = {"number": 4, "click": 4, "choice": 2}  # how often a student does what, as far as the page offers it
MOVES = 3  # at most, before the next step


class Visitor(Student):
    """An open tab, and a seeded idea of what to do next."""

    def __init__(self, port: int, page: str, link: str, seed: int) -> None:
        super().__init__(port, page, link)
        self.random = random.Random(seed)
        self.fragments: dict[str, float] = {}  # parts that run by themselves, every so many seconds
        self.passed = False  # whether the page says that a program passed its tests
        self._chosen: dict[str, WidgetState] = {}
        self._kept: dict[int, Delta] = {}  # large ones, by the hashes under which the tab keeps them
        self._left = 0  # moves before the next step
        self._forget()

    async def act(self) -> tuple[str, float]:
        """Do what a student would do next; return what it was, and the seconds until the page is finished."""
        if self.forms:
            return "answer", await self.answer()
        offered = {"number": self.controls, "click": self.charts, "choice": self.choices}
        kinds = [kind for kind, things in offered.items() if things]
        if self._left and kinds:
            self._left -= 1
            (kind,) = self.random.choices(kinds, [OFTEN[kind] for kind in kinds])
            return kind, await getattr(self, kind)()
        self._left = self.random.randint(1, MOVES)
        following = [key for key in self.buttons if key.endswith("_next")]
        if following:
            return "step", await self.press(following[0])
        return "page", await self.follow()

    async def number(self) -> float:
        """Drag a slider, or type a number: any that the field takes, so that few are the same for two students."""
        control = self.random.choice(list(self.controls.values()))
        value = control.low + control.step * self.random.randint(0, int((control.high - control.low) / control.step))
        return await self.move(control, value)

    async def choice(self) -> float:
        """Choose another word."""
        choice = self.random.choice(list(self.choices.values()))
        return await self.choose(choice, self.random.choice(choice.options))

    async def choose(self, choice: Choice, option: str) -> float:
        """Choose one of the words."""
        self._chosen[choice.id] = choice.state(option)
        if choice.in_link:
            self._say(choice.in_link, option)
        return await self.run(by=choice.id)

    async def click(self) -> float:
        """Click a cell of a heatmap."""
        name, element = self.random.choice(list(self.charts.items()))
        return await self.click_on(name, self.random.choice(cells(element)))

    async def click_on(self, name: str, cell: dict[str, int]) -> float:
        """Click one cell of a heatmap."""
        self._chosen[name] = WidgetState(id=name, string_value=json.dumps({"selection": {"cell": [cell]}}))
        return await self.run(by=name)

    async def open(self, expander: str, is_open: bool = True) -> float:
        """Open an expander, or close it."""
        self._chosen[expander] = WidgetState(id=expander, bool_value=is_open)
        return await self.run(by=expander)

    async def answer(self) -> float:
        """Answer a question, right or wrong."""
        form, button = self.random.choice(list(self.forms.items()))
        states = [field.state(self.random.choice(field.options)) for field in self.fields[form]]
        states += [control.state(self.random.randint(0, 9)) for control in self.blanks[form]]
        return await self.run(*states, WidgetState(id=button, trigger_value=True), by=button)

    async def jump(self) -> float:
        """Jump to some step of a lesson, where it has any."""
        if not self.steps:
            return 0.0
        component, names = self.steps
        event = json.dumps([{"event": "step", "value": self.random.choice(names)}])
        state = WidgetState(id=_make_trigger_id(component, "events"), json_trigger_value=event)
        return await self.run(state, by=component)

    async def follow(self) -> float:
        """Go to another page by the menu."""
        if not self.links:  # the menu is drawn last
            self.errors.append(f"a page did not come to its end: {self.link}")
            return await self.run()
        link = self.random.choice(self.links)
        self._page_hash, self.link = link.page_script_hash, link.query_string
        self._moved, self._chosen = {}, {}
        return await self.run()

    async def write(self, text: str) -> float:
        """Write a program into the editor of an exercise and run it."""
        (editor,) = set(self.editors)  # one that is drawn anew alone is seen again
        self._chosen[editor] = WidgetState(id=editor, json_value=json.dumps({"text": text}))
        return await self.press(next(key for key in self.buttons if key.endswith("_run")))

    async def watch(self) -> float:
        """Look at a part of the page that runs by itself, as the browser does of its own accord."""
        return await self.run(fragment=next(iter(self.fragments)))

    def fall_silent(self) -> None:
        """Answer nothing any more, not even whether the tab is still there, but keep the connection."""
        self._socket.transport.pause_reading()

    async def vanish(self) -> None:
        """Cut the connection without a word."""
        self._socket.transport.abort()
        await self._socket.wait_closed()

    def _states(self) -> list[WidgetState]:
        return [*super()._states(), *(state for id, state in self._chosen.items() if id in self._shown)]

    def _forget(self) -> None:
        super()._forget()
        self.choices: dict[str, Choice] = {}
        self.charts: dict[str, Element] = {}  # those that can be clicked
        self.expanders: dict[str, str] = {}  # by their keys: those whose content the server sends when they are opened
        self.links: list[Any] = []
        self.editors: list[str] = []
        self.steps: tuple[str, list[str]] | None = None  # the picture of the steps, and those that can be clicked
        self.forms: dict[str, str] = {}  # the questions: a form and its button
        self.fields: defaultdict[str, list[Choice]] = defaultdict(list)
        self.blanks: defaultdict[str, list[Control]] = defaultdict(list)
        self.passed = False
        self.fragments = {}
        self._shown: set[str] = set()

    def _finished(self, message: ForwardMsg) -> bool:
        match message.WhichOneof("type"):
            case "auto_rerun":
                self.fragments[message.auto_rerun.fragment_id] = message.auto_rerun.interval
            case "stop_auto_rerun":
                for part in message.stop_auto_rerun.fragment_ids:
                    self.fragments.pop(part, None)
            case "delta" if message.metadata.cacheable:
                self._kept[message.hash] = message.delta
            case "ref_hash" if message.ref_hash in self._kept:
                self._take(self._kept[message.ref_hash])
        return super()._finished(message)

    def _end(self, status: ForwardMsg.ScriptFinishedStatus) -> bool:
        ended = super()._end(status)
        self._kept = {hash: delta for hash, delta in self._kept.items() if hash in self._cache}
        return ended

    def _take(self, delta: Delta) -> None:
        super()._take(delta)
        if delta.WhichOneof("type") == "add_block" and (expander := delta.add_block.expandable.id):
            self._shown.add(expander)
            self._parts[expander] = delta.fragment_id
            self.expanders[key_of(expander)] = expander

    def _see(self, element: Element) -> None:
        super()._see(element)
        kind = element.WhichOneof("type")
        if kind in ("number_input", "slider"):
            self._see_number(getattr(element, kind), kind)
        if kind in KINDS and (choice := choice_of(getattr(element, kind), kind)):
            self._see_choice(choice, getattr(element, kind))
        elif kind == "button" and element.button.is_form_submitter and element.button.label == "Check":
            self.forms[element.button.form_id] = element.button.id
        elif kind == "vega_lite_chart" and element.vega_lite_chart.id:
            self._shown.add(element.vega_lite_chart.id)
            self.charts[element.vega_lite_chart.id] = element
        elif kind == "page_link" and element.page_link.page_script_hash != self._page_hash:
            self.links.append(element.page_link)
        elif kind == "bidi_component":
            self._see_component(element.bidi_component)
        elif kind == "html":
            self.passed |= "All tests pass" in element.html.body

    def _see_number(self, element: Any, kind: str) -> None:
        if element.form_id and kind == "number_input":
            free = type(element)()
            free.CopyFrom(element)
            free.form_id = ""
            self.blanks[element.form_id].append(control_of(free, kind))
        elif element.set_value and element.id in self.controls:  # by the page, after a click for example
            control = self.controls[element.id]
            self._moved[control.id] = control.start
            if control.in_link:
                self._say(control.key, f"{control.start:.12g}")

    def _see_component(self, element: Any) -> None:
        self._shown.add(element.id)
        if element.component_name == "attention_editor":
            self.editors.append(element.id)
        elif element.component_name == "attention_flow":
            steps = json.loads(element.json)["steps"]
            self.steps = element.id, [step["name"] for step in steps if not step["disabled"]]

    def _see_choice(self, choice: Choice, element: Any) -> None:
        if choice.form:
            self.fields[choice.form].append(choice)
            return
        self._shown.add(choice.id)
        self.choices[choice.id] = choice
        if element.set_value and (option := said(element, choice)):
            self._chosen[choice.id] = choice.state(option)
            if choice.in_link:
                self._say(choice.in_link, option)
