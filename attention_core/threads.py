"""Work shared by threads."""

from collections.abc import Callable
from contextvars import copy_context
from threading import Thread


def in_threads(run: Callable[[int], None], workers: int) -> None:
    """Call run(0) ... run(workers - 1) at the same time; NumPy lets other threads work while it computes.

    Each has a copy of the caller's context: what the caller said of warnings, in `np.errstate`, holds for all.
    """
    failures: list[BaseException] = []

    def guarded(worker: int) -> None:
        try:
            run(worker)
        except BaseException as failure:
            failures.append(failure)

    threads = [Thread(target=copy_context().run, args=(guarded, worker)) for worker in range(1, workers)]
    for thread in threads:
        thread.start()
    guarded(0)
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
