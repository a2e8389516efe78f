"""What the course uses of Streamlit beyond its documented interface: each such name stands here and nowhere else.

`tests/app/test_streamlit_private.py` tries them one by one.
"""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from math import inf
from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit.components.v2.bidi_component.serialization import BidiComponentSerde
from streamlit.errors import StreamlitInvalidLayoutContextError as NewWidget  # in a run of a part: outside of the part
from streamlit.net_util import get_internal_ip
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime, get_instance
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunContext, get_script_run_ctx, script_runner

__all__ = ["NewWidget", "get_internal_ip"]
SWEEP = 10.0  # seconds
FILE = 15.0  # messages as which one counts that asks for a file, which takes up to half a second


def is_flat(value: object) -> bool:
    """Return whether something that a browser says is a text, a number, or two of them."""
    parts = value if isinstance(value, list) and len(value) <= 2 else [value]
    return all(part is None or isinstance(part, str | int | float) for part in parts)


def flat(read: Callable[..., Any]) -> Callable[..., Any]:
    """Keep only that of what a component says: empty lists within lists take thirty times the memory of their text."""

    def state(self: Any, said: object) -> Any:
        found = read(self, said)
        return type(found)({name: value for name, value in found.items() if is_flat(value)})

    return state


BidiComponentSerde.deserialize = flat(BidiComponentSerde.deserialize)  # type: ignore[method-assign]


def n_values(message: Any, most: int) -> int:
    """Return how many values a message of a browser has; where there are too many, it counts only some."""
    found = 0
    for _, value in message.ListFields():
        values = value if hasattr(value, "append") else [value]
        found += len(values)
        if found <= most and hasattr(values[0], "ListFields"):
            found += sum(n_values(one, most) for one in values)
    return found


def weight(message: bytes, most: int) -> float:
    """Return as how many messages one counts: more if it asks for a file, and too many if it has too many values."""
    with suppress(DecodeError):  # which Streamlit says
        said = BackMsg.FromString(message)
        asks = said.WhichOneof("type") == "backend_operation_request"
        return inf if n_values(said, most) > most else FILE if asks else 1.0
    return 1.0


def session_id() -> str:
    """Return the session of the page that runs here, or "" outside of any."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def around_each_run(begin: Callable[[], None], end: Callable[[], None]) -> None:
    """Tell that a run of a page, or of a part, begins, and that it ends: also if its tab has gone on or is closed."""
    run = script_runner.exec_func_with_error_handling  # type: ignore[attr-defined]

    def told(code: Callable[[], Any], context: ScriptRunContext) -> Any:
        begin()
        try:
            return run(code, context)
        finally:
            end()

    script_runner.exec_func_with_error_handling = told  # type: ignore[attr-defined, assignment]


def before_each_element(pause: Callable[[], None]) -> None:
    """Let a page pause before it sends an element."""
    send = ScriptRunContext.enqueue

    def enqueue(self: ScriptRunContext, msg: Any) -> None:
        pause()
        send(self, msg)

    ScriptRunContext.enqueue = enqueue  # type: ignore[method-assign]


def when_sent(tell: Callable[[str], object]) -> None:
    """Tell which session has sent all that its last run has drawn."""
    flushed = AppSession.on_flushed_messages_sent

    def on_flushed_messages_sent(self: AppSession) -> None:
        flushed(self)
        if not is_running(self) and self._browser_queue.is_empty():
            tell(self.id)

    AppSession.on_flushed_messages_sent = on_flushed_messages_sent  # type: ignore[method-assign]


def stopping_point() -> Callable[[], None]:
    """Return a function that ends the run of this page if its student has gone on."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.yield_check if context else lambda: None


def is_open(session: str) -> bool:
    return Runtime.exists() and get_instance().is_active_session(session)


def page_of(session: str) -> Any:
    return get_instance().get_app_session(session) if Runtime.exists() else None


def is_running(page: Any) -> bool:
    return page._state.name == "APP_IS_RUNNING"


def let_run(page: Any) -> None:
    """Let a page run, as one whose source was changed; one that runs already may be about to see the news."""
    if not is_running(page):
        page._event_loop.call_soon_threadsafe(page.request_rerun, page._client_state)


def sessions() -> dict[str, str]:
    """Return the connected sessions, each with the address from which it comes, as `st.context` says it."""
    manager: Any = get_instance()._session_mgr if Runtime.exists() else None
    found = {one.session.id: one.client.client_context for one in manager.list_active_sessions()} if manager else {}
    return {each: "" if of.remote_ip in ("127.0.0.1", "::1") else of.remote_ip or "" for each, of in found.items()}


def end(session: str) -> None:
    """End a session with all that runs for it; its tab has to be loaded anew."""
    if page := page_of(session):
        page._event_loop.call_soon_threadsafe(get_instance().close_session, session)


def uploads() -> Counter[str]:
    """Return how many bytes each session has uploaded."""
    manager: Any = get_instance().uploaded_file_mgr
    kept = [*manager.file_storage.items()]
    return Counter({each: sum(len(file.data) for file in [*files.values()]) for each, files in kept})


@cache
def sweep_seldom() -> None:
    """Let files on offer be swept now and then: a sweep after each run takes those of other pages that run then."""
    if Runtime.exists():
        files: Any = get_instance().media_file_mgr
        sweep, last = files.remove_orphaned_files, [time.monotonic()]

        def seldom() -> None:
            if time.monotonic() - last[0] > SWEEP:
                last[0] = time.monotonic()
                sweep()

        files.remove_orphaned_files = seldom


def drop_uploads(session: str) -> None:
    get_instance().uploaded_file_mgr.remove_session_files(session)
