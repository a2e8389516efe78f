"""Long work on this server pauses while a page is being drawn, and pages that wait hold up no other."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pages.server.shares import SHARES, Shares, Visitor, visitor
from pages.server.streamlit_private import before_each_element, stopping_point

STALE = 1.0  # seconds after which a page is no longer waited for: it may have been broken off
PATIENCE = 0.25  # seconds that long work waits at most before it goes on all the same
NAP = 0.004
LOOK = 0.1  # seconds after which a page that waits looks whether its student has gone on
TELL = 0.3  # seconds between two looks at one's place in a line
RESTLESS = 0.3  # seconds of pages drawn just now, a tenth of the time: a student who drags for long comes to it

PAGES = Shares(half=2.0)
drawing: dict[int, float] = {}  # since when each thread draws a page
restless: dict[int, float] = {}  # the threads of who draws without a rest: seconds that each still waits


def page_begins() -> None:
    """Begin to draw. Who draws without a rest lets other pages pass, first and before each element."""
    page_ends()  # one that was broken off
    thread = threading.get_ident()
    if PAGES.lately().get(visitor(), 0.0) > RESTLESS:
        let_pages_pass()
        restless[thread] = PATIENCE
    drawing[thread] = time.monotonic()


def page_ends() -> bool:
    """Return whether this thread drew a page until now, and charge whom it was for."""
    restless.pop(threading.get_ident(), None)
    since = drawing.pop(threading.get_ident(), None)
    if since is not None:
        PAGES.charge(visitor(), time.monotonic() - since)
    return since is not None


def let_calm_pages_pass() -> None:
    """Wait before an element of who draws without a rest, while pages of others are drawn, for as long as is left."""
    thread = threading.get_ident()
    while restless.get(thread, 0.0) > 0 and drawing.keys() - restless.keys():
        time.sleep(NAP)
        restless[thread] -= NAP


before_each_element(let_calm_pages_pass)


class LongWork:
    """Work within a page that pauses while other pages are drawn, for no longer than it has worked."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.paused = 0.0  # seconds
        self.counted = page_ends()  # pages that compute wait for no other such

    def give_way(self) -> None:
        now = time.monotonic()
        if (room := now - self.began - 2 * self.paused) > NAP:
            let_pages_pass(min(room, PATIENCE))
            self.paused += time.monotonic() - now

    def end(self) -> None:
        """Go on as a page that is drawn."""
        if self.counted:
            drawing[threading.get_ident()] = time.monotonic()


@dataclass(eq=False)
class Ticket:
    """A place in a line."""

    who: Visitor
    has_turn: bool = False


class Line:
    """Pages that compute for long wait for each other. Of those that wait, who has used least comes first."""

    def __init__(self, places: int = 1, what: str = "") -> None:
        self.places, self.what = places, what
        self.waiting: list[Ticket] = []  # those whose turn it is, too
        self.moved = threading.Condition()

    @contextmanager
    def turn(self, wait: Callable[[int], None] = lambda ahead: None) -> Iterator[None]:
        """Have the turn; until then `wait` is told how many are ahead. It may raise, and then the place is given up."""
        ticket, work = Ticket(visitor()), LongWork()  # a page that waits holds up no other
        with self.moved:
            self.waiting.append(ticket)
        try:
            while ahead := self.ahead_of(ticket):
                wait(ahead)
                with self.moved:
                    self.moved.wait(TELL)
            with SHARES.charged(ticket.who, self.what):
                yield
        finally:
            with self.moved:
                self.waiting.remove(ticket)
                self.moved.notify_all()
            work.end()

    def ahead_of(self, ticket: Ticket) -> int:
        """Return how many are before one in the line; whose turn it is keeps it."""
        with self.moved:
            shares = dict(zip(self.waiting, SHARES.order([one.who for one in self.waiting]), strict=True))
            order = sorted(self.waiting, key=lambda one: (not one.has_turn, shares[one]))
            ahead = max(0, order.index(ticket) + 1 - self.places)
            ticket.has_turn = not ahead
            return ahead


def wait_for(ready: Callable[[float], bool]) -> None:
    """Wait until something is `ready` within so many seconds; the run of the page may be stopped meanwhile."""
    if ready(0):
        return
    work, stop_if_left = LongWork(), stopping_point()
    while not ready(LOOK):
        stop_if_left()
    work.end()


def let_pages_pass(patience: float | None = None) -> None:
    """Wait while other threads draw pages, up to a limit."""
    until, own = time.monotonic() + (PATIENCE if patience is None else patience), threading.get_ident()
    while (now := time.monotonic()) < until:
        for thread, since in list(drawing.items()):
            if now - since > STALE:
                drawing.pop(thread, None)
        if not drawing.keys() - {own}:
            return
        time.sleep(NAP)
