"""One memory pool for all threads, so that a server does not grow while students come and go."""

import ctypes
import sys
from functools import cache

ARENA_MAX = -8  # M_ARENA_MAX of glibc's malloc.h


@cache
def one_pool() -> None:
    """Let all threads share one pool of memory.

    Each run of a page is a thread of its own; glibc would give threads pools of their own, and a pool keeps what the
    largest run in it has used. Under the GIL one thread works at a time, so they do not contend for the pool.
    """
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        libc.mallopt(ARENA_MAX, 1)
