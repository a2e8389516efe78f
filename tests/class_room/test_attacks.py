"""A tab that forges what it sends: only the holder of the key closes a class, shows or reads, whatever is tried."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.class_room.room import NOW, RECORD, SECRET, Tries, open_class
from pages.class_room.store import SqliteStore
from pages.class_room.walls import Item, written
from tests.bench.class_room import PLACE, Voter
from tests.bench.server import Server

pytestmark = pytest.mark.nightly
LINK, AUTHOR, SENTENCE = "qkv_step=softmax&", "tab-of-another-student", "a sentence of another student"
BUTTONS = {"class_close", "class_wall", "class_more", f"{PLACE}_show", f"{PLACE}_reveal"}
KEYS = ("", "x", "%00", "*", "%27+OR+1%3D1+--", "..", "-", "a.b")


class Tab(Voter):
    """A tab that keeps all that it is sent."""

    heard = b""

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
