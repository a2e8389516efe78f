"""A class at work: 100 students on all lessons, each doing what students do; two of them train, five run code.

`python -m tests.bench class` starts the real server. `--quick` takes a tenth of the students and a third of the time.

Between two actions a student reads and looks. Silent reading runs at some 240 words a minute, and what stands between
two pictures is 20 to 60 words: 5 to 15 seconds, and a while longer now and then. So pauses are drawn from a lognormal
distribution with a median of 9 s, of which nine in ten lie between 4 and 20. Reading alone, and reading beside runs
and programs, are measured in turns, so that whatever else the machine does meets both alike, and their ratio counts.
A class that only plays, and changes something every 2 seconds, is measured after that.
"""

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import NamedTuple

from websockets.exceptions import ConnectionClosed

from pages.exercises.catalogue import exercises_of
from tests.bench.app import Lesson, complaint, pages, shares
from tests.bench.server import Server, busy_seconds
from tests.bench.table import Row, milliseconds
from tests.bench.timing import Effort
from tests.bench.visitor import Visitor

MEDIAN_PAUSE, SPREAD = 9.0, 0.5  # seconds; of the logarithm
HARSH_PAUSE = 2.0
TRAINING = "tiny_lm_ask=no&tiny_lm_step=train&tiny_lm_learn=letters+and+digits&tiny_lm_steps=2000"
TICK = 0.5  # seconds after which the browser asks how a run stands
CODE_PAUSE = 20.0  # seconds in which a program is changed a little
WRONG = 3  # every third program has a mistake
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
OWN = ("step", "number", "click", "choice", "answer", "page")  # what all students do


class Scale(NamedTuple):
    """How many students work, and for how long."""

    students: int = 100
    training: int = 2
    coding: int = 5
    turns: int = 3  # of reading alone, and of reading with runs and programs
    alone: float = 20.0  # seconds of the lessons by themselves
    seconds: float = 25.0  # with runs and programs
    harsh: float = 25.0


@dataclass
class Work(Lesson):
    """What happened while a class worked, by what was done."""

    took: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @property
    def answers(self) -> list[float]:
        """How long every answer took to what all students do."""
        return [seconds for kind in OWN for seconds in self.took[kind]]

    @property
    def last(self) -> float:
        """Within how many seconds 95 of 100 answers came."""
        return quantiles(self.answers, n=20, method="inclusive")[-1]

    def add(self, part: "Work") -> None:
        """Count in what happened in another part of the same lesson."""
        for kind, found in part.took.items():
            self.took[kind] += found
        for clock in ("seconds", "server_cpu", "students_cpu", "other_cpu"):
            setattr(self, clock, getattr(self, clock) + getattr(part, clock))
        self.errors += part.errors


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


Doing = Callable[[Work, float], Awaitable[None]]


async def work(done: Work, seconds: float, doing: list[Doing]) -> None:
    """Let everybody do what they do until the time is over."""
    end = time.perf_counter() + seconds
    await asyncio.gather(*(faults(done, one(done, end)) for one in doing))


async def faults(done: Work, doing: Awaitable[object]) -> None:
    """Note what broke a student off."""
    try:
        await doing
    except (OSError, ConnectionClosed) as error:  # a run that takes too long is an OSError too
        done.errors.append(f"{type(error).__name__}: {error}")


def reading(chance: random.Random) -> float:
    """Return how long a student looks before the next action."""
    return chance.lognormvariate(0, SPREAD) * MEDIAN_PAUSE


def playing(chance: random.Random) -> float:
    """Return how long a student waits who only plays."""
    return chance.uniform(0.75, 1.25) * HARSH_PAUSE


def reader(student: Visitor, pause: Callable[[random.Random], float]) -> Doing:
    """Return a student who works through lessons; the first pause is cut somewhere."""

    async def doing(done: Work, end: float) -> None:
        due = time.perf_counter() + student.random.random() * pause(student.random)
        while due < end:
            await asyncio.sleep(due - time.perf_counter())
            kind, seconds = await student.act()
            done.took[kind].append(seconds)
            due = max(due, time.perf_counter()) + pause(student.random)

    return doing


def trainer(student: Visitor) -> Doing:
    """Return a student who trains a model, stays to watch, and then trains the next."""

    async def doing(done: Work, end: float) -> None:
        while time.perf_counter() < end:
            if student.fragments:
                await asyncio.sleep(TICK)
                done.took["watch"].append(await student.watch())
            elif "tiny_lm_train" in student.buttons:
                done.took["train"].append(await student.press("tiny_lm_train"))
            else:
                await asyncio.sleep(TICK)
                await student.run()

    return doing


async def stop(student: Visitor) -> None:
    """End the run of a student, if there is one."""
    if "tiny_lm_stop" in student.buttons:
        await student.press("tiny_lm_stop")
    student.fragments.clear()


def coder(student: Visitor, pause: float = CODE_PAUSE) -> Doing:
    """Return a student who solves the first exercise of a lesson again and again, with a mistake now and then."""
    exercise = exercises_of(student.page)[0]
    right = exercise.solution
    wrong = right.rpartition("return ")[0] + "return None"
    student.link = f"{student.page}_exercise={exercise.id}"

    async def doing(done: Work, end: float) -> None:
        await student.run()
        due, tries = time.perf_counter() + student.random.random() * pause, 0
        while due < end:
            await asyncio.sleep(due - time.perf_counter())
            tries += 1
            text = wrong if tries % WRONG == 0 else right
            done.took["code"].append(await student.write(text))
            if student.passed != (text is right):
                done.errors.append(f"{exercise.id}: a program {'failed' if text is right else 'passed'}")
            due = max(due, time.perf_counter()) + student.random.uniform(0.75, 1.25) * pause

    return doing
