"""The process of a server: files for many tabs, one pool of memory, and little garbage to look through."""

import ctypes
import gc
import logging
import os
import sys
import time
from functools import cache

try:
    import resource
except ImportError:  # Windows knows no such limit
    resource = None  # type: ignore[assignment]

WANTED = 8192  # descriptors, of which Streamlit needs four for each tab: enough for 1,900, and less than macOS allows
RESERVE = 128  # for files, requests and students’ code
ARENA_MAX = -8  # M_ARENA_MAX of glibc's malloc.h
EVERY = 300.0  # seconds between two looks through everything for garbage

due = 0.0  # when to look again


@cache
def raise_limit() -> None:
    """Raise the limit of this process, and log it if that is not enough."""
    if resource is None or limit() >= WANTED:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError) as problem:
        logging.getLogger(__name__).warning("the limit of open files cannot be raised: %s", problem)
    if limit() < WANTED:
        text = "this server may open %d files, four for each tab; its hard limit (ulimit -Hn) decides"
        logging.getLogger(__name__).warning(text, limit())


def limit() -> float:
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if resource else -1
    return float("inf") if resource is None or soft == resource.RLIM_INFINITY else soft


def is_full() -> bool:
    """Return whether another tab would use the reserve."""
    if limit() == float("inf"):
        return False
    try:
        return limit() - len(os.listdir("/dev/fd")) < min(RESERVE, limit() // 4)
    except FileNotFoundError:  # not every system has the folder
        return False
    except OSError:  # none left to look with
        return True


@cache
def one_pool() -> None:
    """Let all threads share one pool of memory: each run of a page is one, and glibc’s pools keep what they had."""
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        libc.mallopt(ARENA_MAX, 1)


def collect_and_freeze() -> None:
    """Look through everything, but seldom: each time, a class of a hundred waits for a quarter of a second."""
    global due
    if (now := time.monotonic()) >= due:
        due = now + EVERY
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        gc.collect()  # Python waits for a quarter more objects than it found last: now there are few
