"""Work shared by threads."""

from collections.abc import Callable
from contextvars import copy_context
from threading import Thread


def in_threads(run: Callable[[int], None], workers: int) -> None:
    """Call run(0) ... run(workers - 1) at the same time; NumPy lets other threads work while it computes.

    Each has a copy of the caller's context: what the caller said of warnings, in `np.errstate`, holds for all. Where no
    thread can be started, as in a browser, the calls come one after the other.
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
