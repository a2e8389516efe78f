"""One side of a comparison in a process of its own, because BLAS fixes its threads when NumPy loads.

`python -m tests.bench.worker module.function '{"option": 1}'` sets the side up and says "ready". Then it answers each
number on stdin with the seconds of so many runs.
"""

import json
import sys
import time
from importlib import import_module

if __name__ == "__main__":
    module, name = sys.argv[1].split(".")
    try:
        block = getattr(import_module(f"tests.bench.{module}"), name)(**json.loads(sys.argv[2]))
        print("ready", flush=True)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        print("not installed", flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        for _ in range(int(line)):
            block()
        print(time.perf_counter() - start, flush=True)
