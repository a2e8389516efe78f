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


def let_pages_pass() -> None:
    """Wait while other threads draw pages, up to a limit."""
    until, own = time.monotonic() + PATIENCE, threading.get_ident()
    while (now := time.monotonic()) < until:
        for thread, since in list(drawing.items()):
            if now - since > STALE:
                drawing.pop(thread, None)
        if not drawing.keys() - {own}:
            return
        time.sleep(NAP)
