"""The real server, `streamlit run`, as a process that is started, looked at and ended."""

import ctypes
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Self

from tests.bench.timing import ROOT

PATIENCE = 120.0  # seconds for the start


class Server:
    """A server of one script on a port, or a free one, with the settings of the course."""

    def __init__(self, script: Path = ROOT / "streamlit_app.py", port: int | None = None, **environment: str) -> None:
        self.command, self.folder = [sys.executable, "-m", "streamlit", "run", str(script)], ROOT
        self.port, self.environment = port or free_port(), environment
        self.url = f"http://localhost:{self.port}"

    def __enter__(self) -> Self:
        options = ["--server.port", str(self.port), "--server.address", "127.0.0.1", "--server.headless", "true"]
        self._output = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [*self.command, *options],
            cwd=self.folder,
            env=os.environ | self.environment,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
        )
        end = time.monotonic() + PATIENCE
        while not listens(self.port):  # a bare connection: the first request is left to the caller
            if self._process.poll() is not None or time.monotonic() > end:
                said = self.said()
                self.__exit__()
                raise RuntimeError(f"the server did not start:\n{said}")
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()

    @property
    def process_id(self) -> int:
        """The number by which the kernel knows the process."""
        return self._process.pid

    def kill(self) -> None:
        """End the process without a warning."""
        self._process.kill()
        self._process.wait()

    def cpu_seconds(self) -> float:
        """Return the processor time of the process so far, to the nanosecond.

        Each run of a page is a thread of its own, and one that has ended is gone from /proc/<pid>/task: only the clock
        of the whole process still counts it.
        """
        clock = ctypes.c_int()
        if error := ctypes.CDLL(None).clock_getcpuclockid(self._process.pid, ctypes.byref(clock)):
            raise OSError(error, os.strerror(error))
        return time.clock_gettime(clock.value)

    def memory(self) -> float:
        return memory(self._process.pid)

    def said(self) -> str:
        return os.pread(self._output.fileno(), 10**6, 0).decode(errors="replace")


def memory(process: int) -> float:
    """Return the MiB that a process holds in memory."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


def listens(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
