"""Functions in several threads: run by all of them, or by one at a time."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from functools import wraps
from threading import RLock, Thread
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


def in_threads(run: Callable[[int], None], workers: int) -> None:
    """Call run(0) ... run(workers - 1) in parallel; NumPy releases the GIL while it computes.

    Each thread runs in a copy of the caller's context, so `np.errstate` applies to all of them. Where threads cannot be
    started, as in a browser, the calls run one after the other.
    """
    failures: list[BaseException] = []

    def guarded(worker: int) -> None:
        try:
            run(worker)
        except BaseException as failure:
            failures.append(failure)

    threads, left = [], [0]
    for worker in range(1, workers):
        thread = Thread(target=copy_context().run, args=(guarded, worker))
        try:
            thread.start()
            threads.append(thread)
        except RuntimeError:
            left.append(worker)
    for worker in left:
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
