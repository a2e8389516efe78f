"""The same call in several threads at the same moment."""

from threading import Barrier, Thread


def at_once(n, call):
    """Return what each of some threads got by a call; where it failed, the exception."""
    start, got = Barrier(n), [None] * n

    def run(i):
        start.wait(60)
        try:
            got[i] = call()
        except Exception as problem:
            got[i] = problem

    threads = [Thread(target=run, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return got
