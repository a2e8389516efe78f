"""The real server, `streamlit run`, as a process that is started, looked at and ended."""

import ctypes
import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Self

from tests.bench.timing import ROOT

PATIENCE = 60.0  # seconds for the start


class Server:
    """A server of one script on a port, or a free one, with the settings of the course."""

    def __init__(self, script: Path = ROOT / "streamlit_app.py", *settings: str, port: int | None = None) -> None:
        self.script, self.settings = script, settings
        self.port = port or free_port()

    def __enter__(self) -> Self:
        options = ["--server.port", str(self.port), "--server.address", "127.0.0.1", "--server.headless", "true"]
        self._output = tempfile.TemporaryFile()
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", str(self.script), *options, *self.settings],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
        )
        try:
            self._wait_until_healthy()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()

    def kill(self) -> None:
        """End the process as the kernel does when memory runs out: at once."""
        self._process.kill()
        self._process.wait()

    @property
    def process_id(self) -> int:
        """The number by which the kernel knows the process."""
        return self._process.pid

    def seconds_since_start(self) -> float:
        """Return how long ago the process was started."""
        return time.perf_counter() - self.began

    def cpu_seconds(self) -> float:
        """Return the processor time of the process so far."""
        return cpu_seconds(self._process.pid)

    def n_threads(self) -> int:
        """Return how many threads the process has."""
        return len(list(Path(f"/proc/{self._process.pid}/task").iterdir()))

    def n_files(self) -> int:
        """Return how many files and connections the process holds open."""
        return len(list(Path(f"/proc/{self._process.pid}/fd").iterdir()))

    def memory(self) -> float:
        """Return the MiB that the process holds in memory."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 2**20

    def _wait_until_healthy(self) -> None:
        while self._process.poll() is None and self.seconds_since_start() < PATIENCE:
            if self._healthy():
                return
            time.sleep(0.01)
        self._output.seek(0)
        raise RuntimeError(f"the server did not start:\n{self._output.read().decode(errors='replace')}")

    def _healthy(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=1)
        try:
            connection.request("GET", "/_stcore/health")
            return connection.getresponse().status == http.HTTPStatus.OK
        except OSError:
            return False
        finally:
            connection.close()


def cpu_seconds(process: int) -> float:
    """Return the processor time of a process so far, to the nanosecond.

    Each run of a page is a thread of its own, and one that has ended is gone from /proc/<pid>/task: only the clock of
    the whole process still counts it.
    """
    clock = ctypes.c_int()
    if error := ctypes.CDLL(None).clock_getcpuclockid(process, ctypes.byref(clock)):
        raise OSError(error, os.strerror(error))
    return time.clock_gettime(clock.value)


def busy_seconds() -> float:
    """Return the time that all cores of the machine have worked since it was started."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    _, _, _, idle, waiting, *_ = ticks
    return (sum(ticks) - idle - waiting) / os.sysconf("SC_CLK_TCK")


def listens(port: int) -> bool:
    """Tell whether anybody listens on a port of this machine."""
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
