"""The slots of a server: who asks for a run waits for a free one.

On Linux a text runs under both layers or not at all: when the service starts it tries, in a process locked like every
other, what must be refused; if any attempt works, no code runs here. On other systems, where one person works on
their own machine, only the first layer is complete.
"""

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from queue import Empty, SimpleQueue
from typing import Any, Literal

from pages.exercises.runner.slots import ForkingSlot, Output, SpawningSlot

PATIENCE = 10.0  # seconds in the queue
RETRY = 60.0  # seconds until a server on which the limits failed tries again
WEAKER = "EXERCISES_WITHOUT_LIMITS"  # set to "local" on one's own machine, never on a server for others

PROBES = ("file", "network", "process", "signal", "memory", "loop")
KILLS = {-int(getattr(signal, name)) for name in ("SIGSYS", "SIGXCPU", "SIGKILL", "SIGALRM") if hasattr(signal, name)}

Mode = Literal["locked", "local", "none"]


class Service:
    """The slots of one server, started when the first text arrives."""

    def __init__(self, slots: list[Any] | None = None) -> None:
        self.lock = threading.Lock()
        self.given = slots
        self.slots: list[Any] = []  # of slots, of one kind
        self.free: SimpleQueue[Any] = SimpleQueue()
        self.mode: Mode | None = None
        self.tried_at = 0.0

    def start(self) -> Mode:
        """Return how code runs here; the first call starts the slots."""
        with self.lock:
            if self.mode is None or (self.mode == "none" and time.monotonic() - self.tried_at > RETRY):
                self.mode = self.find_mode()
                self.tried_at = time.monotonic()
                self.free = SimpleQueue()
                for slot in self.slots:
                    self.free.put(slot)
            return self.mode

    def find_mode(self) -> Mode:
        """Start the slots and test the locks."""
        self.close_slots()
        if sys.platform == "linux":
            self.slots = self.given or [ForkingSlot() for _ in range(n_slots())]
            with contextlib.suppress(OSError):
                for slot in self.slots:
                    slot.launch()
                if all_held(self.slots):
                    return "locked"
            self.close_slots()
            if os.environ.get(WEAKER) != "local":
                return "none"
        self.slots = [SpawningSlot() for _ in range(n_slots())]
        return "local"

    def ask(self, request: dict[str, Any], patience: float = PATIENCE) -> Output | None:
        """Return the answer of the first free slot, or None if there is none within `patience` seconds."""
        try:
            slot = self.free.get(timeout=patience)
        except Empty:
            return None
        try:
            return slot.ask(request)
        finally:
            self.free.put(slot)

    def close_slots(self) -> None:
        for slot in self.slots:
            slot.close()
        self.slots = []

    def close(self) -> None:
        """End all processes; the next text starts them again."""
        with self.lock:
            self.close_slots()
            self.mode = None


def n_slots() -> int:
    """Return the number of slots: enough that endless loops hold up nobody; they give way to the pages."""
    return 2 if os.cpu_count() == 1 else 4


def all_held(slots: list[Any]) -> bool:
    """Return whether every attempt is stopped. The endless loop, which takes a second, runs beside the others."""
    held: list[bool] = []
    loop = threading.Thread(target=lambda: held.append(is_held(slots[-1], "loop")))
    loop.start()
    if len(slots) == 1:
        loop.join()
    others = [is_held(slots[0], name) for name in PROBES if name != "loop"]
    loop.join()
    return all(others) and held == [True]


def is_held(slot: Any, name: str) -> bool:
    """Return whether one attempt is stopped: it reports failure, or the kernel killed it."""
    try:
        answer = slot.ask({"probe": name})
    except OSError:
        return False
    said = answer.data == b'{"event": "probe", "worked": false}\n' and answer.code == 0
    return said or (answer.data == b"" and answer.code in KILLS)


SERVICE = Service()
atexit.register(SERVICE.close)


def mode() -> Mode:
    """Return how code runs here: "locked" on a server, "local" on one's own machine, "none" not at all."""
    return SERVICE.start()
