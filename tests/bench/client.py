"""A student: one tab of the course without its browser, over the websocket that Streamlit's own page uses.

The tab asks for a run of the script with its page, its link, the controls it moved and the hashes of the large messages
it still has. The server answers with one message for each element, and with `script_finished`. What students do on
every page, the tab does at random but by a seed: it takes the next step, drags a slider, clicks a cell, chooses a word,
follows the menu, runs code.
"""

import asyncio
import json
import random
import time
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qsl, urlencode

import pyarrow as pa
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ButtonGroup_pb2 import ButtonGroup
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.Slider_pb2 import Slider
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

PATIENCE = 60.0  # seconds for one run
ENDLESS = 1000  # the values tried of a number field without bounds
OFTEN = {"number": 4, "click": 4, "choice": 2}  # how often a student does what, as far as the page offers it
MOVES = 3  # at most, before the next step


class Control(NamedTuple):
    """A number that a student can change: a number field, or a slider with one handle."""

    id: str
    kind: str
    in_link: bool
    low: float
    high: float
    step: float
    start: float

    @property
    def key(self) -> str:
        return key_of(self.id)

    def after(self, value: float) -> float:
        """Return the next legal value; after the highest comes the lowest."""
        following = value + self.step
        return following if following <= self.high + self.step / 1000 else self.low

    def state(self, value: float) -> WidgetState:
        state = WidgetState(id=self.id)
        if self.kind == "slider":
            state.double_array_value.data.append(value)
        elif self.kind == "whole number":
            state.int_value = round(value)
        else:
            state.double_value = value
        return state


def key_of(id: str) -> str:
    """Return the name that the page gave to what the server calls by this one."""
    return id.split("-", maxsplit=2)[-1]


def control_of(element: Any, kind: str) -> Control | None:
    """Return a number field or a slider as a control, or None if a student cannot change one number with it."""
    if element.disabled or element.form_id or element.ignore_rerun:
        return None
    start = element.value if element.set_value else element.default
    if kind == "number_input":
        low = element.min if element.has_min else start
        high = element.max if element.has_max else low + ENDLESS * element.step
        kind = "whole number" if element.data_type == NumberInput.INT else "number"
    elif element.type != Slider.SELECT_SLIDER and len(start) == 1:
        start, low, high = start[0], element.min, element.max
    else:
        return None
    return Control(element.id, kind, bool(element.query_param_key), low, high, element.step, start)


class Choice(NamedTuple):
    """One of a few words: a list, or buttons side by side."""

    id: str
    is_list: bool
    options: list[str]
    in_link: str  # its word there, or nothing

    def state(self, option: str) -> WidgetState:
        state = WidgetState(id=self.id)
        if self.is_list:
            state.string_value = option
        else:
            state.string_array_value.data.append(option)
        return state


class Line(ClientConnection):
    """A connection that counts what arrives: the bytes as they travelled, compressed."""

    received = 0

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        super().data_received(data)


class Student:
    """An open tab. What went wrong on its page so far stands in `errors`."""

    def __init__(self, port: int, page: str = "", link: str = "", seed: int = 0) -> None:
        self.port, self.page, self.link, self.random = port, page, link, random.Random(seed)
        self.session = ""  # by which name the server knows this tab
        self.errors: list[str] = []
        self._moved: dict[str, float] = {}  # the values of the controls that were changed
        self._chosen: dict[str, WidgetState] = {}
        self._page_hash = ""
        self._cache: dict[str, int] = {}  # the hash of a message -> the run that used it last
        self._kept: dict[str, Delta] = {}  # large ones, by the hashes under which the tab keeps them
        self._runs = self._left = 0  # runs so far; moves before the next step
        self._forget()

    def _forget(self) -> None:
        """Forget what the page showed: it is about to be drawn anew."""
        self.controls: dict[str, Control] = {}
        self.buttons: dict[str, str] = {}  # the ids of buttons that can be pressed, by their keys
        self.choices: dict[str, Choice] = {}
        self.charts: dict[str, Element] = {}  # those that can be clicked
        self.expanders: dict[str, str] = {}  # by their keys: those whose content the server sends when they are opened
        self.links: list[Any] = []
        self.editor = ""
        self.passed = False  # whether the page says that a program passed its tests
        self.fragments: dict[str, float] = {}  # parts that run by themselves, every so many seconds
        self._parts: dict[str, str] = {}  # the fragment of a control that stands in one: it alone runs again
        self._shown: set[str] = set()

    async def __aenter__(self) -> Self:
        self.line = await connect(
            f"ws://127.0.0.1:{self.port}/_stcore/stream",
            subprotocols=["streamlit"],
            max_size=None,
            ping_interval=None,
            proxy=None,
            create_connection=Line,
            open_timeout=PATIENCE,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.line.close()

    async def change(self, key: str = "") -> float:
        """Change a control a little and return the seconds until the page is finished; without one, just rerun."""
        control = self.control(key)
        if control is None:
            return await self.run()
        return await self.move(control, control.after(self._moved.get(control.id, control.start)))

    async def move(self, control: Control, value: float) -> float:
        """Give a control a value and return the seconds until what follows from it is finished."""
        self._moved[control.id] = value
        if control.in_link:
            self._say(control.key, f"{value:.12g}")
        return await self.run(by=control.id)

    def control(self, key: str = "") -> Control | None:
        """Return the number of this key, or the first of the page."""
        named = [control for control in self.controls.values() if control.key == key]
        return next(iter(named or self.controls.values()), None)

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

    async def press(self, key: str) -> float:
        """Press a button of the page and return the seconds until the page is finished."""
        return await self.run(WidgetState(id=self.buttons[key], trigger_value=True), by=self.buttons[key])

    async def run(self, *pressed: WidgetState, by: str = "", fragment: str = "") -> float:
        """Ask for a run of the script, and return the seconds until it is finished.

        What runs is the part of the page in which the control stands `by` which it is asked for, or a `fragment` that
        runs of its own accord; else all of it.
        """
        message = BackMsg()
        request = message.rerun_script
        request.query_string = self.link
        request.page_script_hash = self._page_hash
        if not self._page_hash:
            request.page_name = self.page
        request.widget_states.widgets.extend([*self._states(), *pressed])
        request.cached_message_hashes.extend(self._cache)
        request.fragment_id, request.is_auto_rerun = fragment or self._parts.get(by, ""), bool(fragment)
        if not request.fragment_id:
            self._forget()
        start = time.perf_counter()
        async with asyncio.timeout(PATIENCE):
            await self.line.send(message.SerializeToString())
            while not self._finished(ForwardMsg.FromString(await self.line.recv())):
                pass
        return time.perf_counter() - start

    def _say(self, key: str, value: str) -> None:
        self.link = urlencode(dict(parse_qsl(self.link)) | {key: value})

    def _states(self) -> list[WidgetState]:
        """Return what the tab keeps of the controls that the page shows."""
        moved = [control.state(self._moved[id]) for id, control in self.controls.items() if id in self._moved]
        return [*moved, *(state for id, state in self._chosen.items() if id in self._shown)]

    def _finished(self, message: ForwardMsg) -> bool:
        """Take note of a message and say whether it is the last of its run."""
        match message.WhichOneof("type"):
            case "new_session":
                self.session = message.new_session.initialize.session_id
                self._age = message.new_session.config.max_cached_message_age
            case "navigation":  # the hash in new_session is that of the home page, whatever page runs
                self._page_hash = message.navigation.page_script_hash
            case "delta":
                if message.metadata.cacheable:
                    self._cache[message.hash], self._kept[message.hash] = self._runs, message.delta
                self._take(message.delta)
            case "ref_hash":
                if message.ref_hash not in self._cache:
                    self.errors.append("a message was not sent because the tab should have had it")
                self._cache[message.ref_hash] = self._runs
                if message.ref_hash in self._kept:
                    self._take(self._kept[message.ref_hash])
            case "auto_rerun":
                self.fragments[message.auto_rerun.fragment_id] = message.auto_rerun.interval
            case "stop_auto_rerun":
                for part in message.stop_auto_rerun.fragment_ids:
                    self.fragments.pop(part, None)
            case "page_info_changed":  # the page wrote into its own address
                self.link = message.page_info_changed.query_string
            case "page_not_found":
                self.errors.append(f"there is no page {message.page_not_found.page_name!r}")
            case "script_finished":
                return self._end(message.script_finished)
        return False

    def _take(self, delta: Delta) -> None:
        if delta.WhichOneof("type") == "new_element":
            element = delta.new_element
            if name := getattr(getattr(element, element.WhichOneof("type")), "id", ""):
                self._parts[name] = delta.fragment_id
            self._see(element)
        elif delta.WhichOneof("type") == "add_block" and (expander := delta.add_block.expandable.id):
            self._shown.add(expander)
            self._parts[expander] = delta.fragment_id
            self.expanders[key_of(expander)] = expander

    def _see(self, element: Element) -> None:
        kind = element.WhichOneof("type")
        part = getattr(element, kind)
        if getattr(part, "id", "") and kind != "button":
            self._shown.add(part.id)
        if kind == "exception":
            self.errors.append(f"{part.type}: {part.message}")
        elif kind == "button" and not part.disabled:
            self.buttons[key_of(part.id)] = part.id
        elif kind in ("number_input", "slider") and (control := control_of(part, kind)):
            self.controls[control.id] = control
            if part.set_value:  # by the page
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

    def _end(self, status: ForwardMsg.ScriptFinishedStatus) -> bool:
        if status == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self._forget()
            return False
        self._runs += 1
        self._cache = {hash: used for hash, used in self._cache.items() if self._runs - used <= self._age}
        return True


def cells(element: Element) -> list[dict[str, int]]:
    """Return what a click on each cell of a heatmap reports."""
    chart = element.vega_lite_chart
    table = pa.ipc.open_stream(chart.data.data or chart.datasets[0].data.data).read_all()
    return table.select([name for name in ("i", "j", "turn") if name in table.column_names]).to_pylist()
