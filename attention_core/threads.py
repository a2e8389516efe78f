"""Functions in several threads: run by all of them, or by one at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import copy_context
from functools import wraps
from threading import RLock, Thread
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


def in_threads(run: Callable[[int], None], workers: int) -> None:
    """Call run(0) ... run(workers - 1) in parallel; NumPy releases the GIL while it computes.

    Each thread runs in a copy of the caller's context, so `np.errstate` applies to all of them. In a browser, which
    has no threads, the calls run one after the other.
    """
    failures: list[BaseException] = []

    def guarded(worker: int) -> None:
        try:
            run(worker)
        except BaseException as failure:
            failures.append(failure)

    n_own = workers if sys.platform in ("emscripten", "wasi") else 1
    threads = [Thread(target=copy_context().run, args=(guarded, worker)) for worker in range(n_own, workers)]
    for thread in threads:
        thread.start()
    for worker in range(n_own):
        guarded(worker)
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def one_at_a_time(cached: Callable[Given, Result]) -> Callable[Given, Result]:
    """Return a cached function that threads call one after the other.

    `lru_cache` alone lets each thread compute what none has finished yet: all take longer and get different objects.
    """
    lock = RLock()

    @wraps(cached)
    def call(*arguments: Given.args, **named: Given.kwargs) -> Result:
        with lock:
            return cached(*arguments, **named)

    return call
