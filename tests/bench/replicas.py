"""One, two and three servers behind nginx: `python -m tests.bench replicas` says how many changes a second they answer.

Students on all pages change something again as soon as they have their answer. They share the machine with the servers
and with nginx, so the rows say who took how much of it: replicas help only where there are cores for them.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from websockets.exceptions import ConnectionClosed

from tests.bench.app import WHOLE, complaint, favourite, pages
from tests.bench.client import Student, first_request
from tests.bench.server import Server, busy_seconds, free_port
from tests.bench.table import Row, milliseconds
from tests.bench.timing import Effort
from tests.deploy.nginx import HOW_TO_GET, Nginx, found

MOST = 3  # replicas
TABS_A_PAGE = 3
SECONDS = 20.0


@dataclass
class Lesson:
    """What happened while all students worked."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    cpu: dict[str, float] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


def rows(effort: Effort) -> Iterator[Row]:
    """Hold the same lesson with one, two and three replicas."""
    if not found():
        yield Row("replicas behind nginx", f"not installed: {HOW_TO_GET}")
        return
    alone = 0.0
    for count in range(1, MOST + 1):
        with ExitStack() as running, tempfile.TemporaryDirectory() as folder:
            replicas = [running.enter_context(Server()) for _ in range(count)]
            ports = [replica.port for replica in replicas] + [free_port() for _ in range(MOST - count)]
            nginx = running.enter_context(Nginx(Path(folder), ports))
            lesson = asyncio.run(hold_lesson(replicas, nginx, 5.0 if effort.quick else SECONDS))
            memory = ", ".join(f"{replica.memory():.0f}" for replica in replicas)
        rate = len(lesson.latencies) / lesson.seconds
        alone = alone or rate
        yield from lesson_rows(count, lesson, f"{rate:.1f}", f"{rate / alone:.2f} times that of one")
        yield Row(f"{named(count)}: memory after that", f"{memory} MiB")


def named(count: int) -> str:
    """Return how many replicas there are."""
    return f"{count} replica{'s' if count > 1 else ''} on {os.cpu_count()} cores"


def lesson_rows(count: int, lesson: Lesson, rate: str, growth: str) -> Iterator[Row]:
    """Return the rows of one lesson."""
    what = f"{named(count)}, {len(lesson.places)} students without a pause"
    shares = ", ".join(f"{name} {100 * cpu / lesson.seconds:.0f} %" for name, cpu in lesson.cpu.items())
    spread = " + ".join(str(lesson.places.count(place)) for place in sorted(set(lesson.places)))
    yield Row(f"{what}: changes a second", rate + complaint(lesson.errors), growth if count > 1 else "")
    if len(lesson.latencies) > 1:
        middle, last = median(lesson.latencies), quantiles(lesson.latencies, n=20)[-1]
        yield Row(f"{what}: answer", f"median {milliseconds(middle)}, 95 % within {milliseconds(last)}")
    yield Row(f"{what}: who is where, and shares of a core", f"{spread} students; {shares}")


async def hold_lesson(replicas: list[Server], nginx: Nginx, seconds: float) -> Lesson:
    """Let students come in as browsers do, one after the other, and work all at once."""
    lesson = Lesson()
    async with AsyncExitStack() as tabs:
        students = []
        for page in pages() * TABS_A_PAGE:
            cookie = await asyncio.to_thread(first_request, nginx.port, page)
            student = Student(nginx.port, page, WHOLE.get(page, ""), favourite(page), cookie)
            students.append(await tabs.enter_async_context(student))
            await student.run()
            await student.change()
        lesson.places = [student.replica for student in students]
        start, before = time.perf_counter(), spent(replicas, nginx)
        await asyncio.gather(*(work(student, start + seconds, lesson) for student in students))
        lesson.seconds = time.perf_counter() - start
        lesson.cpu = {name: cpu - before[name] for name, cpu in spent(replicas, nginx).items()}
        lesson.cpu["all else"] = lesson.cpu.pop("machine") - sum(lesson.cpu.values())
    lesson.errors += [error for student in students for error in student.errors]
    return lesson


def spent(replicas: list[Server], nginx: Nginx) -> dict[str, float]:
    """Return the processor time so far of all who take part, and of the whole machine."""
    servers = sum(replica.cpu_seconds() for replica in replicas)
    return {
        "servers": servers,
        "nginx": nginx.cpu_seconds(),
        "students": time.process_time(),
        "machine": busy_seconds(),
    }


async def work(student: Student, end: float, lesson: Lesson) -> None:
    """Change something as soon as the last change is answered, until the lesson ends."""
    while time.perf_counter() < end:
        try:
            lesson.latencies.append(await student.change())
        except (OSError, ConnectionClosed) as error:
            lesson.errors.append(f"{type(error).__name__}: {error}")
            return
