"""A class at work: 100 students on all lessons, each doing what students do; two of them train, five run code.

`python -m tests.bench class` starts the real server. `--quick` takes a tenth of the students and a third of the time.

Between two actions a student reads and looks. Silent reading runs at some 240 words a minute, and what stands between
two pictures is 20 to 60 words: 5 to 15 seconds, and a while longer now and then. So pauses are drawn from a lognormal
distribution with a median of 9 s, of which nine in ten lie between 4 and 20. Reading alone, and reading beside runs
and programs, are measured in turns, so that whatever else the machine does meets both alike, and their ratio counts.
A class that only plays, and changes something every 2 seconds, is measured after that.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from statistics import median, quantiles
from typing import NamedTuple

from tests.bench.app import complaint, pages, shares
from tests.bench.roles import (
    HARSH_PAUSE,
    TRAINING,
    Work,
    coder,
    faults,
    playing,
    reader,
    reading,
    stop,
    trainer,
    work,
)
from tests.bench.server import Server, busy_seconds
from tests.bench.table import Row, milliseconds
from tests.bench.timing import Effort
from tests.bench.visitor import Visitor

GOAL, GOAL_RATIO = 0.3, 2.0  # seconds for 95 of 100 answers; of a class with runs and programs ÷ one that reads
GOAL_PLAYING, GOAL_MEMORY = 40, 1.5  # answers a second; MiB for each session
WHAT = {
    "step": "the next step",
    "number": "a slider or number",
    "click": "a click on a cell",
    "choice": "another word chosen",
    "answer": "an answer to a question",
    "page": "another page",
    "code": "a program run on its tests",
    "train": "a press on “Train it”",
    "watch": "how a run stands",
}


class Scale(NamedTuple):
    """How many students work, and for how long."""

    students: int = 100
    training: int = 2
    coding: int = 5
    turns: int = 3  # of reading alone, and of reading with runs and programs
    alone: float = 20.0  # seconds of the lessons by themselves
    seconds: float = 25.0  # with runs and programs
    harsh: float = 25.0


def rows(effort: Effort) -> Iterator[Row]:
    """Let a class open its pages, read and work, alone and beside runs and programs, and then only play."""
    scale = Scale(10, 1, 1, 2, 8.0, 12.0, 8.0) if effort.quick else Scale()
    with Server() as server:
        yield from asyncio.run(hold_class(server, scale))


async def hold_class(server: Server, scale: Scale) -> list[Row]:
    """Hold the lesson, and return what came of it."""
    n_walking = scale.students - scale.training - scale.coding
    lessons = pages()[1:]
    await look_around(server)
    async with AsyncExitStack() as stack:
        before = server.memory()

        async def enter(page: str, link: str = "") -> Visitor:
            seed = len(everybody)
            everybody.append(await stack.enter_async_context(Visitor(server.port, page, link, seed)))
            return everybody[-1]

        everybody: list[Visitor] = []
        start = time.perf_counter()
        walking = [await enter(lessons[i % len(lessons)]) for i in range(n_walking)]
        arriving = Work()
        await asyncio.gather(*(faults(arriving, student.run()) for student in walking))
        opened = time.perf_counter() - start
        training = [await enter("tiny_lm", TRAINING) for _ in range(scale.training)]
        coding = [await enter(lessons[i % len(lessons)]) for i in range(scale.coding)]
        await asyncio.gather(*(faults(arriving, student.run()) for student in training + coding))
        await asyncio.gather(*(faults(arriving, student.jump()) for student in walking))  # to steps of their own
        held = [server.memory()]

        alone, beside = Work(), Work()
        for _ in range(scale.turns):
            doing = [reader(student, reading) for student in walking]
            async with measured(server) as part:
                await work(part, scale.alone, doing)
            alone.add(part)
            doing += [trainer(student) for student in training] + [coder(student) for student in coding]
            async with measured(server) as part:
                await work(part, scale.seconds, doing)
            beside.add(part)
            await asyncio.gather(*(faults(arriving, stop(student)) for student in training))
        held.append(server.memory())

        async with measured(server) as harsh:
            await work(harsh, scale.harsh, [reader(student, playing) for student in walking])
        held.append(server.memory())
        files, threads = server.n_files(), server.n_threads()
        for student in everybody:
            beside.errors += student.errors
    class_of = f"{n_walking} students in all lessons"
    mixed = f"{class_of}, {scale.training} more training, {scale.coding} running code"
    errors = arriving.errors + alone.errors + beside.errors + harsh.errors
    for_each = ", ".join(f"{(mib - before) / scale.students:.2f}" for mib in held)
    return [
        Row(f"{class_of}: all have opened it", milliseconds(opened)),
        *answer_rows(f"{class_of}, reading", alone),
        Row(f"{class_of}, reading: processor for an answer", milliseconds(alone.server_cpu / len(alone.answers))),
        *answer_rows(mixed, beside, GOAL),
        Row(
            f"{mixed} ÷ reading alone: 95 % within",
            milliseconds(beside.last),
            milliseconds(alone.last),
            f"{beside.last / alone.last:.2f}",
            f"≤ {GOAL_RATIO:.2f}",
        ),
        Row(
            f"{mixed} ÷ reading alone: the server’s own processor",
            f"{100 * beside.server_cpu / beside.seconds:.0f} % of a core",
            f"{100 * alone.server_cpu / alone.seconds:.0f} %",
            f"{beside.server_cpu / beside.seconds / (alone.server_cpu / alone.seconds):.2f}",
        ),
        *kind_rows(beside),
        *answer_rows(f"{class_of}, a change every {HARSH_PAUSE:.0f} s", harsh, rate=GOAL_PLAYING),
        Row("memory of the server, before the class", f"{before:.0f} MiB"),
        Row(
            "memory, all have opened it; after reading, runs and programs; after playing",
            " → ".join(f"{mib:.0f}" for mib in held) + " MiB",
        ),
        Row(
            f"memory for each of {scale.students} sessions, at the same times",
            f"{for_each} MiB",
            goal=f"≤ {GOAL_MEMORY} MiB",
        ),
        Row("files and threads of the server, while all are there", f"{files}, {threads}"),
        Row("the class: errors", complaint(errors).lstrip("; ") or "none", goal="none"),
    ]


async def look_around(server: Server) -> None:
    """Open every page once: what the first of all brings along belongs to no session."""
    for page in pages():
        async with Visitor(server.port, page, "", 0) as student:
            await student.run()


def answer_rows(what: str, work: Work, goal: float = 0.0, rate: int = 0) -> Iterator[Row]:
    """Return how long the answers took, and who kept the processor busy."""
    found = work.answers
    told = f"{milliseconds(median(found))}, 95 % within {milliseconds(work.last)}"
    aim = f"95 % ≤ {milliseconds(goal)}" if goal else ""
    yield Row(f"{what}: answer, median", f"{told}, the worst {milliseconds(max(found))}", goal=aim)
    yield Row(
        f"{what}: answers a second", f"{len(found) / work.seconds:.1f} ({shares(work)})", goal=f"≥ {rate}" * (rate > 0)
    )


def kind_rows(work: Work) -> Iterator[Row]:
    """Return how long each kind of answer took."""
    for kind, what in WHAT.items():
        found = work.took[kind]
        if len(found) > 1:
            last = quantiles(found, n=20, method="inclusive")[-1]
            yield Row(
                f"of these, {what}",
                f"{milliseconds(median(found))}, 95 % within {milliseconds(last)}, {len(found)} times",
            )


@asynccontextmanager
async def measured(server: Server) -> AsyncIterator[Work]:
    """Measure the processor time of what happens."""
    work = Work()
    start, all_busy = time.perf_counter(), busy_seconds()
    busy, server_busy = time.process_time(), server.cpu_seconds()
    yield work
    work.seconds = time.perf_counter() - start
    work.students_cpu = time.process_time() - busy
    work.server_cpu = server.cpu_seconds() - server_busy
    work.other_cpu = busy_seconds() - all_busy - work.server_cpu - work.students_cpu
