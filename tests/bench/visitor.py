"""A visitor: a tab on which somebody does what students do in a lesson, on every page, at random but by a seed.

They take the next step, drag a slider, click a cell, choose a word, follow the menu, run code.
"""

import json
import random
from typing import Any, NamedTuple

import pyarrow as pa
from streamlit.proto.ButtonGroup_pb2 import ButtonGroup
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.bench.client import Student, key_of

OFTEN = {"number": 4, "click": 4, "choice": 2}  # how often a student does what, as far as the page offers it
MOVES = 3  # at most, before the next step


class Choice(NamedTuple):
    """One of a few words: a list, or buttons side by side."""

    id: str
    is_list: bool
    options: list[str]
    in_link: str  # its word there, or nothing

    def state(self, option: str) -> WidgetState:
        """Return what the browser sends of it."""
        state = WidgetState(id=self.id)
        if self.is_list:
            state.string_value = option
        else:
            state.string_array_value.data.append(option)
        return state


class Visitor(Student):
    """An open tab, and a seeded idea of what to do next."""

    def __init__(self, port: int, page: str, link: str, seed: int) -> None:
        super().__init__(port, page, link)
        self.random = random.Random(seed)
        self.fragments: dict[str, float] = {}  # parts that run by themselves, every so many seconds
        self._chosen: dict[str, WidgetState] = {}
        self._kept: dict[str, Delta] = {}  # large ones, by the hashes under which the tab keeps them
        self._left = 0  # moves before the next step
        self._forget()

    async def act(self) -> float:
        """Do what a student would do next, and return the seconds until the page is finished."""
        offered = {"number": self.controls, "click": self.charts, "choice": self.choices}
        kinds = [kind for kind, things in offered.items() if things]
        if self._left and kinds:
            self._left -= 1
            (kind,) = self.random.choices(kinds, [OFTEN[kind] for kind in kinds])
            return await getattr(self, kind)()
        self._left = self.random.randint(1, MOVES)
        following = [key for key in self.buttons if key.endswith("_next")]
        return await (self.press(following[0]) if following else self.follow())

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
        self._chosen[choice.id] = choice.state(option)
        if choice.in_link:
            self._say(choice.in_link, option)
        return await self.run(by=choice.id)

    async def click(self) -> float:
        """Click a cell of a heatmap."""
        name, element = self.random.choice(list(self.charts.items()))
        return await self.click_on(name, self.random.choice(cells(element)))

    async def click_on(self, name: str, cell: dict[str, int]) -> float:
        self._chosen[name] = WidgetState(id=name, string_value=json.dumps({"selection": {"cell": [cell]}}))
        return await self.run(by=name)

    async def open(self, expander: str, is_open: bool = True) -> float:
        self._chosen[expander] = WidgetState(id=expander, bool_value=is_open)
        return await self.run(by=expander)

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
        self._chosen[self.editor] = WidgetState(id=self.editor, json_value=json.dumps({"text": text}))
        return await self.press(next(key for key in self.buttons if key.endswith("_run")))

    async def watch(self) -> float:
        """Look at a part of the page that runs by itself, as the browser does of its own accord."""
        return await self.run(fragment=next(iter(self.fragments)))

    def _states(self) -> list[WidgetState]:
        return [*super()._states(), *(state for id, state in self._chosen.items() if id in self._shown)]

    def _forget(self) -> None:
        super()._forget()
        self.choices: dict[str, Choice] = {}
        self.charts: dict[str, Element] = {}  # those that can be clicked
        self.expanders: dict[str, str] = {}  # by their keys: those whose content the server sends when they are opened
        self.links: list[Any] = []
        self.editor = ""
        self.passed = False  # whether the page says that a program passed its tests
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

    def _take(self, delta: Delta) -> None:
        super()._take(delta)
        if delta.WhichOneof("type") == "add_block" and (expander := delta.add_block.expandable.id):
            self._shown.add(expander)
            self._parts[expander] = delta.fragment_id
            self.expanders[key_of(expander)] = expander

    def _see(self, element: Element) -> None:
        super()._see(element)
        kind = element.WhichOneof("type")
        part = getattr(element, kind)
        if getattr(part, "id", "") and kind != "button":
            self._shown.add(part.id)
        if kind in ("number_input", "slider") and part.set_value and part.id in self.controls:  # by the page
            control = self.controls[part.id]
            self._moved[control.id] = control.start
            if control.in_link:
                self._say(control.key, f"{control.start:.12g}")
        elif kind in ("selectbox", "button_group") and not part.disabled and not part.form_id:
            self._see_choice(part, kind == "selectbox")
        elif kind == "vega_lite_chart" and part.id:
            self.charts[part.id] = element
        elif kind == "page_link" and part.page_script_hash != self._page_hash:
            self.links.append(part)
        elif kind == "bidi_component" and part.component_name == "attention_editor":
            self.editor = part.id
        elif kind == "html":
            self.passed |= "All tests pass" in part.body

    def _see_choice(self, part: Any, is_list: bool) -> None:
        if not is_list and part.style == ButtonGroup.PILLS:  # an example or an exercise: no word
            return
        options = list(part.options) if is_list else [option.content for option in part.options]
        choice = self.choices[part.id] = Choice(part.id, is_list, options, part.query_param_key)
        if part.set_value and (option := part.raw_value if is_list else next(iter(part.raw_values), "")):
            self._chosen[choice.id] = choice.state(option)
            if choice.in_link:
                self._say(choice.in_link, option)


def cells(element: Element) -> list[dict[str, int]]:
    """Return what a click on each cell of a heatmap reports."""
    chart = element.vega_lite_chart
    table = pa.ipc.open_stream(chart.data.data or chart.datasets[0].data.data).read_all()
    return table.select([name for name in ("i", "j", "turn") if name in table.column_names]).to_pylist()
