"""A tab that forges what it sends: only the holder of the key closes a class, shows or reads, whatever is tried."""

import asyncio
import json
import secrets
from contextlib import AsyncExitStack

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.class_room.room import ASK, NOW, RECORD, SECRET, Poll, Tries, open_class
from pages.class_room.sqlite_store import SqliteStore
from pages.class_room.walls import Item, written
from tests.bench.classroom import PLACE, Voter
from tests.bench.server import Server

pytestmark = pytest.mark.nightly
LINK, AUTHOR, SENTENCE = "qkv_step=softmax&", "tab-of-another-student", "a sentence of another student"
BUTTONS = {"class_close", "class_wall", "class_more", f"{PLACE}_show", f"{PLACE}_reveal"}
FORGED = 12  # tabs
KEYS = ("", "x", "%00", "*", "%27+OR+1%3D1+--", "..", "-", "a.b")


class Tab(Voter):
    """A tab that keeps all that it is sent."""

    heard, progress = b"", ""

    def _see(self, element):
        super()._see(element)
        component = element.bidi_component
        if component.component_name == "attention_progress":
            self.progress = component.id

    def _finished(self, message):
        self.heard += message.SerializeToString()
        return super()._finished(message)


def test_a_student_who_knows_all_buttons_of_the_teacher_closes_shows_and_reads_nothing(tmp_path):
    store = SqliteStore(tmp_path / "classes.sqlite")
    word, key = open_class(store, Tries(1))
    store.put(word, "wall:qkv:softmax", AUTHOR, written(Item(SENTENCE, "a weight", 0.5)))
    store.put(word, f"vote:1:{PLACE}", AUTHOR, '["mark", 1]')
    with Server(CLASS_STORE=str(store.path)) as server:
        assert asyncio.run(attack(server.port, store, word, key)) >= 30


def test_forged_tabs_that_come_and_go_fill_no_class_and_a_late_student_votes(tmp_path):
    store = SqliteStore(tmp_path / "classes.sqlite")
    word, _ = open_class(store, Tries(1))
    store.put(word, NOW, ASK + PLACE, Poll("", 0).text)
    with Server(CLASS_STORE=str(store.path)) as server:
        asyncio.run(fill(server.port, word))
    assert len(store.read(word, f"vote:1:{PLACE}")) == FORGED + 1
    for i in range(FORGED):
        assert store.read(word, f"vote:1:x{i}_0") == store.read(word, f"vote:2:{PLACE}") == {}


async def fill(port, word):
    """Forge tabs that say that they voted for a question that is asked and for many that nobody asked; then vote."""
    for i in range(FORGED):
        async with Tab(port, "", "", i) as tab:
            await tab.run()
            shelves = [f"vote:1:{PLACE}", f"vote:2:{PLACE}", *(f"vote:1:x{i}_{n}" for n in range(298))]
            kept = json.dumps({"class": [word, secrets.token_urlsafe(12), "", dict.fromkeys(shelves, "x")]})
            forged = json.dumps({"kept": kept})
            tab._chosen[tab.progress] = WidgetState(id=tab.progress, json_value=forged)
            tab._shown.add(tab.progress)
            await tab.run()
    async with Tab(port, "qkv", f"{LINK}class={word}", 1) as late:
        await late.run()
        await late.vote()


async def attack(port, store, word, key):
    """Send, from a student's tab, what a teacher's buttons send, and forged keys; return how much was tried."""
    async with AsyncExitStack() as tabs:

        async def arrive(link):
            tab = await tabs.enter_async_context(Tab(port, "qkv", LINK + link, 1))
            await tab.run()
            return tab

        teacher, thief = await arrive(f"teach={word}.{key}"), await arrive(f"class={word}")
        buttons = dict(teacher.buttons)
        await teacher.press("class_more")
        assert (buttons | teacher.buttons).keys() >= BUTTONS
        before = [store.read(word, shelf) for shelf in (NOW, RECORD, SECRET)]
        tried = 0
        for name in (buttons | teacher.buttons).values():
            for part in ("", *(teacher.fragments.keys() & thief.fragments.keys())):
                await thief.run(WidgetState(id=name, trigger_value=True), fragment=part)
                tried += 1
        for name in ("class_follow", "class_wall:qkv:softmax", "class_room", "teach_class"):
            for state in (WidgetState(id=name, bool_value=True), WidgetState(id=name, string_value="1")):
                await thief.run(state)
                tried += 1
        for forged in (*KEYS, key[:-1], key.swapcase(), word):
            tab = await arrive(f"teach={word}.{forged}")
            assert not BUTTONS & tab.buttons.keys()
            thief.heard += tab.heard
            tried += 1
        assert [store.read(word, shelf) for shelf in (NOW, RECORD, SECRET)] == before
        assert not BUTTONS & thief.buttons.keys()
        for secret in (key, AUTHOR, SENTENCE, *store.read(word, SECRET).values()):
            assert secret.encode() not in thief.heard
        await teacher.run(WidgetState(id=buttons[f"{PLACE}_show"], trigger_value=True))  # which is what does it
        assert store.read(word, NOW) != before[0]
        return tried
