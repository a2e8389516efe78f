"""Where a class is kept while it meets: a small interface, and a file of SQLite, which every Python has.

A class is texts on shelves. Everything is gone once it is closed, or a day after it was opened.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir
from typing import Protocol

SETTING = "CLASS_STORE"  # a file, or an address such as redis://localhost
CLASSES, DAY = 100, 24 * 3600.0  # classes at once; seconds that one lasts
IDLE = 600.0  # seconds without a sign of anybody, after which one may give way to another
ON_A_SHELF, LONGEST = 2000, 6000  # texts, of which a class has ten times as many; and characters of one
PATIENCE = 1.0  # seconds for an answer, and until it is asked for again after there was none
SWEEP = 600.0  # seconds between two looks for what is too old
TABLES = """
PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; PRAGMA foreign_keys=ON;
CREATE TABLE IF NOT EXISTS class (word TEXT PRIMARY KEY, opened REAL, used REAL);
CREATE TABLE IF NOT EXISTS kept (word TEXT REFERENCES class ON DELETE CASCADE, shelf TEXT, name TEXT, text TEXT,
    PRIMARY KEY (word, shelf, name)) WITHOUT ROWID;
"""
PUT = """
INSERT INTO kept SELECT :word, :shelf, :name, :text
WHERE (SELECT count(*) FROM kept WHERE word=:word AND shelf=:shelf) < :most  -- and what students send, all in all:
    AND (instr(:shelf, ':') = 0 OR (SELECT count(*) FROM kept WHERE word=:word) < 10 * :most)
    OR EXISTS (SELECT 1 FROM kept WHERE word=:word AND shelf=:shelf AND name=:name)
ON CONFLICT DO UPDATE SET text=:text
"""
GIVE_WAY = """
DELETE FROM class WHERE used <= :since AND word IN (SELECT word FROM class ORDER BY used DESC LIMIT -1 OFFSET :most - 1)
"""
MANY = "There are too many classes here now. Try again later."


class Closed(Exception):
    """There is no such class, or no longer."""


class Unavailable(Exception):
    """The store cannot be had now, or takes no more."""


class Store(Protocol):
    """What a class needs. Each of these may raise `Unavailable`; `put` and `read` raise `Closed` without the class."""

    clock: Callable[[], float]

    def open(self, word: str) -> bool:
        """Begin a class, unless its word is in use; where there are too many, one that is idle gives way."""

    def put(self, word: str, shelf: str, name: str, text: str) -> None:
        """Place a text on a shelf of a class, in place of what had that name."""

    def read(self, word: str, shelf: str) -> dict[str, str]:
        """Return all texts on a shelf, by their names."""

    def close(self, word: str) -> None:
        """Forget a class."""


def whole(text: str) -> str:
    """Return a text as a store can keep it: a browser can send halves of characters."""
    return text.encode(errors="replace").decode()


class SqliteStore:
    """A file. Several servers may have the same one."""

    def __init__(self, path: Path) -> None:
        self.path, self.clock = path, time.time
        self.lock = threading.Lock()
        self.line: sqlite3.Connection | None = None
        self.file: tuple[int, int] | None = None  # the one that is open: somebody may have put another in its place
        self.silent_until = 0.0

    def open(self, word: str) -> bool:
        with self.transaction() as line:
            line.execute("DELETE FROM class WHERE opened <= ?", (self.clock() - DAY,))
            if line.execute("SELECT 1 FROM class WHERE word=?", (word,)).fetchone():
                return False
            line.execute(GIVE_WAY, {"since": self.clock() - IDLE, "most": CLASSES})
            if line.execute("SELECT count(*) FROM class").fetchone()[0] >= CLASSES:
                raise Unavailable(MANY)
            line.execute("INSERT INTO class VALUES (:word, :now, :now)", {"word": word, "now": self.clock()})
        return True

    def put(self, word: str, shelf: str, name: str, text: str) -> None:
        word, shelf, name, text = map(whole, (word, shelf, name, text))
        with self.transaction() as line:
            now = self.clock()
            used = line.execute("UPDATE class SET used=? WHERE word=? AND opened > ?", (now, word, now - DAY))
            if not used.rowcount:
                raise Closed
            values = {"word": word, "shelf": shelf, "name": name, "text": text[:LONGEST], "most": ON_A_SHELF}
            if not line.execute(PUT, values).rowcount:
                raise Unavailable("The class is full.")

    def read(self, word: str, shelf: str) -> dict[str, str]:
        word, shelf = whole(word), whole(shelf)
        with self.connected() as line:
            open = "SELECT 1 FROM class WHERE word=? AND opened > ?"
            if not line.execute(open, (word, self.clock() - DAY)).fetchone():
                raise Closed
            return dict(line.execute("SELECT name, text FROM kept WHERE word=? AND shelf=?", (word, shelf)))

    def close(self, word: str) -> None:
        with self.transaction() as line:
            line.execute("DELETE FROM class WHERE word=? OR opened <= ?", (word, self.clock() - DAY))
        with self.connected() as line:
            line.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # or the answers would stand in its other file

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Give the file for changes that all happen, or none."""
        with self.connected() as line, line:
            line.execute("BEGIN IMMEDIATE")
            yield line

    @contextmanager
    def connected(self) -> Iterator[sqlite3.Connection]:
        """Give the file to one thread at a time. After a failure it is left alone for a while, or pages wait."""
        if time.monotonic() < self.silent_until or not self.lock.acquire(timeout=PATIENCE):
            raise Unavailable("The store of the class does not answer.")
        try:
            yield self.line_to_file()
        except (sqlite3.Error, OSError) as problem:
            self.silent_until = time.monotonic() + PATIENCE
            self.let_go()
            raise Unavailable(f"The store of the class does not answer ({problem}).") from problem
        finally:
            self.lock.release()

    def line_to_file(self) -> sqlite3.Connection:
        if self.line is None or self.file != (found := identity(self.path)):
            self.let_go()
            self.line = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
            self.line.executescript(TABLES)
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
        """Forget what is too old now and then, also where nobody comes any more."""
        while True:
            time.sleep(SWEEP)
            with suppress(Unavailable):
                self.close("")


def identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another that has its name; None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def usual_file() -> Path:
    """Return a file in a folder of this user alone, in the folder for what is temporary."""
    user = getattr(os, "getuid", int)()
    folder = Path(gettempdir()) / f"attention-classes-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as problem:
        raise Unavailable(f"{folder} cannot be made: name a file in {SETTING}.") from problem
    if os.name == "posix" and (folder.lstat().st_uid != user or folder.is_symlink()):
        raise Unavailable(f"{folder} belongs to another user: name a file in {SETTING}.")
    return folder / "classes.sqlite"
