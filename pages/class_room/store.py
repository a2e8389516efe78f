"""What keeps a class while it meets, what it may hold, and why it takes no more.

A class is texts on shelves. Everything is gone once it is closed, or a day after it was opened, unless it is kept.
"""

from collections.abc import Callable
from typing import Protocol

SETTING = "CLASS_STORE"  # a file, or an address such as redis://localhost
CLASSES, DAY = 100, 24 * 3600.0  # classes at once, and as many that are kept; seconds that one lasts
FORTNIGHT = 14 * DAY  # and one that is kept, from its teacher's last visit on
IDLE = 600.0  # seconds without a sign of anybody, after which one may give way to another
SEATS, SILENT = 2000, 60.0  # tabs of a class; seconds without a sign, after which a seat may go to another tab
SHARE, TEACHERS, OF_A_ROW = 24_000, 512_000, 240  # bytes of a tab in a class, of its teacher, and what each text adds
LONGEST = 6000  # characters of a text
HERE = "here"  # the shelf of the signs that tabs give
PATIENCE = 1.0  # seconds for an answer, and until it is asked for again after there was none
MANY = "There are too many classes here now. Try again later."
MANY_KEPT = "This server keeps as many classes as it can. Download the record before you close this one."
NO_SEAT = "The class is full: all its seats are taken."
ENOUGH = "This tab has sent as much as it may."
NO_ROOM = "The store of the classes is full, so no more answers are taken. Keep the record and close the class."
NEARLY = "The store of the classes is nearly full. Keep the record soon."
READ_ONLY = (
    "The disk of the classes cannot be written, so no more answers are taken. Keep the record and close the class."
)
LEFT = "You closed the class. Its disk cannot be written now: its answers are deleted as soon as it can."


class Closed(Exception):
    """There is no such class, or no longer."""


class Unavailable(Exception):
    """The store cannot be had now, or takes no more."""


class Full(Unavailable):
    """There is no room now."""


class Left(Full):
    """A class is over, but the disk still has what it kept."""


class Enough(Unavailable):
    """A tab has sent its share, so more is not taken later either."""


class Store(Protocol):
    """What a class needs. Each of these may raise `Unavailable`; `put` and `read` raise `Closed` without the class.

    What a tab sends, it sends under its name to the shelf HERE or to shelves with a colon. With the first it takes a
    seat, and each seat has a share of its own: what others send takes nothing of it. Where no seat is left, that of the
    tab which is silent for longest goes, with all that it sent, first of those that sent nothing but signs.
    """

    clock: Callable[[], float]

    def open(self, word: str) -> bool:
        """Begin a class, unless its word is in use; where there are too many, one that is idle gives way."""

    def put(self, word: str, shelf: str, name: str, text: str) -> None:
        """Place a text on a shelf of a class, in place of what had that name."""

    def read(self, word: str, shelf: str) -> dict[str, str]:
        """Return all texts on a shelf, by their names."""

    def drop(self, word: str, tab: str) -> None:
        """Free the seat of a tab, and forget all that it sent."""

    def problem(self, word: str) -> str:
        """Return why no more answers are taken now or soon, or nothing."""

    def keep(self, word: str, keeps: bool) -> None:
        """Let a class last for 14 days from now, of which until the last one it gives way to no other, or for one."""

    def close(self, word: str) -> None:
        """Forget a class. Raises `Left` where nobody can come into it any more, but the disk keeps it for now."""

    def words(self) -> list[str]:
        """Return the words of all classes."""


def whole(text: str) -> str:
    """Return a text as a store can keep it: a browser can send halves of characters."""
    return text.encode(errors="replace").decode()


def is_from_tab(shelf: str) -> bool:
    return shelf == HERE or ":" in shelf
