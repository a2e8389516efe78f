"""File descriptors: Streamlit needs four for each tab, so a server raises its limit, and takes no tab beyond it."""

import asyncio
import errno
import logging
import os
import threading
import time
from collections import deque
from functools import cache

import streamlit as st
from streamlit.runtime import Runtime, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

try:
    import resource
except ImportError:  # Windows and Pyodide know no such limit
    resource = None  # type: ignore[assignment]

WANTED = 8192  # enough for 2,000 tabs, and less than what macOS allows at most
RESERVE = 128  # for files, requests and students' code
A_TAB = 4  # its connection, and three of the session, which Streamlit keeps for a while after the tab is closed
NONE_LEFT = (errno.EMFILE, errno.ENFILE)
SECONDS = 60.0  # between two messages of the same
DELIVERY = 0.5  # seconds until a page that is refused has reached its tab

sessions: deque[str] = deque(maxlen=1024)  # those that came last


class RateLimit(logging.Filter):
    """Let "no descriptor left to accept a connection" pass once a minute; asyncio logs it 2,000 times a second."""

    last = -SECONDS

    def filter(self, record: logging.LogRecord) -> bool:
        failure = record.exc_info[1] if record.exc_info else None
        if not isinstance(failure, OSError) or failure.errno not in NONE_LEFT:
            return True
        if (now := time.monotonic()) - self.last < SECONDS:
            return False
        self.last = now
        return True


@cache
def raise_limit() -> None:
    """Raise the limit of this process, and log the number of tabs it allows if that is not enough."""
    logging.getLogger("asyncio").addFilter(RateLimit())
    if resource is None or limit() >= WANTED:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError) as problem:
        logging.getLogger(__name__).warning("the limit of open files cannot be raised: %s", problem)
    if limit() < WANTED:
        text = "this server may open %d files, enough for some %d tabs; its hard limit (ulimit -Hn) decides"
        logging.getLogger(__name__).warning(text, limit(), (limit() - reserve()) // A_TAB)


def limit() -> float:
    """Return the limit of descriptors of this process."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if resource else -1
    return float("inf") if resource is None or soft == resource.RLIM_INFINITY else soft


def reserve() -> float:
    """Return the number of descriptors that tabs may not use."""
    return min(RESERVE, limit() // 4)


def few_left() -> bool:
    """Return whether another tab would use the reserve."""
    if limit() == float("inf"):
        return False
    try:
        return limit() - len(os.listdir("/dev/fd")) < reserve()
    except OSError as problem:  # none left to look with, or no such folder
        return problem.errno in NONE_LEFT


def admit() -> bool:
    """Return whether there is room for this session; if descriptors are short, close sessions without a tab first."""
    if "admitted" in st.session_state or not (context := get_script_run_ctx()) or not Runtime.exists():
        return True
    if few_left():
        close_disconnected()
    if few_left():
        release(context.session_id)
        return False
    sessions.append(context.session_id)
    st.session_state["admitted"] = True
    return True


def close_disconnected() -> None:
    """Close the sessions whose tabs are gone, and wait until that is done."""
    runtime, closed = get_instance(), threading.Event()
    call = loop_of(runtime).call_soon_threadsafe
    for session in [session for session in list(sessions) if not runtime.is_active_session(session)]:
        call(runtime.close_session, session)
    call(closed.set)
    closed.wait(DELIVERY)


def loop_of(runtime: Runtime) -> asyncio.AbstractEventLoop:
    """Return the event loop of the server, which Streamlit hands out by a future alone."""
    return runtime.stopped.get_loop()  # type: ignore[attr-defined]


def release(session: str) -> None:
    """Close the session of a page that was refused, once the tab has received the page."""
    runtime = get_instance()
    loop = loop_of(runtime)

    def close() -> None:
        runtime.disconnect_session(session)  # at which Streamlit also forgets the sessions that are out of date
        runtime.close_session(session)

    loop.call_soon_threadsafe(loop.call_later, DELIVERY, close)
