"""Attempts that a locked process must not survive or not succeed in: by them the server knows that the locks hold."""

import os
import socket


def opens_a_file() -> None:
    """Read a file that everybody may read."""
    with open("/proc/self/status" if os.path.exists("/proc") else "/etc/hosts") as file:
        file.read(1)


def makes_a_socket() -> None:
    """Reach for the network."""
    socket.socket().close()


def forks() -> None:
    """Make a process."""
    if os.fork() == 0:
        os._exit(0)


def signals_its_parent() -> None:
    """Ask whether the parent could be sent a signal."""
    os.kill(os.getppid(), 0)


def takes_memory() -> None:
    """Take a gigabyte."""
    bytearray(1 << 30)


def loops() -> None:
    """Compute for ever within C, where no handler of Python's comes to word."""
    all(value == 0 for value in ())
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
    """Try it, and tell whether it worked."""
    try:
        PROBES[name]()
    except (OSError, MemoryError):
        return False
    return True
