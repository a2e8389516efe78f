"""Attempts that a locked process must not survive or must fail at; with them the server tests the locks."""

import os
import socket


def opens_a_file() -> None:
    """Read a world-readable file."""
    with open("/proc/self/status" if os.path.exists("/proc") else "/etc/hosts") as file:
        file.read(1)


def makes_a_socket() -> None:
    socket.socket().close()


def forks() -> None:
    if os.fork() == 0:
        os._exit(0)


def signals_its_parent() -> None:
    """Check whether the parent could be signalled."""
    os.kill(os.getppid(), 0)


def takes_memory() -> None:
    """Allocate a gigabyte."""
    bytearray(1 << 30)


def loops() -> None:
    """Loop forever inside C code, where Python's signal handlers cannot run."""
    1 in iter(int, 1)  # noqa: B015


PROBES = {
    "file": opens_a_file,
    "network": makes_a_socket,
    "process": forks,
    "signal": signals_its_parent,
    "memory": takes_memory,
    "loop": loops,
}


def attempt(name: str) -> bool:
    """Return whether an attempt worked."""
    try:
        PROBES[name]()
    except (OSError, MemoryError):
        return False
    return True
