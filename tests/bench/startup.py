"""`import attention_core` beside `import numpy`, as whole processes."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial

from tests.bench.table import Row, compare
from tests.bench.timing import ROOT, Effort, take_turns

GOAL, ROUNDS = 1.3, 21


def rows(effort: Effort) -> Iterator[Row]:
    """Measure both imports in turns, after one round that fills the file caches."""
    measures = {f"import {module}": partial(import_seconds, module) for module in ("attention_core", "numpy")}
    take_turns(measures, rounds=1)
    ours, numpy = measures
    yield compare(f"{ours} ÷ {numpy}, whole processes", take_turns(measures, ROUNDS), [ours], [numpy], GOAL)


def import_seconds(module: str) -> float:
    """Return how long a Python process takes that imports the module and ends.

    Both from compiled files, as every start but the first, and both with one thread for NumPy's products: starting
    more takes longer than all of our modules.
    """
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"import {module}"], cwd=ROOT, check=True, env=environment)
    return time.perf_counter() - start
