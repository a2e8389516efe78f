"""One side of a comparison in a process of its own, because BLAS fixes its threads when NumPy loads.

`python -m tests.bench.worker module.function '{"option": 1}'` sets the side up and says "ready". Then it answers each
number on stdin with the seconds of so many runs.
"""

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module

OPTIONAL = {"torch"}


def set_up(function: str, options: dict) -> Callable[[], object] | None:
    """Return what the side wants measured, or None if it needs a package that is not installed."""
    module, name = function.split(".")
    try:
        return getattr(import_module(f"tests.bench.{module}"), name)(**options)
    except ModuleNotFoundError as error:
        if error.name in OPTIONAL:
            return None
        raise


def seconds(block: Callable[[], object], repeats: int) -> float:
    """Return how long `repeats` runs take together."""
    start = time.perf_counter()
    for _ in range(repeats):
        block()
    return time.perf_counter() - start


def main() -> None:
    """Set up the side named on the command line, then serve."""
    block = set_up(sys.argv[1], json.loads(sys.argv[2]))
    print("not installed" if block is None else "ready", flush=True)
    for line in sys.stdin:
        print(seconds(block, int(line)), flush=True)


if __name__ == "__main__":
    main()
