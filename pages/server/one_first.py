"""Who opens a view first computes for all: the others wait for it, and do not compute the same beside it.

Much is computed once in a process: models are read, charts specified, statistics drawn. Thirty students who open a
link at the same moment would each compute all of it, on one interpreter.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from pages.server.give_way import wait_for

WAITING: defaultdict[str, Lock] = defaultdict(Lock)  # by the name of a view
SEEN: dict[str, int] = {}  # by the name of a view that was drawn: with how many answers, at most, to its questions


class Drawing:
    """A page that draws a view, alone while nobody has drawn as much of it: an answer shows more."""

    def __init__(self, view: str) -> None:
        self.view, self.answers, self.alone, self.over = view, 0, False, False

    def shows_answer(self) -> None:
        """Go on to what is drawn once a question is answered."""
        self.answers += 1
        if not self.over:
            self.wait()

    def wait(self) -> None:
        """Wait until as much was drawn before, or until no other page draws the view alone."""
        if not self.alone:
            wait_for(self.is_ready)

    def is_ready(self, seconds: float) -> bool:
        lock = WAITING[self.view]
        if SEEN.get(self.view, -1) < self.answers:
            self.alone = lock.acquire(timeout=seconds)
        if self.alone and SEEN.get(self.view, -1) >= self.answers:  # meanwhile
            self.alone = False
            lock.release()
        return self.alone or SEEN.get(self.view, -1) >= self.answers


@contextmanager
def one_first(view: str) -> Iterator[Callable[[], None]]:
    """Let one page at a time draw a view until one has drawn it; call what this yields before showing an answer."""
    drawing = Drawing(view)
    drawing.wait()
    try:
        yield drawing.shows_answer
        SEEN[view] = max(SEEN.get(view, 0), drawing.answers)
    finally:
        drawing.over = True
        if drawing.alone:
            WAITING[view].release()
