"""The same call in several threads at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier


def at_once(n, call):
    """Return what each of some threads got by a call; where it failed, the exception."""
    start = Barrier(n)

    def run(_):
        start.wait(60)
        try:
            return call()
        except Exception as problem:
            return problem

    with ThreadPoolExecutor(n) as threads:
        return [*threads.map(run, range(n))]
