"""A share for each: who has used least comes first, whether tab or address; and what an address may hold at once.

All tabs of a school may have one address, so what an address used counts as divided by the root of the number of its
tabs that used something: 25 students count as five visitors, and 200 tabs of one person as 14.
"""

import ipaddress
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import sqrt
from typing import NamedTuple

import streamlit as st

from pages.server.streamlit_private import session_id

HALF = 60.0  # seconds after which what was used counts half
LEAST = 0.01  # seconds of use that are forgotten


class Visitor(NamedTuple):
    """Who asks for something."""

    address: str = ""
    tab: str = ""


NOBODY = Visitor()


def visitor() -> Visitor:
    """Return for whom the page is drawn that runs here."""
    tab = session_id()
    return Visitor(network(st.context.ip_address or ""), tab) if tab else NOBODY


def network(address: str) -> str:
    """Return an address as that of a household: of IPv6 it has 2⁶⁴."""
    with suppress(ValueError):
        found = ipaddress.ip_address(address)
        if isinstance(found, ipaddress.IPv6Address):
            return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
    return address


class Shares:
    """The seconds that each visitor used lately."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock, self.lock = clock, threading.Lock()
        self.used: dict[Visitor, tuple[float, float]] = {}  # seconds, and when that was

    def charge(self, who: Visitor, seconds: float) -> None:
        with self.lock:
            now = self.clock()
            left = {each: used * 0.5 ** ((now - when) / HALF) for each, (used, when) in self.used.items()}
            left[who] = left.get(who, 0.0) + seconds
            self.used = {each: (used, now) for each, used in left.items() if used > LEAST}

    def order(self, waiting: Sequence[Visitor]) -> list[tuple[float, float]]:
        """Return by what each is placed: the share of its address, then that of its tab; the smaller, the sooner."""
        self.charge(NOBODY, 0.0)  # all at one moment
        with self.lock:
            found = {each: used for each, (used, _) in self.used.items()}
        there = {who.address: [used for each, used in found.items() if each.address == who.address] for who in waiting}
        return [(sum(there[who.address]) / sqrt(len(there[who.address]) or 1), found.get(who, 0.0)) for who in waiting]


SHARES = Shares()
