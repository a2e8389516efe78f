"""The one place where what strangers bring is read: a process of its own, with limits, one file after the other."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pages.server.give_way import Line
from pages.server.worker_process import Limits, Worker

NICE, DEADLINE = 15, 60.0  # of 19; seconds for an answer, on however busy a machine
MEMORY, PROCESSOR, ANSWER = 256 << 20, 20, 2 << 20  # bytes, seconds, and bytes of each answer
LINE = Line()


@contextmanager
def reader(wait: Callable[[int], None] = lambda ahead: None, answer: int = ANSWER) -> Iterator[Worker]:
    """Give a process that reads one file. Until it is free, `wait` is told how many are ahead, and may raise."""
    with LINE.turn(wait), Worker(NICE, DEADLINE, Limits(MEMORY, PROCESSOR, answer)) as apart:
        yield apart
