"""Both stores of a class do the same, whoever asks, and say so when they cannot."""

import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from shutil import disk_usage

import pytest

from pages.class_room import store as module
from pages.class_room.redis_store import RedisStore
from pages.class_room.sqlite_store import PAGE, SqliteStore, usual_file
from pages.class_room.store import Closed, Enough, Full, Left, Unavailable
from tests.at_once import at_once
from tests.class_room.conftest import redis_server


def words(store):
    """Return the words of the classes that are open, of those that the tests use."""
    found = []
    for word in (*(f"W{i}" for i in range(module.CLASSES + 2)), "A", "B"):
        with suppress(Closed):
            store.read(word, "x")
            found.append(word)
    return found


def test_a_class_keeps_the_last_text_of_each_name_on_each_shelf_for_all_servers_until_it_is_closed(stores):
    one, two = stores(), stores()
    assert one.open("A")
    assert not two.open("A")
    assert two.open("B")
    for i in range(3):
        one.put("A", "votes", "tab", str(i))
    two.put("A", "votes", "other", "é 👍 '\x00")
    two.put("A", "here", "tab", "1")
    two.put("B", "votes", "tab", "9")
    assert one.read("A", "votes") == two.read("A", "votes") == {"tab": "2", "other": "é 👍 '\x00"}
    assert one.read("A", "nothing") == {}
    one.close("A")
    assert words(two) == two.words() == ["B"]
    with pytest.raises(Closed):
        two.put("A", "votes", "tab", "3")
    assert two.open("A")
    assert one.read("A", "votes") == one.read("A", "here") == {}
    assert two.read("B", "votes") == {"tab": "9"}


def test_a_text_is_cut_and_half_of_a_character_is_kept_as_a_question_mark_and_found_under_its_own_name(store):
    half = "a\ud800"
    store.open("A")
    store.put("A", half, half, half)
    assert store.read("A", half) == store.read("A", "a?") == {"a?": "a?"}
    for act in (lambda: store.put(half, "x", "y", "z"), lambda: store.read(half, "x")):
        with pytest.raises(Closed):
            act()
    assert store.read("A", "x") == {}  # and nobody has to wait for the store
    store.put("A", "x", "a", "獅" * 2 * module.LONGEST)
    assert len(store.read("A", "x")["a"]) == module.LONGEST


def test_a_class_is_gone_a_day_after_it_was_opened_however_it_was_used(store):
    store.clock = lambda: time.time() - module.DAY + 60
    store.open("A")
    store.put("A", "x", "y", "z")
    store.clock = lambda: time.time() - module.DAY - 60
    store.open("B")
    store.clock = time.time
    store.put("A", "x", "y", "z")
    assert words(store) == ["A"]
    if isinstance(store, RedisStore):
        with store.connected() as server:
            lasting = {key: server.ttl(key) for key in server.keys("class:*")}
        assert len(lasting) == 3
        assert all(0 < seconds <= 60 for seconds in lasting.values())
    store.open("W0")
    assert sorted(store.words()) == ["A", "W0"]


def test_the_class_that_is_idle_for_longest_gives_way_and_none_that_is_not(store):
    now = time.time()
    for i in range(module.CLASSES):
        store.clock = lambda i=i: now + i
        assert store.open(f"W{i}")
    store.clock = lambda: now + module.IDLE + 1
    store.put("W0", "x", "y", "z")
    assert store.open("A")
    with pytest.raises(Unavailable, match=r"too many .* later"):
        store.open("B")
    assert words(store) == ["W0", *(f"W{i}" for i in range(2, module.CLASSES)), "A"]


def test_a_seat_has_a_share_of_its_own_and_so_has_the_teacher(store, monkeypatch):
    monkeypatch.setattr(module, "SHARE", 3 * (module.OF_A_ROW + 10))
    monkeypatch.setattr(module, "TEACHERS", 3 * (module.OF_A_ROW + 10))
    store.open("A")
    for shelf in ("here", "vote:1:a", "wall:a:b"):  # the shelf of signs counts like any other
        store.put("A", shelf, "greedy", "x" * 10)
    for shelf in ("vote:1:b", "wall:a:c"):
        with pytest.raises(Enough):
            store.put("A", shelf, "greedy", "")
    store.put("A", "vote:1:a", "greedy", "y" * 10)  # in place of the one before
    store.put("A", "vote:1:b", "other", "x")
    store.put("A", "now", "ask", "x" * 9)
    store.put("A", "record", "it", "x" * 9)
    with pytest.raises(Enough):
        store.put("A", "now", "more", "x" * 999)
    assert store.read("A", "vote:1:a") == {"greedy": "y" * 10}
    assert {*store.read("A", "now"), *store.read("A", "record")} == {"ask", "it"}


def test_who_is_silent_gives_a_seat_away_first_who_sent_nothing_and_who_is_here_never_does(store, monkeypatch):
    monkeypatch.setattr(module, "SEATS", 4)
    now = time.time()
    store.open("A")
    store.put("A", "now", "b", "of the teacher")
    for later, tab in enumerate("abcd"):
        store.clock = lambda later=later: now + later
        store.put("A", "vote:1:x" if tab < "d" else "here", tab, str(round(now + later)))
    with pytest.raises(Full):
        store.put("A", "vote:1:x", "late", "1")
    store.clock = lambda: now + module.SILENT + 4
    for tab in ("a", "quiet"):  # in place of d
        store.put("A", "here", tab, str(round(now + module.SILENT + 4)))
    assert {*store.read("A", "vote:1:x")} == {*"abc"}
    store.put("A", "wall:x:y", "late", "1")  # in place of b
    assert {*store.read("A", "vote:1:x")} == {"a", "c"}
    assert {*store.read("A", "here")} == {"a", "c", "quiet", "late"}
    assert store.read("A", "now") == {"b": "of the teacher"}
    store.clock = lambda: now + module.SILENT + 5
    for forged in "defgh":
        with suppress(Full):
            store.put("A", "vote:1:x", forged, "1")
    assert {"a", "late"} < {*store.read("A", "here")}


def test_a_tab_that_is_dropped_leaves_nothing_and_no_other_loses_anything(stores):
    store = stores()
    shelves = ("here", "vote:1:qkv_ratio", "wall:qkv:softmax", "now", "record")
    for word, tab in (("A", "a"), ("A", "b"), ("B", "a")):
        store.open(word)
        for shelf in shelves:
            store.put(word, shelf, tab, "text")
    stores().drop("A", "a")
    assert [sorted(store.read("A", shelf)) for shelf in shelves] == [["b"]] * 3 + [["a", "b"]] * 2
    assert [*store.read("B", "wall:qkv:softmax")] == ["a"]
    for word, tab in (("A", "nobody"), ("C", "a"), ("A", "\ud800")):
        store.drop(word, tab)
    store.put("A", "wall:qkv:softmax", "a", "once more")
    assert len(store.read("A", "wall:qkv:softmax")) == 2


def test_where_the_file_is_half_full_only_a_class_that_has_little_takes_more(tmp_path, monkeypatch):
    store = SqliteStore(tmp_path / "classes.sqlite")
    for word in "AB":
        store.open(word)
    monkeypatch.setattr(module, "CLASSES", 10)
    store.most = 60 * PAGE
    told = []
    with suppress(Full):
        for i in range(60):
            store.put("A", "wall:x:y", f"{i}", "x" * module.LONGEST)
            told.append(store.problem("A"))
    # Its teacher is told before anything is refused.
    assert [*dict.fromkeys(told)] == ["", module.NEARLY, module.NO_ROOM]
    store.put("A", "record", "it", "of the teacher")
    with store.connected() as line:
        pages, free = (line.execute(f"PRAGMA {of}").fetchone()[0] for of in ("page_count", "freelist_count"))
    store.most = 2 * (pages - free) * PAGE
    assert store.problem("A") == module.NEARLY  # at half, and none is over it
    assert store.problem("B") == ""
    store.put("B", "vote:1:x", "tab", "1")
    store.close("A")
    assert store.read("B", "vote:1:x") == {"tab": "1"}


def test_where_redis_is_nearly_full_a_teacher_is_told_and_where_it_is_full_only_votes_are_changed(redis_address):
    store = RedisStore(redis_address)
    store.open("A")
    store.put("A", "vote:1:x", "tab", "1")
    with store.connected() as server:
        used, most = server.info("memory")["used_memory"], server.config_get("maxmemory")["maxmemory"]
        try:
            no_limit = float("inf")
            for part, problem in ((no_limit, ""), (0.6, ""), (0.75, module.NEARLY), (0.9, module.NO_ROOM)):
                server.config_set("maxmemory", int(used / part))
                assert store.problem("A") == problem
            store.put("A", "vote:1:x", "tab", "2")
            store.put("A", "record", "it", "of the teacher")
            with pytest.raises(Full, match="store of the classes is full"):
                store.put("A", "vote:1:x", "late", "1")
        finally:
            server.config_set("maxmemory", most)
            server.flushall()


def test_on_a_disk_that_is_full_a_class_is_closed_and_its_answers_are_gone(tmp_path, monkeypatch):
    store = SqliteStore(tmp_path / "classes.sqlite")
    for word in "AB":
        store.open(word)
        for i in range(50):
            store.put(word, "vote:1:x", f"{i}", f"an answer in {word}")

    def unless_full(act):
        def tried(self, *arguments):
            if self.reserve.exists():  # the disk is full as long as it is there
                raise Full(module.NO_ROOM)
            return act(self, *arguments)

        return tried

    for name in ("place", "change"):
        monkeypatch.setattr(SqliteStore, name, unless_full(getattr(SqliteStore, name)))
    store.put("A", "record", "it", "of the teacher")
    assert store.read("A", "record") == {"it": "of the teacher"}
    assert store.problem("A") == ""  # there is room again, which is set aside again
    with pytest.raises(Full):
        store.put("A", "vote:1:x", "late", "1")
    store.close("A")
    assert not any(b"an answer in A" in path.read_bytes() for path in tmp_path.iterdir())
    assert len(store.read("B", "vote:1:x")) == 50
    assert store.open("A")


def is_taught(store, word):
    """Reveal, record and close on a disk that takes nothing."""
    assert store.problem(word) == module.READ_ONLY
    with pytest.raises(Full):
        store.put(word, "vote:1:x", "late", "1")
    for shelf in ("now", "record"):
        store.put(word, shelf, "it", "revealed")
        assert store.read(word, shelf) == {"it": "revealed"}


@pytest.mark.parametrize("clean", [True, False])
def test_on_a_disk_that_is_read_only_a_class_is_revealed_and_closed_and_the_file_follows_later(
    clean, tmp_path, monkeypatch
):
    before, store = (SqliteStore(tmp_path / "a class?.sqlite") for _ in range(2))
    for word in "AB":
        before.open(word)
        before.put(word, "vote:1:x", "tab", "an answer")
    if clean:  # or another server has it open, with its other file
        before.let_go()
    with monkeypatch.context() as only_read:
        only_read.setattr(SqliteStore, "is_read_only", True)
        for word in "AB":
            is_taught(store, word)
        with pytest.raises(Left):
            store.close("B")
        for gone in "BC":
            for act in (lambda w: store.read(w, "now"), lambda w: store.put(w, "now", "it", "")):
                with pytest.raises(Closed):
                    act(gone)
    with suppress(Full):  # of what was opened to be read
        store.put("A", "vote:1:x", "late", "1")
    store.put("A", "vote:1:x", "late", "1")
    assert SqliteStore(store.path).read("A", "now") == {"it": "revealed"}
    store.close(*store.ended)
    assert SqliteStore(store.path).words() == ["A"]
    assert not store.ended


@pytest.mark.nightly
def test_a_file_system_that_students_have_filled_still_closes_and_records(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)]
    if subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("this test needs the right to mount a file system")
    try:
        store = SqliteStore(folder / "classes.sqlite")
        for word in "AB":
            store.open(word)
        put = refused = 0
        for i in range(900):
            try:
                store.put("AB"[i % 2], "vote:1:x", f"{i}", "y" * 3000)
                put += 1
            except Full:
                refused += 1
        (folder / "other").write_bytes(bytes(disk_usage(folder).free))  # and what else has grown takes the rest
        assert put > 100
        assert refused > 100
        assert store.problem("A")
        store.put("A", "record", "it", "of the teacher")
        store.close("A")
        assert not any(b"yyyyyyyy" in path.read_bytes() for path in folder.glob("*-wal"))
        with pytest.raises(Closed):
            store.read("A", "record")
        store.close("B")
        assert not any(b"yyyyyyyy" in path.read_bytes() for path in folder.iterdir())
        (folder / "other").unlink()
        assert store.open("A")
        store.put("A", "vote:1:x", "tab", "1")
        store.let_go()
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        is_taught(store, "A")
        with pytest.raises(Left):
            store.close("A")
        subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True)
        with suppress(Full):
            store.close("A")
        store.close("A")
        assert (store.words(), store.ended) == ([], set())
        store.let_go()
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_what_several_servers_write_at_once_is_all_there(stores):
    each = [stores() for _ in range(4)]
    each[0].open("A")
    waiting = iter(range(4))

    def write():
        mine = next(waiting)
        for i in range(25):
            each[mine].put("A", "x", f"{mine} {i}", "1")

    assert at_once(4, write) == [None] * 4
    assert len(each[0].read("A", "x")) == 100


def test_a_store_that_cannot_be_had_says_so_at_once_from_the_second_time_on_and_is_had_again(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    monkeypatch.setattr("pages.class_room.redis_store.PATIENCE", 0.05)
    nowhere = SqliteStore(tmp_path / "none" / "classes.sqlite")
    for store in (nowhere, RedisStore("redis://127.0.0.1:1")):
        for call in (lambda s: s.open("A"), lambda s: s.put("A", "x", "y", "z"), lambda s: s.read("A", "x")) * 2:
            with pytest.raises(Unavailable):
                call(store)
    nowhere.path.parent.mkdir()
    time.sleep(0.1)
    assert nowhere.open("A")


def test_a_file_that_another_program_locks_is_no_more_than_a_moment_late(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    store = SqliteStore(tmp_path / "classes.sqlite")
    store.open("A")
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="locked"):
        store.put("A", "x", "y", "1")
    other.execute("ROLLBACK")
    other.close()
    time.sleep(0.1)
    store.put("A", "x", "y", "2")
    assert store.read("A", "x") == {"y": "2"}


def test_a_file_that_is_damaged_or_was_removed_says_so_and_what_was_said_is_in_none_after_the_class(tmp_path):
    store = SqliteStore(tmp_path / "classes.sqlite")
    store.open("A")
    store.put("A", "x", "y", "a sentence of a student")
    assert any(b"a sentence of" in path.read_bytes() for path in tmp_path.iterdir())
    store.close("A")
    assert not any(b"a sentence of" in path.read_bytes() for path in tmp_path.iterdir())
    store.open("A")
    for path in tmp_path.iterdir():
        path.unlink()
    with pytest.raises(Closed):
        store.put("A", "x", "y", "z")
    store.let_go()
    (tmp_path / "classes.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(Unavailable, match="not a database"):
        store.read("A", "x")


def test_what_a_server_that_was_killed_had_stored_is_there(tmp_path):
    path = tmp_path / "classes.sqlite"
    code = f"""
import os, signal
from pathlib import Path
from pages.class_room.sqlite_store import SqliteStore
store = SqliteStore(Path({str(path)!r}))
store.open("A")
for i in range(50):
    store.put("A", "x", str(i), "1")
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert len(SqliteStore(path).read("A", "x")) == 50


def test_a_redis_that_is_started_again_has_its_classes_and_its_file_nothing_of_what_was_closed(tmp_path):
    def is_told(text):
        return any(text in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())

    with redis_server(tmp_path) as address:
        for word in "AB":
            RedisStore(address).open(word)
            RedisStore(address).put(word, "vote:1:x", f"tab of {word}", "1")
    with redis_server(tmp_path) as address:
        store = RedisStore(address)
        assert store.read("A", "vote:1:x") == {"tab of A": "1"}
        store.drop("A", "tab of A")
        store.close("B")
        waits = iter(range(600))
        while is_told(b"of A") or is_told(b"of B"):
            time.sleep(0.1 * (next(waits) > 0))
            store.sweep()  # as every ten minutes, where it was at it already


def test_the_usual_file_is_in_a_folder_that_nobody_else_reads(tmp_path, monkeypatch):
    monkeypatch.setattr("pages.class_room.sqlite_store.gettempdir", lambda: str(tmp_path))
    assert usual_file().parent.stat().st_mode & 0o77 == 0
    folder = usual_file().parent
    folder.rmdir()
    folder.symlink_to(tmp_path)
    with pytest.raises(Unavailable, match="CLASS_STORE"):
        usual_file()
