"""A class opens one link at the same moment: `python -m tests.bench together`.

The server has just started, so nothing of the view is computed yet. Beside the class stands one student who opens the
same link on another server that has just started: what the class pays more are the same pictures, drawn for each.
"""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import NamedTuple

from tests.bench.client import Student
from tests.bench.server import Server
from tests.bench.table import Row, as_ratio, milliseconds
from tests.bench.timing import Effort

STUDENTS, FEW = 30, 6
PATIENCE = 300.0  # seconds
VIEWS = {  # of each lesson the step that computes most, and of the last one three
    "qkv": ["mix"],
    "scaling": ["entropy"],
    "multi_head": ["heads"],
    "causal_mask": ["layers"],
    "positional_encoding": ["add"],
    "tiny_lm": ["heads", "loss", "bench"],
}


class Taken(NamedTuple):
    """What it took until the last one had the page."""

    seconds: float
    processor: float


def rows(effort: Effort) -> Iterator[Row]:
    """Have one student open each view, and then a class."""
    n_students = FEW if effort.quick else STUDENTS
    for lesson, steps in VIEWS.items():
        for step in steps:
            query = {f"{lesson}_step": step, f"{lesson}_ask": "no"}
            link = "&".join(f"{key}={value}" for key, value in query.items())
            alone, all_of_them = (asyncio.run(open_at_once(n, lesson, link)) for n in (1, n_students))
            yield Row(
                f"{n_students} open /{lesson}, step {step}, on a server just started: the last one has it after",
                f"{milliseconds(all_of_them.seconds)}, {milliseconds(all_of_them.processor)} of processor",
                f"{milliseconds(alone.seconds)}, {milliseconds(alone.processor)} of processor (one student)",
                as_ratio(all_of_them.seconds / alone.seconds),
            )


async def open_at_once(n_students: int, lesson: str, link: str) -> Taken:
    """Return what it takes until all who open a link at the same moment have it."""
    with Server() as server:
        async with AsyncExitStack() as stack:
            students = [await stack.enter_async_context(Student(server.port, lesson, link)) for _ in range(n_students)]
            for student in students:
                student.patience = PATIENCE
            before = server.cpu_seconds()
            took = await asyncio.gather(*(student.run() for student in students))
            if errors := [error for student in students for error in student.errors]:
                raise RuntimeError(errors[0])
            return Taken(max(took), server.cpu_seconds() - before)
