"""A submission: a student's text goes to a slot, and a report of what it returned comes back, whatever the text is."""

import base64
from functools import partial
from typing import Any

import numpy as np

from pages.exercises.catalogue import exercise as exercise_named
from pages.exercises.exercise import Case
from pages.exercises.grading.grade import report
from pages.exercises.grading.report import Report
from pages.exercises.runner import protocol
from pages.exercises.runner.service import SERVICE, Service
from pages.exercises.sandbox import lockdown, source_limits

BUSY = "Many students are running code. Your text is safe, so press Run again in a few seconds."
UNAVAILABLE = "Code cannot run here. Try the other tasks, or copy your code into a notebook."


def run_on(service: Service, source: str, exercise: str, seed: int | None = None, own: Case | None = None) -> Report:
    """Return the report of a run: it waits in the queue for PATIENCE at most, and a slot ends it by its DEADLINE.

    `own` is one more test, on inputs that the student chose; the report holds its outcome by itself.
    Raises ValueError only for an unknown exercise.
    """
    chosen = exercise_named(exercise)
    if not isinstance(source, str):
        return Report("refused", "Your answer must be a text.")
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    if found := source_limits.problem(source):
        return Report("refused", found)
    if service.start() == "none":
        return Report("unavailable", UNAVAILABLE)
    cases = chosen.cases(np.random.default_rng(seed))
    every = (*cases, *([own] if own else []), *cases[: chosen.repeats])
    calls = [[pack(given) for given in case.arguments] for case in every]
    try:
        answer = service.ask({"source": source, "entry": chosen.entry, "calls": calls})
    except OSError:
        return Report("unavailable", UNAVAILABLE)
    if answer is None:
        return Report("busy", BUSY)
    if answer.code == lockdown.NOT_LOCKED and not answer.data:
        return Report("unavailable", UNAVAILABLE)
    return report(chosen, cases, answer, own)


run = partial(run_on, SERVICE)


def call(source: str, entry: str, arguments: tuple[Any, ...]) -> protocol.Value | None:
    """Return what a function of a text returns for one input, or None if nothing came back."""
    try:
        answer = SERVICE.ask({"source": source, "entry": entry, "calls": [[pack(given) for given in arguments]]})
        values = protocol.tell(answer.data).values if answer else []
    except (OSError, protocol.Odd):
        return None
    return values[0] if len(values) == 1 else None


def pack(given: object) -> object:
    """Return an argument of a test as JSON-ready data."""
    if not isinstance(given, np.ndarray):
        return given
    dtype = "<i8" if given.dtype.kind in "iu" else "<f8"
    data = base64.b64encode(np.ascontiguousarray(given).astype(dtype).tobytes()).decode()
    return {"dtype": dtype, "shape": given.shape, "data": data}
