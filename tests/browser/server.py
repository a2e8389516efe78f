"""The app in a process of its own, started as a newcomer starts it."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Server(NamedTuple):
    """Where the app is served, and the file into which the server writes what it says."""

    url: str
    log: Path


@contextmanager
def serving(folder: Path, port: int | None = None, **environment: str) -> Iterator[Server]:
    """Serve the app on a port, or on a free one; what it says goes into the folder."""
    port = port or free_port()
    options = ["--server.port", str(port), "--server.headless", "true"]
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", *options]
    log = folder / "server.log"
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, env=os.environ | environment
        ) as process,
    ):
        try:
            wait_for(process, port, log)
            yield Server(f"http://localhost:{port}", log)
        finally:
            end(process)


def free_port() -> int:
    with socket.create_server(("", 0)) as taken:
        return taken.getsockname()[1]


def wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until the server answers. A bare connection asks it, so that the first request is left to the test."""
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("localhost", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"the server did not start, and said:\n{log.read_text(encoding='utf-8')}")


def end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
