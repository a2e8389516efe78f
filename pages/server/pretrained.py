"""The pretrained model of this server: one instance for all pages, which compute with it one after the other.

Between two of its layers a page that computes lets others pass that are only being drawn.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from attention_core.pretrained import PretrainedModel, find_pretrained, open_gguf
from pages.server.give_way import LongWork

LOOK = 0.3  # seconds between two looks at one's place in the line


class Line:
    """Whoever computes with the model waits until those who came before are ready."""

    def __init__(self) -> None:
        self.waiting: deque[object] = deque()
        self.moved = threading.Condition()
        self.now = threading.local()  # the work of the thread whose turn it is

    @contextmanager
    def turn(self, wait: Callable[[int], None] = lambda ahead: None) -> Iterator[None]:
        """Have the turn; until then `wait` is told how many are ahead. It may raise, and then the place is given up."""
        ticket, work = object(), LongWork()
        with self.moved:
            self.waiting.append(ticket)
        try:
            while ahead := self.ahead_of(ticket):
                wait(ahead)
                with self.moved:
                    self.moved.wait(LOOK)
            self.now.work = work
            yield
        finally:
            self.now.work = None
            with self.moved:
                self.waiting.remove(ticket)
                self.moved.notify_all()
            work.end()

    def ahead_of(self, ticket: object) -> int:
        """Return how many are before one in the line."""
        with self.moved:
            return self.waiting.index(ticket)

    def give_way(self) -> None:
        """Pause the work of this thread if pages are being drawn, unless it is not its turn."""
        if work := getattr(self.now, "work", None):
            work.give_way()


LINE = Line()


class Layers(tuple[Any, ...]):
    """The blocks of a model; before each of them, pages that are only being drawn may pass."""

    def __iter__(self) -> Iterator[Any]:
        for block in super().__iter__():
            LINE.give_way()
            yield block


def pretrained_path() -> Path | None:
    """Return where the pretrained model of this server is; None without one."""
    try:
        return find_pretrained()
    except ValueError as problem:
        logging.getLogger(__name__).warning("there is no pretrained model: %s", problem)
        return None


@lru_cache(maxsize=1)
def pretrained_model(path: Path) -> PretrainedModel:
    """Return the model in a file; all pages share it. Raises ValueError if the file cannot be read."""
    model = open_gguf(path)
    parameters = model.parameters._replace(blocks=Layers(model.parameters.blocks))
    return replace(model, parameters=parameters)
