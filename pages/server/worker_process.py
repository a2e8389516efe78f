"""A process of its own for long work: it shares no interpreter with the pages, and the system prefers them to it.

It holds nothing that is not held here as well: where it cannot be started, or dies, the work goes on here.
"""

import importlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from pages.server.messages import MAX_BYTES, Gone, receive, send

ROOT = Path(__file__).parents[2]
NICE = 10  # of 19, as for students’ programs: beside pages it gets a tenth of a core, and all that they leave
BELOW_NORMAL, NO_WINDOW = 0x4000, 0x08000000  # of Windows, which knows no nice
PATIENCE = 5.0  # seconds for its end
DEADLINE = 120.0  # seconds for an answer: on a busy core a text of 2 s takes 20, and a model of 600 MB is read before


class Worker(AbstractContextManager["Worker", None]):
    """A process that runs one function after the other; the first call starts it."""

    def __init__(self, nice: int = NICE, deadline: float = DEADLINE, largest: int = MAX_BYTES) -> None:
        self.nice, self.deadline, self.calls = nice, deadline, 0
        self.largest = largest  # bytes of a part of an answer
        self.process: subprocess.Popen[bytes] | None = None
        self.failed = False

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a function of a module returns there, tuples as lists; without the process, Gone is raised.

        What the function raises there is raised here as a RuntimeError with its text, or as Gone.
        """
        if self.failed:
            raise Gone("no process for long work")
        self.calls += 1
        try:
            requests, answers = self.pipes()
            with self.alarm():
                send(requests, [self.calls, function.__module__, function.__name__, arguments])
                number, how, result = receive(answers, self.largest)
            if number != self.calls:
                raise ValueError(f"the answer to call {self.calls} says that it is to {number!r}")
        except BaseException as problem:
            self.failed = True
            self.close()
            if isinstance(problem, Exception):
                raise Gone("the process for long work has ended") from problem
            raise
        if how != "returned":
            raise (Gone if how == "gone" else RuntimeError)(result)
        return result

    def pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """Return the pipes to and from the process, which is started where there is none."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", __spec__.name, str(self.nice)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                creationflags=BELOW_NORMAL | NO_WINDOW if sys.platform == "win32" else 0,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        return self.process.stdin, self.process.stdout

    @contextmanager
    def alarm(self) -> Iterator[None]:
        """Kill the process at the deadline, which ends all waiting for it, on every system."""
        assert self.process is not None
        alarm = threading.Timer(self.deadline, self.process.kill)
        alarm.daemon = True
        alarm.start()
        try:
            yield
        finally:
            alarm.cancel()

    def close(self) -> None:
        """End the process; a function that still runs there is broken off."""
        if self.process is None:
            return
        self.process.kill()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):  # a request that was not sent
                if pipe:
                    pipe.close()
        self.process = None


def with_process(work: Callable[[Worker], None]) -> None:
    """Do something with a process that ends then."""
    with Worker() as apart:
        work(apart)


def answer() -> None:
    """Answer requests until there are no more: until the server closes the pipe, or has ended."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed is no answer, by Python or by a library of C
    sys.stdout = sys.stderr
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    with suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        while True:
            number, module, name, arguments = receive(requests)
            try:
                found = number, "returned", getattr(importlib.import_module(module), name)(*arguments)
            except Exception as problem:  # without memory, or the threads that take some, it can go on no more
                ends = isinstance(problem, Gone | MemoryError) or str(problem) == "can't start new thread"
                found = number, "gone" if ends else "raised", f"{type(problem).__name__}: {problem}"
            send(answers, found)


if __name__ == "__main__":
    answer()
