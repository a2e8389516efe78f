"""Times taken in turns: A B A B ..., so that what disturbs the machine disturbs every side alike."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
REST = 0.05  # seconds between two blocks, in which idle threads of the side before stop spinning

Times = dict[str, list[float]]  # label of a side -> its time in every round


@dataclass(frozen=True)
class Effort:
    """How long to measure: the number of rounds, and the seconds that one side gets in each."""

    rounds: int = 9
    seconds: float = 0.25
    quick: bool = False


@dataclass(frozen=True)
class Side:
    """One way to do the work: `function` ("module.name", given `options`) returns what is run and timed."""

    label: str
    function: str
    options: dict = field(default_factory=dict)
    threads: int = 1  # of BLAS and OpenMP


class Worker:
    """The process in which a side runs."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.worker", side.function, json.dumps(side.options)],
            cwd=ROOT,
            env=os.environ | dict.fromkeys(THREAD_VARIABLES, str(side.threads)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.installed = self._answer() == "ready"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def time(self, repeats: int = 1) -> float:
        """Return the seconds of so many runs."""
        self.process.stdin.write(f"{repeats}\n")
        self.process.stdin.flush()
        return float(self._answer())

    def prepare(self, seconds: float) -> Callable[[], float]:
        """Warm up, choose how many runs fill `seconds`, and return a function that gives the time of one run."""
        first = self.time()
        once = first if first > seconds else self.time()
        repeats = max(1, round(seconds / once))
        return lambda: self.time(repeats) / repeats

    def _answer(self) -> str:
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise RuntimeError(f"the side {self.side.label!r} ({self.side.function}) stopped; its error stands above")
        return answer


def interleave(sides: list[Side], effort: Effort) -> Times:
    """Return the seconds of one run of each side in every round; a side that is not installed is left out."""
    with ExitStack() as stack:
        workers = [stack.enter_context(Worker(side)) for side in sides]
        measures = {worker.side.label: worker.prepare(effort.seconds) for worker in workers if worker.installed}
        times: Times = {label: [] for label in measures}
        for _ in range(effort.rounds):
            for label, measure in measures.items():
                time.sleep(REST)
                times[label].append(measure())
        return times
