"""A student: one tab of the course without its browser, over the websocket that Streamlit's own page uses.

The tab asks for a run of the script with its page, its link, the controls it moved and the hashes of the large messages
it still has. The server answers with one message for each element, and with `script_finished`.
"""

import asyncio
import time
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qsl, urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.Slider_pb2 import Slider
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

PATIENCE = 60.0  # seconds for one run
ENDLESS = 1000  # the values tried of a number field without bounds


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
        """Return what the browser sends of it."""
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


class Line(ClientConnection):
    """A connection that counts what arrives: the bytes as they travelled, compressed."""

    received = 0

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        super().data_received(data)


class Student:
    """An open tab. What went wrong on its page so far stands in `errors`."""

    def __init__(self, port: int, page: str = "", link: str = "", favourite: str | None = None) -> None:
        self.port, self.page, self.link = port, page, link
        self.favourite = favourite  # the key of the control to change, where the page has it
        self.session = ""  # by which name the server knows this tab
        self.errors: list[str] = []
        self.controls: dict[str, Control] = {}
        self.buttons: dict[str, str] = {}  # the ids of buttons that can be pressed, by their keys
        self._moved: dict[str, float] = {}  # the values of the controls that were changed
        self._parts: dict[str, str] = {}  # the fragment of a control that stands in one: it alone runs again
        self._page_hash = ""
        self._cache: dict[str, int] = {}  # the hash of a message -> the run that used it last
        self._runs = 0

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

    async def change(self) -> float:
        """Change the control a little and return the seconds until the page is finished; without one, just rerun."""
        control = self.control()
        if control is None:
            return await self.run()
        return await self.move(control, control.after(self._moved.get(control.id, control.start)))

    async def move(self, control: Control, value: float) -> float:
        """Give a control a value and return the seconds until what follows from it is finished."""
        self._moved[control.id] = value
        if control.in_link:
            self._say(control.key, f"{value:.12g}")
        return await self.run(by=control.id)

    def control(self) -> Control | None:
        """Return what this student changes: the favourite, else the first number of the page."""
        named = [control for control in self.controls.values() if control.key == self.favourite]
        return next(iter(named or self.controls.values()), None)

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
        return [control.state(self._moved[id]) for id, control in self.controls.items() if id in self._moved]

    def _forget(self) -> None:
        """Forget what the page showed: it is about to be drawn anew."""
        self.controls, self.buttons, self._parts = {}, {}, {}

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
                    self._cache[message.hash] = self._runs
                self._take(message.delta)
            case "ref_hash":
                if message.ref_hash not in self._cache:
                    self.errors.append("a message was not sent because the tab should have had it")
                self._cache[message.ref_hash] = self._runs
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

    def _see(self, element: Element) -> None:
        match element.WhichOneof("type"):
            case "exception":
                self.errors.append(f"{element.exception.type}: {element.exception.message}")
            case "button" if not element.button.disabled:
                self.buttons[key_of(element.button.id)] = element.button.id
            case "number_input" | "slider" as kind:
                if control := control_of(getattr(element, kind), kind):
                    self.controls[control.id] = control

    def _end(self, status: ForwardMsg.ScriptFinishedStatus) -> bool:
        if status == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self._forget()
            return False
        self._runs += 1
        self._cache = {hash: used for hash, used in self._cache.items() if self._runs - used <= self._age}
        return True
