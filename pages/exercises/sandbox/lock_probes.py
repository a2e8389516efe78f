"""Attempts that a locked process must not survive or must fail at; with them the server tests the locks."""

import os
import socket


def opens_a_file() -> None:
    with open("/proc/self/status" if os.path.exists("/proc") else "/etc/hosts") as file:
        file.read(1)


def forks() -> None:
    if os.fork() == 0:
        os._exit(0)


PROBES = {
    "file": opens_a_file,
    "network": lambda: socket.socket().close(),
    "process": forks,
    "signal": lambda: os.kill(os.getppid(), 0),  # whether the parent could be signalled
    "memory": lambda: bytearray(1 << 30),
    "loop": lambda: 1 in iter(int, 1),  # for ever, inside C code, where Python's signal handlers cannot run
}


def attempt(name: str) -> bool:
    try:
        PROBES[name]()
    except (OSError, MemoryError):
        return False
    return True
