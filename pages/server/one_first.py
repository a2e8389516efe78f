"""Who opens a view first computes for all: the others wait for it, and do not compute the same beside it.

Much is computed once in a process: models are read, charts specified, statistics drawn. Thirty students who open a
link at the same moment would each compute all of it, on one interpreter.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from pages.server.give_way import page_begins, page_ends

WAITING: defaultdict[str, Lock] = defaultdict(Lock)  # by the name of a view
SEEN: set[str] = set()  # the views that were drawn whole


@contextmanager
def one_first(view: str) -> Iterator[Callable[[], None]]:
    """Let one page at a time draw a view, until one of them says, by what this returns, that it has drawn all of it."""

    def seen() -> None:
        SEEN.add(view)

    if view in SEEN:
        yield seen
        return
    page_ends()  # who waits is not waited for
    with WAITING[view]:
        page_begins()
        yield seen
