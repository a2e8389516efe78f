"""A share for each: who has used least comes first, whether tab or address; and what an address may hold in memory.

A school may have one address, so what it used is divided by the root of the number of its tabs that used something.
"""

import ipaddress
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import sqrt
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

import streamlit as st

from pages.server.streamlit_private import is_open, session_id

HALF = 60.0  # seconds after which what was used counts half
LEAST = 0.01  # seconds of use that are forgotten
ROOM, OF_ADDRESS = 64 << 20, 0.75  # bytes that all models of visitors take, and the part of them for one address


class Visitor(NamedTuple):
    address: str = ""
    tab: str = ""


NOBODY = Visitor()


def visitor() -> Visitor:
    """Return for whom the page is drawn that runs here."""
    tab = session_id()
    return Visitor(network(str(st.context.ip_address or "")), tab) if tab else NOBODY


def network(address: str) -> str:
    """Return an address as that of a household: of IPv6 it has 2⁶⁴."""
    with suppress(ValueError):
        found = ipaddress.ip_address(address)
        if isinstance(found, ipaddress.IPv6Address):
            return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
    return address


class Run(NamedTuple):
    """What a visitor has the turn for."""

    what: str
    who: Visitor
    since: float


class Shares:
    """The seconds that each visitor used lately."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, half: float = HALF) -> None:
        self.clock, self.half, self.lock = clock, half, threading.Lock()
        self.runs: list[Run] = []
        self.used, self.when = dict[Visitor, float](), clock()  # seconds, as they counted then
        EVERY.add(self)

    @contextmanager
    def charged(self, who: Visitor, what: str) -> Iterator[None]:
        """Charge a visitor with the time that something takes."""
        run = Run(what, who, self.clock())
        self.runs.append(run)
        try:
            yield
        finally:
            self.runs.remove(run)
            self.charge(who, self.clock() - run.since)

    def charge(self, who: Visitor, seconds: float) -> dict[Visitor, float]:
        """Return the seconds of each, as they count now."""
        with self.lock:
            before, self.when = self.when, self.clock()
            left = {each: used * 0.5 ** ((self.when - before) / self.half) for each, used in self.used.items()}
            left[who] = left.get(who, 0.0) + seconds
            self.used = {each: used for each, used in left.items() if used > LEAST}
            return self.used

    def take_over(self, who: Visitor) -> None:
        """Let a tab that used nothing answer for a closed one of its address: who loads a page anew is nobody new."""
        left = self.lately()
        closed = [(left[each], each) for each in left if each.address == who.address and not is_open(each.tab)]
        if closed and who not in left:
            used, before = max(closed)
            self.used = {each: left[each] for each in left if each != before} | {who: used}

    def lately(self) -> dict[Visitor, float]:
        return self.charge(NOBODY, 0.0)

    def order(self, waiting: Sequence[Visitor]) -> list[tuple[float, float]]:
        """Return by what each is placed: the share of its address, then that of its tab; the smaller, the sooner."""
        found, there = self.lately(), defaultdict[str, list[float]](list)
        for each, used in found.items():
            there[each.address].append(used)
        share = {address: sum(used) / sqrt(len(used)) for address, used in there.items()}
        return [(share.get(who.address, 0.0), found.get(who, 0.0)) for who in waiting]


class Held:
    """The models of visitors, and the runs that make some, by the bytes that they take."""

    def __init__(self) -> None:
        self.things: WeakKeyDictionary[Any, Visitor] = WeakKeyDictionary()

    def by_address(self) -> Counter[str]:
        """Return how many bytes each address holds, with those that its runs are still to make."""
        there = [(thing, self.things[thing]) for ref in self.things.keyrefs() if (thing := ref()) is not None]
        found = Counter[str]()
        for thing, who in there:
            found[who.address] += thing.to_come if hasattr(thing, "to_come") else thing.flat.nbytes
        return found

    def is_full(self, who: Visitor, part: float = 1.0) -> bool:
        """Return whether a part of the room is taken, by all or by one address."""
        held = self.by_address()
        return held.total() > part * ROOM or held[who.address] > part * OF_ADDRESS * ROOM


EVERY: WeakSet[Shares] = WeakSet()
SHARES, MODELS = Shares(), Held()
