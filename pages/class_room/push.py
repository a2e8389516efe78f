"""News of a class come to its students' pages by one look a second of the server, and not by one of each page."""

import logging
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st

from pages.class_room.member import Member
from pages.class_room.room import NOW, the_store
from pages.class_room.store import Closed, Unavailable
from pages.look.modules import assets
from pages.server.streamlit_private import is_running, let_run, page_of, session_id

EVERY = 1.0  # seconds between two looks of the server
LINE = st.components.v2.component("attention_class_line", **assets(Path(__file__).with_name("line.js")))
MEMBERS: WeakValueDictionary[str, Member] = WeakValueDictionary()  # by their sessions


def keep_told(member: Member) -> None:
    LINE(key="class_line", on_back_change=lambda: None)
    if session := session_id():
        MEMBERS[session] = member
        start()


@cache
def start() -> None:
    threading.Thread(target=watch, daemon=True).start()


def watch() -> None:
    while True:
        time.sleep(EVERY)
        try:
            tell(list(MEMBERS.items()), page_of)
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
        member.ticks += not is_running(page)
        if member.is_teacher or member.waits or member.now != said[member.word]:
            try:
                member.is_late |= member.look()
            except Exception:  # of one, and the others are told all the same
                logging.getLogger(__name__).exception("a student was not told of news")
        if member.is_late:
            let_run(page)
