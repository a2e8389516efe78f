"""The one place where what strangers bring is read: a process of its own, with limits, one file after the other."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pages.server.give_way import Line
from pages.server.worker_process import Worker

NICE, DEADLINE = 19, 60.0  # after all else; seconds for an answer, on however busy a machine
MEMORY, PROCESSOR, ANSWER = 256 << 20, 20, 2 << 20  # bytes beside what it has at first, seconds, and bytes of an answer
LINE = Line(what="a file is read")


@contextmanager
def reader(wait: Callable[[int], None] = lambda ahead: None, answer: int = ANSWER) -> Iterator[Worker]:
    """Give a process that reads one file. Until it is free, `wait` is told how many are ahead, and may raise."""
    with LINE.turn(wait), Worker(NICE, DEADLINE, answer) as apart:
        apart.call(len, "")  # now it is there
        if sys.platform == "linux" and apart.process:
            limit(apart.process.pid)
        yield apart


def limit(process: int) -> None:
    """Have a process killed that computes for long, and give it no more memory than it needs."""
    import resource  # which not every system has

    size = int(Path(f"/proc/{process}/statm").read_text().split()[0]) * resource.getpagesize()
    for what, most in ((resource.RLIMIT_AS, size + MEMORY), (resource.RLIMIT_CPU, PROCESSOR)):
        resource.prlimit(process, what, (most, most))
