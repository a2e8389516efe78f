"""Run a function in several threads."""

from collections.abc import Callable
from contextvars import copy_context
from threading import Thread


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
