"""File descriptors: Streamlit needs four for each tab, so a server raises its limit, and says so when it is full."""

import logging
import os
from functools import cache

try:
    import resource
except ImportError:  # Windows and Pyodide know no such limit
    resource = None  # type: ignore[assignment]

WANTED = 8192  # enough for 1,900 tabs, and less than what macOS allows at most
RESERVE = 128  # for files, requests and students' code


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
    """Return the limit of descriptors of this process."""
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
