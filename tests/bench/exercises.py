"""Students' code: `python -m tests.bench exercises` runs one, thirty at once, thirty with endless loops.

Honest runs are timed as a page waits for them: from the call until the report, queue included.
"""

import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import median, quantiles

from pages.exercises import mode, run
from pages.exercises.catalogue import EXERCISES
from pages.exercises.runner.service import SERVICE
from tests.bench.table import Row, milliseconds
from tests.bench.timing import Effort

STUDENTS = 30
NAME = "attention_weights"
HONEST = EXERCISES[NAME].solution
WRONG = HONEST.replace("/ np.sqrt(d_k)", "")
LOOP = "def compute_attention_weights(Q, K):\n    while True: pass\n"
GOAL_WORST, GOAL_HONEST = 0.5, 0.2


def rows(effort: Effort) -> Iterator[Row]:
    """Measure the start, one run alone, and a class."""
    SERVICE.close()
    start = time.perf_counter()
    state = mode()
    yield Row(f"start of the slots and trying the limits ({state})", milliseconds(time.perf_counter() - start))
    alone = [timed(HONEST)[0] for _ in range(10 if effort.quick else 100)]
    for what, value in (("first", alone[0]), ("median", median(alone)), ("95 % within", quantiles(alone, n=20)[-1])):
        yield Row(f"one run with its five tests: {what}", milliseconds(value))
    wrong = [timed(WRONG)[0] for _ in range(10 if effort.quick else 50)]
    yield Row("one run with a mistake to recognise: median", milliseconds(median(wrong)))
    rounds = 2 if effort.quick else effort.rounds
    for share, what in ((0, "all honest"), (3, "a tenth of endless loops"), (10, "a third of endless loops")):
        honest = [class_at_once(share) for _ in range(rounds)]
        middle = median(median(times) for times in honest)
        worst = median(max(times) for times in honest)
        goals = {0: ("", GOAL_WORST), 3: (GOAL_HONEST, "")}.get(share, ("", ""))
        yield Row(f"{STUDENTS} at once, {what}: honest median", milliseconds(middle), goal=goal(goals[0]))
        yield Row(f"{STUDENTS} at once, {what}: honest worst", milliseconds(worst), goal=goal(goals[1]))
    SERVICE.close()


def goal(seconds: float | str) -> str:
    """Return a goal for the table."""
    return f"≤ {milliseconds(seconds)}" if seconds else ""


def timed(source: str) -> tuple[float, str]:
    """Return how long a student waits for a report, and its status."""
    start = time.perf_counter()
    status = run(source, NAME).status
    return time.perf_counter() - start, status


def class_at_once(n_loops: int) -> list[float]:
    """Let a class press Run together, in any order; return how long the honest ones waited."""
    sources = [LOOP] * n_loops + [HONEST] * (STUDENTS - n_loops)
    random.shuffle(sources)
    with ThreadPoolExecutor(STUDENTS) as pool:
        results = list(pool.map(timed, sources))
    honest = [result for source, result in zip(sources, results, strict=True) if source is HONEST]
    if any(status != "passed" for _, status in honest):
        raise RuntimeError(f"an honest run came back as {sorted({status for _, status in honest})}")
    return [seconds for seconds, _ in honest]
