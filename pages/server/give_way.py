"""Long work on this server pauses while a page is drawn, and so does a page of who draws without a rest."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from pages.server import streamlit_private
from pages.server.shares import SHARES, Shares, Visitor, visitor
from pages.server.streamlit_private import is_open, session_id, stopping_point

STALE, FORGOTTEN = 1.0, 60.0  # seconds for which a page is waited for, and waits itself; and for which it is known
PATIENCE = 0.25  # seconds that long work waits at most before it goes on all the same
LOOK = 0.1  # seconds after which a page that waits looks whether its student has gone on
TELL = 0.3  # seconds between two looks at one's place in a line
# Seconds of processor for pages lately, by which an address is restless, and a tab: a class that reads comes to 0.25 at
# most, and a student who drags, for whom a fiftieth of the time is computed, to 0.15.
RESTLESS = (0.4, 0.15)

PAGES = Shares(half=5.0)


@dataclass(eq=False)
class Begun:
    """A page that is drawn, until all of it is sent: its messages delay those of others."""

    who: Visitor
    used: tuple[float, float]  # lately, by the address and by the tab
    began: float
    since: float  # of the processor time of its thread
    ended: bool = False

    def goes_before(self, other: "Begun") -> bool:
        same = self.who.address == other.who.address  # then the tabs count
        return self.used[same] < other.used[same] > RESTLESS[same]


drawing: dict[str, Begun] = {}  # by session
moved, running = threading.Condition(), threading.local()


def page_begins() -> None:
    """Begin to draw. Who draws without a rest lets who has used less pass, first and before each element."""
    who, now = visitor(), time.monotonic()
    PAGES.take_over(who)
    for tab in [tab for tab, place in [*drawing.items()] if now - place.began > FORGOTTEN]:
        drawing.pop(tab, None)
    running.place = drawing[who.tab] = Begun(who, PAGES.order([who])[0], now, time.thread_time())
    let_others_pass()


def page_ends() -> None:
    """Charge the page that runs here, whether it came to its end or was broken off."""
    if (place := getattr(running, "place", None)) and not place.ended:
        PAGES.charge(place.who, time.thread_time() - place.since)
        place.ended = True
        if not is_open(place.who.tab):  # nothing of it will be sent
            leave(place.who.tab)


def leave(session: str, ended: bool = False) -> Begun | None:
    """Let nobody wait for the page of a session, or only if it has ended."""
    if (place := drawing.get(session)) and place.ended >= ended:
        with moved:
            drawing.pop(session, None)
            moved.notify_all()
    return place


def drawn_besides(session: str) -> Iterator[Begun]:
    now = time.monotonic()
    return (place for tab, place in [*drawing.items()] if tab != session and now - place.began < STALE)


def let_others_pass() -> None:
    if (own := drawing.get(session_id())) and any(used > most for used, most in zip(own.used, RESTLESS, strict=True)):
        left = max(0.0, own.began + STALE - time.monotonic())
        with moved:
            moved.wait_for(lambda: not any(one.goes_before(own) for one in drawn_besides(own.who.tab)), left)


streamlit_private.around_each_run(page_begins, page_ends)
streamlit_private.before_each_element(let_others_pass)
streamlit_private.when_sent(partial(leave, ended=True))


class LongWork:
    """Work within a page that pauses while other pages are drawn, for no longer than it has worked."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.paused = 0.0  # seconds
        self.place = leave(session_id())  # pages that compute wait for no other such

    def give_way(self) -> None:
        now = time.monotonic()
        if (room := now - self.began - 2 * self.paused) > 0.0:
            let_pages_pass(min(room, PATIENCE))
            self.paused += time.monotonic() - now

    def end(self) -> None:
        if self.place:
            self.place.began += time.monotonic() - self.began  # a page is waited for as long as if it had not worked
            drawing[self.place.who.tab] = self.place


@dataclass(eq=False)
class Ticket:
    who: Visitor
    has_turn: bool = False


class Line:
    """Pages that compute for long wait for each other. Of those that wait, who has used least comes first."""

    def __init__(self, places: int = 1, what: str = "") -> None:
        self.places, self.what = places, what
        self.waiting: list[Ticket] = []  # those whose turn it is, too
        self.changed, self.sorted = threading.Condition(), 0.0  # when it was

    @contextmanager
    def turn(self, wait: Callable[[int], None] = lambda ahead: None) -> Iterator[None]:
        """Have the turn; until then `wait` is told how many are ahead. It may raise, and then the place is given up."""
        ticket, work = Ticket(visitor()), LongWork()  # a page that waits holds up no other
        with self.changed:
            self.waiting.append(ticket)
            self.sorted = 0.0
        try:
            while ahead := self.ahead_of(ticket):
                wait(ahead)
                with self.changed:
                    self.changed.wait(TELL)
            with SHARES.charged(ticket.who, self.what):
                yield
        finally:
            with self.changed:
                self.waiting.remove(ticket)
                self.sorted = 0.0
                self.changed.notify_all()
            work.end()

    def ahead_of(self, ticket: Ticket) -> int:
        """Return how many are before one in the line, which is sorted seldom; whose turn it is keeps it."""
        with self.changed:
            if time.monotonic() > self.sorted + TELL:
                shares = dict(zip(self.waiting, SHARES.order([one.who for one in self.waiting]), strict=True))
                self.waiting.sort(key=lambda one: (not one.has_turn, shares[one]))
                self.sorted = time.monotonic()
            ahead = max(0, self.waiting.index(ticket) + 1 - self.places)
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
    """Wait while other pages are drawn, up to a limit."""
    with moved:
        moved.wait_for(lambda: not any(drawn_besides(session_id())), PATIENCE if patience is None else patience)
