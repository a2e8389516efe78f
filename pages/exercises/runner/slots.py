"""Slots: each runs one text at a time in a process of its own, which contains any failure."""

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any, NamedTuple

from pages.exercises.sandbox import lockdown

SANDBOX = str(Path(__file__).parents[1] / "sandbox")
ENVIRONMENT = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ENVIRONMENT |= {"LC_ALL": "C.UTF-8", "PATH": ""}  # and nothing of the server's own, which may hold secrets
START_SECONDS = 20.0
DEADLINE = lockdown.WALL_SECONDS + 1.5
MAX_REPLY, MAX_STATUS = 1 << 20, 100
ENDED = re.compile(rb"exit (-?\d+)\n")


class Output(NamedTuple):
    """The raw output of one run, and how its process ended."""

    data: bytes
    code: int | None  # None: it was ended from here
    late: bool = False


ODD = Output(b"odd", None)  # far too much, or nothing that makes sense


class ForkingSlot:
    """A process that forks for every run (Linux)."""

    def __init__(self, *program: str) -> None:
        self.program = program or (SANDBOX,)
        self.process: subprocess.Popen[bytes] | None = None
        self.status = self.requests = self.replies = -1  # descriptors
        self.ready = False

    def launch(self) -> None:
        """Start the process if there is none. Does not wait until it is ready."""
        if self.process is not None:
            return
        self.status, theirs = os.pipe()
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-B", *self.program, "zygote", str(theirs)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs],
                env=ENVIRONMENT,
                cwd="/",
                bufsize=0,
                start_new_session=True,
            )
        except OSError:
            os.close(self.status)
            raise
        finally:
            os.close(theirs)
        self.ready = False
        self.requests, self.replies = (pipe.fileno() for pipe in pipes(self.process))
        for descriptor in (self.status, self.requests, self.replies):
            os.set_blocking(descriptor, False)

    def wait_until_ready(self) -> None:
        """Wait for the process to say that it is ready, or raise an OSError."""
        if self.ready:
            return
        said, deadline = b"", time.monotonic() + START_SECONDS
        while not said.endswith(b"\n"):
            poll = select.poll()
            poll.register(self.status, select.POLLIN)
            poll.poll(max(0, deadline - time.monotonic()) * 1000)
            part = read(self.status, MAX_STATUS)
            if not part:
                raise OSError("the process for students' code did not start")
            said += part
        self.ready = said == b"ready\n"
        if not self.ready:
            raise OSError("the process for students' code did not start well")

    def ask(self, request: dict[str, Any]) -> Output:
        """Run one request. If the process ended before the run began, retry once in a new one."""
        line = json.dumps(request, ensure_ascii=False).encode() + b"\n"
        answer = self.attempt(line)
        began = answer and (answer.data or answer.late or answer.code not in (None, -9, lockdown.NOT_LOCKED))
        answer = answer if began else self.attempt(line)  # a run announces itself
        if answer is None:
            raise OSError("the process for students' code does not take requests")
        return answer

    def attempt(self, line: bytes) -> Output | None:
        """Run one request, or return None if it could not be sent; after anything odd, restart the process."""
        if self.process is not None and self.ready and self.disturbed():
            self.close()
        self.launch()
        try:
            self.wait_until_ready()
            self.send(line)
        except OSError:
            self.close()
            return None
        answer = self.listen()
        if answer.code is None:
            self.close()
            self.launch()
        return answer

    def send(self, line: bytes) -> None:
        """Write a request, or raise an OSError if it is not read in time."""
        left = memoryview(line)
        poll = select.poll()
        poll.register(self.requests, select.POLLOUT)
        while left:
            if not poll.poll(START_SECONDS * 1000):
                raise OSError("the process for students' code does not read")
            left = left[os.write(self.requests, left) :]

    def disturbed(self) -> bool:
        """Return whether there is output that no request caused, or the process has ended."""
        poll = select.poll()
        poll.register(self.status, select.POLLIN)
        poll.register(self.replies, select.POLLIN)
        return bool(poll.poll(0)) or self.process is None or self.process.poll() is not None

    def listen(self) -> Output:
        """Collect the output until the run has ended."""
        deadline = time.monotonic() + DEADLINE
        poll = select.poll()
        poll.register(self.status, select.POLLIN)
        poll.register(self.replies, select.POLLIN)
        data, status = bytearray(), b""
        while not status.endswith(b"\n"):
            events = poll.poll(max(0, deadline - time.monotonic()) * 1000)
            if not events:
                return Output(bytes(data), None, late=True)
            for pipe, _ in events:
                part = read(pipe, 1 << 16)
                if part == b"":  # somebody ended the process from outside: no run can
                    return Output(b"", None)
                if pipe == self.replies:
                    data += part or b""
                else:
                    status += part or b""
            if len(data) > MAX_REPLY or len(status) > MAX_STATUS:
                return ODD
        while part := read(self.replies, 1 << 16):
            data += part
        ended = ENDED.fullmatch(status)
        return Output(bytes(data), int(ended[1])) if ended and len(data) <= MAX_REPLY else ODD

    def close(self) -> None:
        if self.process is None:
            return
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pipe in pipes(self.process):
            pipe.close()
        os.close(self.status)
        self.status = self.requests = self.replies = -1
        self.process, self.ready = None, False


class SpawningSlot:
    """A new process for every run: slower, for systems where forking is not safe."""

    def __init__(self, *program: str) -> None:
        self.program = program or (SANDBOX,)

    def ask(self, request: dict[str, Any]) -> Output:
        """Start a process, send the request, and kill it if it takes too long or sends too much."""
        system = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}  # Windows needs it
        process = subprocess.Popen(
            [sys.executable, "-I", "-B", *self.program, "once"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT | system,
            cwd=os.path.abspath(os.sep),
        )
        alarm = threading.Timer(DEADLINE + 1, process.kill)
        alarm.start()
        with process:
            requests, replies = pipes(process)
            with contextlib.suppress(OSError):
                requests.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
                requests.close()
            data = replies.read(MAX_REPLY + 1)
            late = not alarm.is_alive()
            if len(data) > MAX_REPLY:
                process.kill()
            code = process.wait()
            alarm.cancel()
        return Output(data, None, late) if late or len(data) > MAX_REPLY else Output(data, code)

    def close(self) -> None:
        """Do nothing: no process outlives its request."""


def pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def read(pipe: int, most: int) -> bytes | None:
    """Return available bytes, b"" at the end of the file, None if there are none yet."""
    try:
        return os.read(pipe, most)
    except BlockingIOError:
        return None
