"""A class: its word, its teacher's key, the questions that it is asked, and what was answered."""

import hmac
import json
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from pages.class_room.sqlite_store import SqliteStore, usual_file
from pages.class_room.store import FORTNIGHT, HERE, IDLE, SETTING, Closed, Store, Unavailable

LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # no 0 and O, no 1 and I
WORD = re.compile(f"[{LETTERS}]{{4}}")
TAB = re.compile(r"[\w-]{16,30}", re.ASCII)  # how the random id of a tab looks
SECRET, NOW, USED = "secret", "now", "used"  # shelves: the key, what the teacher says, and that the class is in use
RECORD = "record"  # and how often each answer was given to what was revealed
VIEW, PART, FOLLOW, ASK, OWN, KEPT = "view", "part", "follow", "ask:", "own:", "kept"  # on the second; KEPT: until when
SEAT = "term:seat"  # the shelf with how far each seat is in the lessons
OPEN, SHOWN, LATER, REVEALED = "open", "shown", "later", "revealed"  # of a question
HELD, JOINED, HALF = 20, 10, 50  # classes that an address may have open, one more for so many tabs in them, and at most
SWEEP = 600.0  # seconds between two looks for what is too old
ABSENT = 40.0  # seconds without a sign after which a tab is not here


@cache
def the_store() -> Store:
    setting = os.environ.get(SETTING, "")
    if "://" in setting:
        from pages.class_room.redis_store import RedisStore

        store: RedisStore | SqliteStore = RedisStore(setting)
    else:
        store = SqliteStore(Path(setting) if setting else usual_file())
    threading.Thread(target=keep_swept, args=(store,), daemon=True).start()
    return store


def keep_swept(store: Any) -> None:
    while True:
        time.sleep(SWEEP)
        store.sweep()


class Poll(NamedTuple):
    """A question as a teacher asks it: which one it is, by its fingerprint, and how far it has come."""

    mark: str
    variant: int
    turn: int = 1  # which vote it is; a class may vote again, once
    stage: str = OPEN
    view: str = ""  # of one that is asked again at the end of the class
    shift: str = ""  # where the second vote is on a variant: how many of the first were right, "3 of 9"

    @property
    def text(self) -> str:
        return json.dumps(self)

    @classmethod
    def of(cls, text: str | None) -> "Poll | None":
        match read(text):
            case [str(), int(), (1 | 2), ("open" | "shown" | "later" | "revealed"), str(), *_] as found:
                return cls(*found[:5], *map(str, found[5:6]))  # an earlier version has five
        return None


class Tries:
    """How many different words may be tried within some seconds. Only their hashes are kept."""

    def __init__(self, most: int, seconds: float = 60.0) -> None:
        self.most, self.seconds = most, seconds
        self.tried: dict[int, float] = {}
        self.lock = threading.Lock()

    def may(self) -> bool:
        with self.lock:
            since = time.monotonic() - self.seconds
            self.tried = {word: when for word, when in self.tried.items() if when > since}
            return len(self.tried) < self.most

    def note(self, word: str) -> None:
        with self.lock:
            self.tried[hash(word)] = time.monotonic()


@lru_cache(maxsize=1000)  # addresses
def tries_of(address: str, what: str) -> Tries:
    """Return how often an address may be wrong and may open a class."""
    return Tries(MAY[what])


MAY = {"wrong": 120, "opened": 20}  # in a minute: a word is found by one try in a million, and 100 are in use
OPENED: dict[str, dict[str, float]] = {}  # the classes of each address, and when each was opened


def word_in(text: str) -> str:
    """Return the word of a class that was typed, or nothing if it is none."""
    word = "".join(text[:20].split()).replace("-", "").upper()
    return word if WORD.fullmatch(word) else ""


def new_word() -> str:
    """Return a word with a digit, so that it is no word of a language."""
    while (word := "".join(secrets.choice(LETTERS) for _ in range(4))).isalpha():
        pass
    return word


def open_class(store: Store, own: Tries, address: str = "") -> tuple[str, str]:
    """Open a class; return its word and its teacher's key, of which only a hash is kept."""
    begun = tries_of(address, "opened")
    if not (own.may() and begun.may()):
        raise Unavailable("Too many classes were opened. Wait a while, then try again.")
    make_place(store, address)
    key = secrets.token_urlsafe(16)
    while not store.open(word := new_word()):
        pass
    for tries in (own, begun):
        tries.note(word)
    OPENED.setdefault(address, {})[word] = time.monotonic()
    store.put(word, SECRET, "key", hashed(key))
    return word, key


def make_place(store: Store, address: str) -> None:
    """Let an address have no more classes than its share, which grows with the tabs in them; one that is left goes."""
    here: dict[str, int] = {}
    for word in OPENED.get(address, {}):
        with suppress(Closed):
            here[word] = n_here(store, word)
    OPENED[address] = {word: OPENED[address][word] for word in here}
    here = {word: n for word, n in here.items() if not is_kept(store, word)}
    if len(here) < min(HELD + sum(here.values()) // JOINED, HALF):  # one tab can be in many, one after the other
        return
    since = time.monotonic() - IDLE
    for word, n in here.items():
        if not n and OPENED[address][word] < since:
            store.close(word)
            return
    raise Unavailable("Too many classes of your network are open and in use. Close one, then try again.")


def is_kept(store: Store, word: str) -> bool:
    with suppress(Closed):
        return bool(store.read(word, NOW).get(KEPT))
    return False


def keep_class(store: Store, word: str, keeps: bool, address: str = "") -> None:
    """Keep a class for its next lecture, or no longer than others; an address may have only so many that are kept."""
    if keeps and not is_kept(store, word) and sum(is_kept(store, one) for one in OPENED.get(address, {})) >= HELD:
        raise Unavailable("Too many classes of your network are kept. Close one, then try again.")
    store.keep(word, keeps)
    store.put(word, NOW, KEPT, str(round(store.clock() + FORTNIGHT)) if keeps else "")


def find_class(store: Store, word: str, own: Tries, key: str = "", address: str = "") -> bool:
    """Return whether there is such a class and, with a key, whether it is its teacher's."""
    wrong = tries_of(address, "wrong")
    if not own.may() or (own.tried and not wrong.may()):  # who was not wrong yet comes in, whatever others try
        raise Unavailable("Too many class codes were tried. Wait a minute, then try again.")
    try:
        kept = store.read(word, SECRET).get("key", "")
    except Closed:
        kept = ""
    found = bool(kept) and (not key or hmac.compare_digest(kept, hashed(key)))
    if not found:
        for tries in (own, wrong):
            tries.note(word + key)
    return found


def hashed(key: str) -> str:
    return sha256(key.encode("utf-8", "replace")).hexdigest()


def shelf_of(place: str, turn: int) -> str:
    return f"vote:{turn}:{place}"


def vote_of(mark: str, given: Any) -> str:
    return json.dumps([mark, given])


def given_in(vote: str | None, mark: str) -> Any:
    """Return what a vote says to this very question, or None."""
    match read(vote):
        case [found, given] if found == mark:
            return given
    return None


def read(text: str | None) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(text or "")
    return None


class Count(NamedTuple):
    """The answers to a question, and how many were given to other numbers."""

    given: list[Any]
    elsewhere: int


def counted(votes: Iterable[str], mark: str, fits: Callable[[Any], Any]) -> Count:
    """Return the answers of a vote that `fits` takes, each tab's last one."""
    found = [fits(given_in(vote, mark)) for vote in votes]
    given = [one for one in found if one is not None]
    return Count(given, len(found) - len(given))


def n_here(store: Store, word: str) -> int:
    """Return how many tabs gave a sign lately."""
    since = store.clock() - ABSENT
    return sum(number(seen) > since for seen in store.read(word, HERE).values())


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def say_here(store: Store, word: str, tab: str, here: bool = True) -> None:
    store.put(word, HERE, tab, str(round(store.clock())) if here else "0")
