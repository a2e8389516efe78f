"""A class opens one link at the same moment: `python -m tests.bench together`.

The server has just started, so nothing of the view is computed yet. Beside the class stands one student who opens the
same link on another server that has just started: what the class pays more are the same pictures, drawn for each.
"""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack

from tests.bench.client import Student
from tests.bench.server import Server
from tests.bench.table import Row, as_ratio, milliseconds
from tests.bench.timing import Effort
from tests.lessons import steps_of

STUDENTS, FEW = 30, 6
VIEWS = {  # of each lesson the step that computes most, and of the last one three
    "qkv": ["mix"],
    "scaling": ["gradient"],
    "multi_head": ["heads"],
    "causal_mask": ["leak"],
    "positional_encoding": ["add"],
    "tiny_lm": ["copy", "loss", "lens"],
}


def rows(effort: Effort) -> Iterator[Row]:
    """Have one student open each view, and then a class."""
    n_students = FEW if effort.quick else STUDENTS
    for lesson, steps in VIEWS.items():
        for step in steps:
            assert step in steps_of(lesson)  # another word opens the first
            link = f"{lesson}_step={step}&{lesson}_ask=no"
            alone, together = (asyncio.run(open_at_once(n, lesson, link)) for n in (1, n_students))
            yield Row(
                f"{n_students} open /{lesson}, step {step}, on a server just started: the last one has it after",
                f"{milliseconds(together[0])}, {milliseconds(together[1])} of processor",
                f"{milliseconds(alone[0])}, {milliseconds(alone[1])} of processor (one student)",
                as_ratio(together[0] / alone[0]),
            )


async def open_at_once(n_students: int, lesson: str, link: str) -> tuple[float, float]:
    """Return the seconds, and those of processor, until all who open a link at the same moment have it."""
    with Server() as server:
        async with AsyncExitStack() as stack:
            students = [await stack.enter_async_context(Student(server.port, lesson, link)) for _ in range(n_students)]
            before = server.cpu_seconds()
            took = await asyncio.gather(*(student.run() for student in students))
            if errors := [error for student in students for error in student.errors]:
                raise RuntimeError(errors[0])
            return max(took), server.cpu_seconds() - before
