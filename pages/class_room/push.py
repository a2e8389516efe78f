"""News of a class come to its students' pages by one look a second of the server, and not by one of each page.

A page that runs because its server says so runs as one whose source was changed, for which Streamlit has the way.
"""

import logging
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st
from streamlit.runtime import get_instance
from streamlit.runtime.app_session import AppSessionState
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.class_room.member import Member
from pages.class_room.room import NOW, the_store
from pages.class_room.store import Closed, Unavailable
from pages.look.modules import assets

EVERY = 1.0  # seconds
LINE = st.components.v2.component("attention_class_line", **assets(Path(__file__).with_name("line.js")))
MEMBERS: WeakValueDictionary[str, Member] = WeakValueDictionary()  # by their sessions


def keep_told(member: Member) -> None:
    """Let this page run again when there is news for its member, or a server that came back."""
    LINE(key="class_line", on_back_change=lambda: None)
    if context := get_script_run_ctx():
        MEMBERS[context.session_id] = member
        start()


@cache
def start() -> None:
    threading.Thread(target=watch, daemon=True).start()


def watch() -> None:
    while True:
        time.sleep(EVERY)
        try:
            tell(list(MEMBERS.items()), get_instance().get_app_session)
        except Exception:
            logging.getLogger(__name__).exception("students were not told of news")


def tell(members: list[tuple[str, Member]], page_of: Any) -> None:
    """Look once for all members whose pages are open, and let those run for which there is news."""
    said: dict[str, Any] = {}
    for session, member in members:
        page = page_of(session)
        if page is None or member.over:
            continue
        if member.word not in said:
            said[member.word] = None
            with suppress(Closed, Unavailable):
                said[member.word] = the_store().read(member.word, NOW)
        member.ticks += 1  # at the first its browser may still say another tab, or go to where the teacher is
        if (member.waits and member.ticks > 2) or member.now != said[member.word]:
            try:
                member.is_late |= member.look()
            except Exception:  # of one, and the others are told all the same
                logging.getLogger(__name__).exception("a student was not told of news")
        if member.is_late and page._state is not AppSessionState.APP_IS_RUNNING:  # else its run may be about to see it
            page._event_loop.call_soon_threadsafe(page.request_rerun, page._client_state)
