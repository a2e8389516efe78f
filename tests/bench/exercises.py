"""Students' code: `python -m tests.bench exercises` runs one, thirty at once, thirty with endless loops.

Honest runs are timed as a page waits for them: from the call until the report, queue included.
"""

import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from pages.exercises import mode, run
from pages.exercises.catalogue import EXERCISES
from pages.exercises.runner.service import SERVICE
from tests.bench.table import Row, milliseconds
from tests.bench.timing import Effort

STUDENTS = 30
NAME = "attention_weights"
HONEST = EXERCISES[NAME].solution
LOOP = "def compute_attention_weights(Q, K):\n    while True: pass\n"
GOAL_WORST, GOAL_HONEST = 0.5, 0.2


def rows(effort: Effort) -> Iterator[Row]:
    """Measure the start, one run alone, and a class."""
    SERVICE.close()
    start = time.perf_counter()
    state = mode()
    yield Row(f"start of the slots and trying the limits ({state})", milliseconds(time.perf_counter() - start))
    alone = [timed(HONEST) for _ in range(10 if effort.quick else 100)]
    yield Row("one run with its five tests: median", milliseconds(median(alone)))
    rounds = 2 if effort.quick else effort.rounds
    worst = median(max(class_at_once(0)) for _ in range(rounds))
    yield Row(f"{STUDENTS} at once, all honest: worst", milliseconds(worst), goal=f"≤ {milliseconds(GOAL_WORST)}")
    middle = median(median(class_at_once(3)) for _ in range(rounds))
    what = f"{STUDENTS} at once, a tenth of endless loops: honest median"
    yield Row(what, milliseconds(middle), goal=f"≤ {milliseconds(GOAL_HONEST)}")
    SERVICE.close()


def timed(source: str) -> float:
    """Return how long a student waits for a report."""
    start = time.perf_counter()
    if (run(source, NAME).status == "passed") != (source is HONEST):
        raise RuntimeError("a run came back otherwise than it should")
    return time.perf_counter() - start


def class_at_once(n_loops: int) -> list[float]:
    """Let a class press Run together, in any order; return how long the honest ones waited."""
    sources = [LOOP] * n_loops + [HONEST] * (STUDENTS - n_loops)
    random.shuffle(sources)
    with ThreadPoolExecutor(STUDENTS) as pool:
        waited = list(pool.map(timed, sources))
    return [seconds for source, seconds in zip(sources, waited, strict=True) if source is HONEST]
