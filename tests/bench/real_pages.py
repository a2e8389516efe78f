"""The step on a real model on a real server: how long a text takes, and what others notice of it meanwhile."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from urllib.parse import urlencode

from pages.tiny_lm.real import MOST
from tests.bench.client import Student
from tests.bench.server import Server
from tests.bench.server import cpu_seconds as cpu_seconds_of
from tests.bench.table import Row, milliseconds
from tests.bench.timing import Effort

MINUTES = 10.0  # in which each student of a class has a text measured: 60 · MINUTES / seconds a text is the class
CHANGES = 10  # of the other student before each text
LONG = "the kite was red and the ball was blue, " * 6
BETWEEN = 0.2  # seconds between two changes of the other student
SECONDS = 600.0  # until a page is given up


def rows(effort: Effort) -> Iterator[Row]:
    """Measure the step on a server that has the model."""
    texts = 2 if effort.quick else 5
    with Server() as server:
        yield from asyncio.run(measure(server, texts))


async def measure(server: Server, texts: int) -> list[Row]:
    """Open the step, have new texts measured, and change another page all the while."""
    async with Student(server.port, "qkv", "", favourite="qkv_seed") as other:
        await other.run()
        before = memory(server)
        first = await open_step(server, "the first text of all")
        again = await open_step(server, "the first text of all")
        alone: list[float] = []
        beside: list[float] = []
        seconds: list[float] = []
        busy = 0.0
        for number in range(texts):  # in turn, because what else runs on the machine changes
            alone += [await pause(await other.change()) for _ in range(CHANGES)]
            busy -= cpu_seconds(server)
            done = asyncio.Event()
            changing = asyncio.create_task(change(other, beside, done))
            seconds.append(await open_step(server, LONG + f"number {number}"))  # the model reads its end
            done.set()
            await changing
            busy += cpu_seconds(server)
        errors = other.errors
    a_text = median(seconds)
    return [
        Row("the step on a real model, opened for the first time on a server", milliseconds(first)),
        Row("the same text for the next student", milliseconds(again)),
        Row(f"a new text of {MOST} tokens", milliseconds(a_text)),
        Row("the processor for it, with the changes of another page", milliseconds(busy / texts)),
        Row(f"students of whom each has one text measured in {MINUTES:.0f} minutes", f"{60 * MINUTES / a_text:.0f}"),
        Row("a change on another page, nothing else going on", within(alone)),
        Row(
            "the same while texts are measured",
            within(beside) + (f"; {errors[0]}" if errors else ""),
            ratio=f"{median(beside) / median(alone):.2f}",
        ),
        Row("more memory of the server after that", f"{memory(server) - before:.0f} MiB", goal="≤ 715 MiB"),
    ]


def processes(server: Server) -> list[int]:
    """Return the server's process and those that it started, which compute for it."""
    tasks = Path(f"/proc/{server.process_id}/task").iterdir()
    started = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return [server.process_id, *started]


def memory(server: Server) -> float:
    """Return the MiB that the server holds, with what it started."""
    pages = [int(Path(f"/proc/{process}/statm").read_text().split()[1]) for process in processes(server)]
    return sum(pages) * os.sysconf("SC_PAGESIZE") / 2**20


def cpu_seconds(server: Server) -> float:
    """Return the processor time of the server so far, with what it started."""
    return sum(map(cpu_seconds_of, processes(server)))


async def open_step(server: Server, text: str) -> float:
    """Return the seconds until a new student has the step with a text."""
    words = {"tiny_lm_step": "real", "tiny_lm_real": text}
    async with Student(server.port, "tiny_lm", urlencode(words)) as student:
        student.patience = SECONDS
        taken = await student.run()
        if student.errors:
            raise RuntimeError(student.errors[0])
    return taken


async def change(student: Student, latencies: list[float], done: asyncio.Event) -> None:
    """Change a page every now and then until a text is done."""
    student.patience = SECONDS
    while not done.is_set():
        latencies.append(await pause(await student.change()))


async def pause(seconds: float) -> float:
    """Wait until the next change, and return how long the last one took."""
    await asyncio.sleep(max(0.0, BETWEEN - seconds))
    return seconds


def within(latencies: list[float]) -> str:
    """Return the median, the 95th percentile and the longest of some latencies."""
    usual, last, longest = map(milliseconds, (median(latencies), quantiles(latencies, n=20)[-1], max(latencies)))
    return f"{usual}, 95 % within {last}, all within {longest}"
