"""A student: one tab of the course without its browser, over the websocket that Streamlit's own page uses.

The tab asks for a run of the script with its page, its link, the controls it moved and the hashes of the large messages
it still has. The server answers with one message for each element, and with `script_finished`. A tab changes one
number; what else a student does, `visitor.py` adds.
"""

import asyncio
import http.client
import time
from typing import Self
from urllib.parse import parse_qsl, urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

from tests.bench.control import Control, control_of, key_of

PATIENCE = 30.0  # seconds for one run


class Line(ClientConnection):
    """A connection that counts what arrives: the bytes as they travelled, compressed."""

    received = 0

    def data_received(self, data: bytes) -> None:
        """Take bytes from the socket."""
        self.received += len(data)
        super().data_received(data)


class Student:
    """An open tab. What went wrong on its page so far stands in `errors`."""

    def __init__(
        self, port: int, page: str = "", link: str = "", favourite: str | None = None, cookie: str = ""
    ) -> None:
        self.port = port
        self.page = page
        self.link = link
        self.favourite = favourite  # the key of the control to change, where the page has it
        self.cookie = cookie  # what the browser got with the page itself
        self.session = ""  # by which name the server knows this tab
        self.replica = ""  # which of several servers answered, where one in between says so
        self.patience = PATIENCE
        self.errors: list[str] = []
        self.controls: dict[str, Control] = {}
        self.buttons: dict[str, str] = {}  # the ids of buttons that can be pressed, by their keys
        self._moved: dict[str, float] = {}  # the values of the controls that were changed
        self._parts: dict[str, str] = {}  # the fragment of a control that stands in one: it alone runs again
        self._page_hash = ""
        self._cache: dict[str, int] = {}  # the hash of a message -> the run that used it last
        self._runs = 0

    async def __aenter__(self) -> Self:
        self._socket = await connect(
            f"ws://127.0.0.1:{self.port}/_stcore/stream",
            subprotocols=["streamlit"],
            max_size=None,
            ping_interval=None,
            proxy=None,
            create_connection=Line,
            additional_headers={"Cookie": self.cookie} if self.cookie else None,
        )
        if self._socket.response:
            self.replica = self._socket.response.headers.get("X-Replica", "")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()

    @property
    def received(self) -> int:
        """The bytes that came from the server so far."""
        return self._socket.received

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
        async with asyncio.timeout(self.patience):
            await self._socket.send(message.SerializeToString())
            while not self._finished(ForwardMsg.FromString(await self._socket.recv())):
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
                if self._page_hash not in ("", message.navigation.page_script_hash):
                    self.errors.append(f"another page ran than {self.page!r}")
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
        if status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            self.errors.append("the script cannot be compiled")
        self._runs += 1
        self._cache = {hash: used for hash, used in self._cache.items() if self._runs - used <= self._age}
        return True


def first_request(port: int, page: str = "", cookie: str = "") -> str:
    """Fetch the page itself, as a browser does before all else; return the cookie to send from then on."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", f"/{page}", headers={"Cookie": cookie} if cookie else {})
        response = connection.getresponse()
        response.read()
        if response.status != http.HTTPStatus.OK:
            raise OSError(f"the page {page!r} was answered with {response.status}")
        return response.getheader("Set-Cookie", cookie).split(";")[0]
    finally:
        connection.close()
