"""Long work on this server pauses while a page is being drawn."""

import threading
import time

STALE = 1.0  # seconds after which a page is no longer waited for: it may have been broken off
PATIENCE = 0.25  # seconds that long work waits at most before it goes on all the same
NAP = 0.004

drawing: dict[int, float] = {}  # since when each thread draws a page


def page_begins() -> None:
    drawing[threading.get_ident()] = time.monotonic()


def page_ends() -> None:
    drawing.pop(threading.get_ident(), None)


class LongWork:
    """Work within a page that pauses while other pages are drawn, for no longer than it has worked."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.paused = 0.0  # seconds
        self.counted = drawing.pop(threading.get_ident(), None) is not None  # pages that compute wait for no other such

    def give_way(self) -> None:
        """Pause if it is time to."""
        now = time.monotonic()
        if (room := now - self.began - 2 * self.paused) > NAP:
            let_pages_pass(min(room, PATIENCE))
            self.paused += time.monotonic() - now

    def end(self) -> None:
        """Go on as a page that is drawn."""
        if self.counted:
            page_begins()


def let_pages_pass(patience: float | None = None) -> None:
    """Wait while other threads draw pages, up to a limit."""
    patience = PATIENCE if patience is None else patience
    until, own = time.monotonic() + patience, threading.get_ident()
    while (now := time.monotonic()) < until:
        for thread, since in list(drawing.items()):
            if now - since > STALE:
                drawing.pop(thread, None)
        if not drawing.keys() - {own}:
            return
        time.sleep(NAP)
