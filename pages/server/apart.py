"""A process of its own for long work: it shares no interpreter with the pages, and the system prefers them to it.

Two threads of one Python process take turns, so a page would wait for every computation beside it. What is to be done
is sent to `python -m pages.server.apart` as the name of a function and its arguments, and the result comes back. The
process holds nothing that is not held here as well: where none can be started, as in a browser, or if it dies, the work
goes on here.
"""

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Self

from pages.server.messages import Gone, receive, send

ROOT = Path(__file__).parents[2]
NICE = 10  # of 19, as for students’ programs: beside pages it gets a tenth of a core, and all that they leave
NO_PROCESSES = ("emscripten", "wasi")  # Python in a browser
BELOW_NORMAL, NO_WINDOW = 0x4000, 0x08000000  # of Windows, which knows no nice
PATIENCE = 5.0  # seconds for its end


class Apart:
    """A process that runs one function after the other; the first call starts it."""

    def __init__(self, nice: int = NICE) -> None:
        self.nice = nice
        self.process: subprocess.Popen[bytes] | None = None
        self.failed = sys.platform in NO_PROCESSES

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a function of a module returns there, tuples as lists; without the process, Gone is raised.

        What the function raises there is raised here as a RuntimeError with its text, or as Gone.
        """
        if self.failed:
            raise Gone("no process for long work")
        try:
            requests, answers = self.pipes()
            send(requests, [function.__module__, function.__name__, arguments])
            how, result = receive(answers)
        except (OSError, EOFError) as problem:
            self.failed = True
            self.close()
            raise Gone("the process for long work has ended") from problem
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


def with_process(work: Callable[[Apart], None]) -> None:
    """Do something with a process that ends then."""
    with Apart() as apart:
        work(apart)


def answer() -> None:
    """Answer requests until there are no more: until the server closes the pipe, or has ended."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever is printed is no answer
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    with suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        while True:
            module, name, arguments = receive(requests)
            try:
                found = "returned", getattr(importlib.import_module(module), name)(*arguments)
            except Exception as problem:
                kind = "gone" if isinstance(problem, Gone) else "raised"
                found = kind, f"{type(problem).__name__}: {problem}"
            send(answers, found)


if __name__ == "__main__":
    answer()
