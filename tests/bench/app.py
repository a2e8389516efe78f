"""The course as it is served: `python -m tests.bench app` starts the real server and sends it real students.

Measured are the start, the processor time of a rerun on every page, and a class of 100 that works at the same time.
The students share the machine with the server, as everything does that runs beside them: a quiet machine measures best.
Linux only, for the clock and the memory of another process. `--quick` takes a smaller class and less time.
"""

import asyncio
import random
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from streamlit.source_util import page_icon_and_name, page_sort_key
from websockets.exceptions import ConnectionClosed

from tests.bench.client import Student
from tests.bench.server import Server, busy_seconds
from tests.bench.table import Row, milliseconds
from tests.bench.timing import ROOT, Effort

HOME = ""  # the page without a name in its link
FAVOURITES = {HOME: "home_seed"}  # what is changed; else the page's own seed, else the first number on the page
YARDSTICK = Path(__file__).with_name("two_heatmaps.py")

WHOLE = {"qkv": "qkv_step=softmax&qkv_ask=no"}  # where a page shows most; else as it opens
GOALS = {"qkv": 0.025}  # seconds of processor
GOAL_PAGE, GOAL_YARDSTICK = 0.030, 0.008
GOAL_LATENCY = 0.1

PAUSE = 2.0  # seconds between two changes of a student, on average
JITTER = 0.5
REST = 0.01  # seconds in which the server clears up behind a run
WARM_UP = 5  # reruns


class Scale(NamedTuple):
    """How much is measured."""

    starts: int = 3
    reruns: int = 60
    students: int = 100
    seconds: float = 15.0


class Cost(NamedTuple):
    """What one change on a page costs in seconds of processor: the median, and what a tenth of them kept within."""

    usual: float
    at_best: float
    control: str
    errors: list[str]


@dataclass
class Lesson:
    """What happened while a class worked."""

    opened: float = 0.0  # seconds until every page was finished
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    server_cpu: float = 0.0
    students_cpu: float = 0.0
    other_cpu: float = 0.0  # of all that runs beside them
    errors: list[str] = field(default_factory=list)


def rows(effort: Effort) -> Iterator[Row]:
    """Measure the course, then a page with two heatmaps, the yardstick of what charts cost."""
    scale = Scale(starts=1, reruns=10, students=10, seconds=3.0) if effort.quick else Scale()
    names = pages()
    yield from start_rows(names, scale)
    with Server() as server:
        asyncio.run(first_page(server, HOME))
        yield Row("memory of the server after its first page", f"{server.memory():.0f} MiB")
        for name in names:
            goal = GOALS.get(name, GOAL_PAGE)
            yield cost_row(f"a change on {title(name)}", asyncio.run(cost(server, name, scale.reruns)), goal)
        yield from lesson_rows(server, names, f"{len(names)} pages" if len(names) > 1 else title(HOME), scale)
    with Server(YARDSTICK) as server:
        what = "two 8 × 8 heatmaps"
        yield cost_row(f"a change of {what}", asyncio.run(cost(server, HOME, scale.reruns)), GOAL_YARDSTICK)
        yield from lesson_rows(server, [HOME], what, scale)


def pages() -> list[str]:
    """Return how links call the pages: the home page by nothing, the others by their files' names without numbers."""
    files = sorted((ROOT / "pages").glob("[!_.]*.py"), key=page_sort_key)
    return [HOME, *(page_icon_and_name(file)[1] for file in files)]


def title(name: str) -> str:
    """Return a page's name for people."""
    return f"the page {name!r}" if name else "the home page"


def start_rows(names: list[str], scale: Scale) -> Iterator[Row]:
    """Measure cold starts, each visited first by a deep link."""
    name = names[min(1, len(names) - 1)]
    healthy, finished = [], []
    for _ in range(scale.starts):
        with Server() as server:
            healthy.append(server.seconds_since_start())
            asyncio.run(first_page(server, name))
            finished.append(server.seconds_since_start())
    yield Row("start of the server until it answers", milliseconds(median(healthy)))
    yield Row(f"start of the server until a link to {title(name)} is finished", milliseconds(median(finished)))


async def first_page(server: Server, name: str) -> None:
    """Open a page by a link that holds a value of its own."""
    async with Student(server.port, name, f"{favourite(name)}=3") as student:
        await student.run()


def student_of(server: Server, name: str) -> Student:
    """Return a student of one page, who opens it by its bare link."""
    return Student(server.port, name, WHOLE.get(name, ""), favourite=favourite(name))


def favourite(name: str) -> str:
    """Return the key of the control that students of a page change."""
    return FAVOURITES.get(name, f"{name}_seed")


async def cost(server: Server, name: str, reruns: int) -> Cost:
    """Measure single changes of one student, one after the other."""
    spent = []
    async with student_of(server, name) as student:
        await student.run()
        control = student.control()
        for _ in range(WARM_UP + reruns):
            before = server.cpu_seconds()
            await student.change()
            await asyncio.sleep(REST)
            spent.append(server.cpu_seconds() - before)
    named = control.key if control else "no number to change"
    warm = spent[WARM_UP:]
    return Cost(median(warm), quantiles(warm, n=10)[0], named, student.errors)


def cost_row(what: str, cost: Cost, goal: float) -> Row:
    """Return the row of one page."""
    measured = f"{milliseconds(cost.usual)}, a tenth within {milliseconds(cost.at_best)}"
    return Row(f"{what} ({cost.control}): processor", measured + complaint(cost.errors), goal=f"≤ {milliseconds(goal)}")


def complaint(errors: list[str]) -> str:
    """Return what went wrong, for a cell of the table."""
    return f"; {len(errors)} errors, the first: {errors[0].splitlines()[0]}" if errors else ""


def lesson_rows(server: Server, names: list[str], where: str, scale: Scale) -> Iterator[Row]:
    """Let a class work, spread over some pages."""
    lesson = asyncio.run(hold_lesson(server, names, scale))
    what = f"{scale.students} students on {where}"
    yield Row(f"{what}: all have opened it", milliseconds(lesson.opened))
    if len(lesson.latencies) > 1:
        n, last = len(lesson.latencies), quantiles(lesson.latencies, n=20)[-1]
        yield Row(f"{what}, a change every {PAUSE:.0f} s: answer, median", milliseconds(median(lesson.latencies)))
        yield Row(f"{what}: answer, 95 % within", milliseconds(last), goal=f"≤ {milliseconds(GOAL_LATENCY)}")
        yield Row(f"{what}: processor for a change", milliseconds(lesson.server_cpu / n))
        yield Row(f"{what}: changes a second", f"{n / lesson.seconds:.1f} ({shares(lesson)})")
    yield Row(f"{what}: completed changes", f"{len(lesson.latencies)}{complaint(lesson.errors) or ', no errors'}")
    yield Row("memory of the server after that", f"{server.memory():.0f} MiB")


def shares(lesson: Lesson) -> str:
    """Return who kept the processor busy: where others did, the answers came later than they had to."""
    parts = {"server": lesson.server_cpu, "students": lesson.students_cpu, "all else": lesson.other_cpu}
    return ", ".join(f"{name} {100 * cpu / lesson.seconds:.0f} %" for name, cpu in parts.items()) + " of a core"


async def hold_lesson(server: Server, names: list[str], scale: Scale) -> Lesson:
    """Let all students open their pages at once, and then each change something every now and then."""
    lesson = Lesson()
    chosen = [names[i % len(names)] for i in range(scale.students)]
    async with AsyncExitStack() as stack:
        start = time.perf_counter()
        tabs = (student_of(server, name) for name in chosen)
        students = [await stack.enter_async_context(tab) for tab in tabs]
        await asyncio.gather(*(student.run() for student in students))
        lesson.opened = time.perf_counter() - start
        await asyncio.sleep(PAUSE / 2)
        start, all_busy = time.perf_counter(), busy_seconds()
        busy, server_busy = time.process_time(), server.cpu_seconds()
        await asyncio.gather(*(work(student, start + scale.seconds, lesson) for student in students))
        lesson.seconds = time.perf_counter() - start
        lesson.students_cpu = time.process_time() - busy
        lesson.server_cpu = server.cpu_seconds() - server_busy
        lesson.other_cpu = busy_seconds() - all_busy - lesson.server_cpu - lesson.students_cpu
    lesson.errors += [error for student in students for error in student.errors]
    return lesson


async def work(student: Student, end: float, lesson: Lesson) -> None:
    """Change something every two seconds or so until the lesson ends; the next change waits for the last answer."""
    due = time.perf_counter() + random.uniform(0, PAUSE)
    while due < end:
        await asyncio.sleep(due - time.perf_counter())
        try:
            lesson.latencies.append(await student.change())
        except (OSError, ConnectionClosed) as error:  # a run that takes too long is an OSError too
            lesson.errors.append(f"{type(error).__name__}: {error}")
            return
        due += random.uniform(PAUSE - JITTER, PAUSE + JITTER)
