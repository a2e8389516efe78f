"""Slots and a first-in, first-out queue for them, with a bounded wait.

A few more slots are held back. They are lent only when no slot came back for a moment, which happens when endless
loops hold them all: an honest run takes far less.
"""

import threading
import time
from collections import deque
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

Slot = TypeVar("Slot")

MOMENT = 0.05  # seconds


class Queue(Generic[Slot]):
    """Hands out slots in the order of the requests."""

    def __init__(self, slots: Sequence[Slot], reserve: Sequence[Slot] = ()) -> None:
        self.lock = threading.Lock()
        self.free = deque(slots)
        self.reserve = deque(reserve)
        self.held_back = list(reserve)
        self.waiting: deque[SimpleQueue[Slot]] = deque()
        self.moved_at = 0.0  # when somebody last got a slot, or brought one back

    def take(self, patience: float) -> Slot | None:
        """Return a slot, or None if none was free within `patience` seconds."""
        with self.lock:
            if self.free:
                self.moved_at = time.monotonic()
                return self.free.popleft()
            mine: SimpleQueue[Slot] = SimpleQueue()
            self.waiting.append(mine)
        deadline = time.monotonic() + patience
        while True:
            try:
                return mine.get(timeout=max(0.0, min(MOMENT, deadline - time.monotonic())))
            except Empty:
                with self.lock:
                    if mine not in self.waiting:
                        return mine.get()  # it was handed over in this very moment
                    if self.stands_still(mine):
                        return self.lend()
                    if time.monotonic() >= deadline:
                        self.waiting.remove(mine)
                        return None

    def stands_still(self, mine: SimpleQueue[Slot]) -> bool:
        """Return whether the first in the queue has waited too long and a reserve slot is free."""
        return bool(self.reserve) and self.waiting[0] is mine and time.monotonic() - self.moved_at >= MOMENT

    def lend(self) -> Slot:
        """Remove the first in the queue and return a reserve slot."""
        self.waiting.popleft()
        self.moved_at = time.monotonic()
        return self.reserve.popleft()

    def give(self, slot: Slot) -> None:
        """Hand a slot to the first in the queue, or put it back."""
        with self.lock:
            self.moved_at = time.monotonic()
            if self.waiting:
                self.waiting.popleft().put(slot)
            else:
                (self.reserve if slot in self.held_back else self.free).append(slot)
