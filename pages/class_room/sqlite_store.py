"""A class in a file of SQLite, which every Python has."""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import disk_usage
from tempfile import gettempdir

from pages.class_room import store
from pages.class_room.store import Closed, Enough, Full, Left, Unavailable, is_from_tab, whole

ALL, PAGE = 256 << 20, 4096  # bytes of the file, at most those of its disk; and of one of its pages
RESERVE, LEAST = 2 << 20, 128 << 10  # bytes that are set aside to close a class on a full disk, at most and at least
AT_ONCE = 1000, 20  # texts of a closed class that are deleted at once; and where the disk is full
TABLES = """ -- a class that is kept counts as opened a day before its end
PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; PRAGMA foreign_keys=ON;
PRAGMA wal_autocheckpoint=32;
CREATE TABLE IF NOT EXISTS class (word TEXT PRIMARY KEY, opened REAL, used REAL);
CREATE TABLE IF NOT EXISTS kept (word TEXT REFERENCES class ON DELETE CASCADE, shelf TEXT, name TEXT, text TEXT,
    PRIMARY KEY (word, shelf, name)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS of_a_tab ON kept (word, name);
"""
STUDENTS = "(shelf = 'here' OR instr(shelf, ':'))"  # what a tab sends of itself: signs, votes and texts for walls
DROP = f"DELETE FROM kept WHERE word=? AND name=? AND {STUDENTS}"
SIT = """
INSERT INTO kept SELECT :word, 'here', :name, :now
WHERE (SELECT count(*) FROM kept WHERE word=:word AND shelf='here') < :seats
    OR EXISTS (SELECT 1 FROM kept WHERE word=:word AND shelf='here' AND name=:name)
ON CONFLICT DO UPDATE SET text=:now
"""
SILENT_LONGEST = """
SELECT name FROM kept AS seat WHERE word=:word AND shelf='here' AND CAST(text AS REAL) <= :now - :silent
ORDER BY EXISTS (SELECT 1 FROM kept WHERE word=:word AND name=seat.name AND instr(shelf, ':')),
    CAST(text AS REAL) LIMIT 1
"""
SIZE = f"SELECT coalesce(sum(length(CAST(text AS BLOB)) + {store.OF_A_ROW}), 0) FROM kept WHERE word=:word"
OF_OTHERS = "AND NOT (shelf=:shelf AND name=:name)"
KNOWN = "SELECT 1 FROM kept WHERE word=:word AND shelf=:shelf AND name=:name"
PUT = "INSERT INTO kept VALUES (:word, :shelf, :name, :text) ON CONFLICT DO UPDATE SET text=:text"
GIVE_WAY = """
DELETE FROM class WHERE used <= :since AND word IN
    (SELECT word FROM class WHERE opened <= :now ORDER BY used DESC LIMIT -1 OFFSET :most - 1)
"""
SOME = """
DELETE FROM kept WHERE (word, shelf, name) IN
    (SELECT word, shelf, name FROM kept JOIN class USING (word) WHERE opened <= ? LIMIT ?)
"""


class SqliteStore:
    """A file. Several servers may have the same one."""

    def __init__(self, path: Path) -> None:
        self.path, self.clock = path, time.time
        self.lock = threading.Lock()
        self.line: sqlite3.Connection | None = None
        self.file: tuple[int, int] | None = None  # the one that is open: somebody may have put another in its place
        self.silent_until, self.most = 0.0, ALL
        self.held: dict[str, dict[tuple[str, str], str]] = {}  # what teachers said that the disk did not take yet
        self.ended: set[str] = set()  # the classes that it still has

    def open(self, word: str) -> bool:
        with self.transaction() as line:
            line.execute("DELETE FROM class WHERE opened <= ?", (self.clock() - store.DAY,))
            if line.execute("SELECT 1 FROM class WHERE word=?", (word,)).fetchone():
                return False
            line.execute(GIVE_WAY, {"since": self.clock() - store.IDLE, "most": store.CLASSES, "now": self.clock()})
            here = line.execute("SELECT count(*) FROM class WHERE opened <= ?", (self.clock(),)).fetchone()[0]
            if here >= store.CLASSES:
                raise Unavailable(store.MANY)
            line.execute("INSERT INTO class VALUES (:word, :now, :now)", {"word": word, "now": self.clock()})
        return True

    def keep(self, word: str, keeps: bool) -> None:
        with self.transaction() as line:
            now, others = self.clock(), "SELECT count(*) FROM class WHERE opened > ? AND word <> ?"
            if keeps and line.execute(others, (now, word)).fetchone()[0] >= store.CLASSES:
                raise Unavailable(store.MANY_KEPT)
            lasts = "UPDATE class SET opened=? WHERE word=? AND opened > ?"
            if not line.execute(lasts, (now + keeps * (store.FORTNIGHT - store.DAY), word, now - store.DAY)).rowcount:
                raise Closed

    def put(self, word: str, shelf: str, name: str, text: str) -> None:
        word, shelf, name, text = map(whole, (word, shelf, name, text[: store.LONGEST]))
        values = {"word": word, "shelf": shelf, "name": name, "text": text}
        try:
            self.place(values)
        except Full:
            if is_from_tab(shelf):
                raise
            self.give_up_reserve()
            try:
                self.place(values)
            except Full:
                self.read(word, shelf)  # if the class is there
                if sum(map(len, self.held.setdefault(word, {}).values())) > store.TEACHERS:
                    raise
                self.held[word][shelf, name] = text

    def place(self, values: dict[str, str]) -> None:
        with self.transaction() as line:
            now, word = self.clock(), values["word"]
            used = line.execute("UPDATE class SET used=? WHERE word=? AND opened > ?", (now, word, now - store.DAY))
            if not used.rowcount or word in self.ended:
                raise Closed
            values["now"] = str(round(now))
            if is_from_tab(values["shelf"]):
                self.take_seat(line, values)
                share, own = store.SHARE, f"{SIZE} AND name=:name AND {STUDENTS} {OF_OTHERS}"
                if not line.execute(KNOWN, values).fetchone() and (problem := self.problem_in(line, word)):
                    raise Full(problem)
            else:
                share, own = store.TEACHERS, f"{SIZE} AND NOT {STUDENTS} {OF_OTHERS}"
            if line.execute(own, values).fetchone()[0] + store.OF_A_ROW + len(values["text"].encode()) > share:
                raise Enough(store.ENOUGH)
            line.execute(PUT, values)
            for (of, name), text in (held := self.held.get(word, {})).items():
                line.execute(PUT, values | {"shelf": of, "name": name, "text": text})
        held.clear()

    def take_seat(self, line: sqlite3.Connection, values: dict[str, str]) -> None:
        """Give a tab a seat, if it has none: a free one, or that of a tab which is silent for long."""
        limits = {"seats": store.SEATS, "silent": store.SILENT}
        while not line.execute(SIT, values | limits).rowcount:
            silent = line.execute(SILENT_LONGEST, values | limits).fetchone()
            if not silent:
                raise Full(store.NO_SEAT)
            line.execute(DROP, (values["word"], *silent))

    def drop(self, word: str, tab: str) -> None:
        self.change(DROP, whole(word), whole(tab))

    def problem(self, word: str) -> str:
        with self.connected() as line:
            soon = self.problem_in(line, word, 0.4) or disk_usage(self.path.parent).free < RESERVE
            return self.problem_in(line, word) or store.NEARLY * bool(soon)

    def problem_in(self, line: sqlite3.Connection, word: str, part: float = 0.5) -> str:
        """Return why no more answers are taken: half of the file is for all, the rest for classes that have little."""
        if self.is_read_only:
            return store.READ_ONLY
        pages, free = (line.execute(f"PRAGMA {of}").fetchone()[0] for of in ("page_count", "freelist_count"))
        few = self.most // 4 // store.CLASSES
        if (pages - free) * PAGE > part * self.most and line.execute(SIZE, {"word": word}).fetchone()[0] > few:
            return store.NO_ROOM
        return "" if self.has_reserve() else store.NO_ROOM

    @property
    def reserve(self) -> Path:
        return self.path.with_name(f"{self.path.name}-reserve")

    def give_up_reserve(self) -> None:
        with suppress(OSError):
            self.reserve.unlink()

    @property
    def is_read_only(self) -> bool:
        return self.path.exists() and not os.access(self.path.parent, os.W_OK)

    def has_reserve(self) -> bool:
        """Return whether there is room to close a class where the disk is full; set it aside if there is none yet."""
        size = min(RESERVE, disk_usage(self.path.parent).free // 4)
        if not self.reserve.exists() and size >= LEAST:
            with suppress(FileExistsError), self.reserve.open("xb") as file:
                file.write(bytes(size))
        return self.reserve.exists()

    def read(self, word: str, shelf: str) -> dict[str, str]:
        word, shelf = whole(word), whole(shelf)
        with self.connected() as line:
            open = "SELECT 1 FROM class WHERE word=? AND opened > ?"
            if word in self.ended or not line.execute(open, (word, self.clock() - store.DAY)).fetchone():
                raise Closed
            found = dict(line.execute("SELECT name, text FROM kept WHERE word=? AND shelf=?", (word, shelf)))
        return found | {name: text for (of, name), text in [*self.held.get(word, {}).items()] if of == shelf}

    def words(self) -> list[str]:
        since = self.clock() - store.DAY
        with self.connected() as line:
            return [word for (word,) in line.execute("SELECT word FROM class WHERE opened > ?", (since,))]

    def close(self, word: str) -> None:
        since = self.clock() - store.DAY
        for at_once in AT_ONCE:
            with suppress(Full):
                self.change("UPDATE class SET opened=0 WHERE word=?", word)
                while self.change(SOME, since, at_once):
                    pass
                self.change("DELETE FROM class WHERE opened <= ?", since)
                self.ended.discard(word)
                return
            if word:  # and not where the sweep finds nothing to do
                self.give_up_reserve()
        if word:
            self.ended.add(word)
        raise Left(store.LEFT)

    def change(self, how: str, *values: str | float) -> int:
        """Change the file, and its other file too, where the answers would stand; return how many lines."""
        with self.connected() as line:
            changed = line.execute(how, values).rowcount
            line.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return changed

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Give the file for changes that all happen, or none."""
        with self.connected() as line, line:
            line.execute("BEGIN IMMEDIATE")
            yield line

    @contextmanager
    def connected(self) -> Iterator[sqlite3.Connection]:
        """Give the file to one thread at a time. After a failure it is left alone for a while, or pages wait."""
        if time.monotonic() < self.silent_until or not self.lock.acquire(timeout=store.PATIENCE):
            raise Unavailable("The store of the class does not answer.")
        try:
            yield self.line_to_file()
        except (sqlite3.Error, OSError) as problem:
            if (code := getattr(problem, "sqlite_errorcode", 0)) == sqlite3.SQLITE_FULL:
                raise Full(store.NO_ROOM) from problem
            if code & 0xFF == sqlite3.SQLITE_READONLY:
                self.let_go()
                raise Full(store.READ_ONLY) from problem
            self.silent_until = time.monotonic() + store.PATIENCE
            self.let_go()
            raise Unavailable(f"The store of the class does not answer ({problem}).") from problem
        finally:
            self.lock.release()

    def line_to_file(self) -> sqlite3.Connection:
        if self.line is None or self.file != (found := identity(self.path)):
            self.let_go()
            file, how = self.path.absolute().as_uri(), ""
            if self.is_read_only:  # where its other file is, SQLite reads that too
                how = "?mode=ro" if self.path.with_name(f"{self.path.name}-wal").exists() else "?immutable=1"
            self.line = sqlite3.connect(
                file + how, timeout=store.PATIENCE, isolation_level=None, check_same_thread=False, uri=True
            )
            if not how:
                self.line.executescript(TABLES)
            self.most = min(ALL, disk_usage(self.path.parent).total)
            self.line.execute(f"PRAGMA max_page_count={self.most // PAGE}")
            found = identity(self.path)
        self.file = found
        return self.line

    def let_go(self) -> None:
        line, self.line = self.line, None
        if line:
            with suppress(sqlite3.Error):
                line.close()

    __del__ = let_go

    def sweep(self) -> None:
        """Forget what is too old, also where nobody comes any more."""
        for word in ("", *self.ended):
            with suppress(Unavailable):
                self.close(word)


def identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another that has its name; None where there is none."""
    with suppress(FileNotFoundError):
        return (found := path.stat()).st_dev, found.st_ino
    return None


def usual_file() -> Path:
    """Return a file in a folder of this user alone, in the folder for what is temporary."""
    user = getattr(os, "getuid", int)()
    folder = Path(gettempdir()) / f"attention-classes-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as problem:
        raise Unavailable(f"{folder} cannot be made: name a file in {store.SETTING}.") from problem
    if os.name == "posix" and (folder.lstat().st_uid != user or folder.is_symlink()):
        raise Unavailable(f"{folder} belongs to another user: name a file in {store.SETTING}.")
    return folder / "classes.sqlite"
