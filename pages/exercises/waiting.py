"""A few slots and a queue: whoever came first is served first, and nobody waits for ever."""

import threading
from collections import deque
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

Slot = TypeVar("Slot")


class Queue(Generic[Slot]):
    """Hands out slots in the order in which they are asked for."""

    def __init__(self, slots: list[Slot]) -> None:
        self.lock = threading.Lock()
        self.free = deque(slots)
        self.waiting: deque[SimpleQueue] = deque()

    def take(self, patience: float) -> Slot | None:
        """Return a slot, or None if none was free for that many seconds."""
        with self.lock:
            if self.free:
                return self.free.popleft()
            mine: SimpleQueue = SimpleQueue()
            self.waiting.append(mine)
        try:
            return mine.get(timeout=patience)
        except Empty:
            with self.lock:
                if mine in self.waiting:
                    self.waiting.remove(mine)
                    return None
            return mine.get()  # it was handed over in the very moment in which patience ended

    def give(self, slot: Slot) -> None:
        """Hand a slot to whoever has waited longest."""
        with self.lock:
            if self.waiting:
                self.waiting.popleft().put(slot)
            else:
                self.free.append(slot)
