"""Two hours of lessons in a quarter of one: `python -m tests.bench soak` lets hundreds of students come and go.

They join, work through the lessons, train, run code, and leave: some close their tab, some lose their connection, some
fall silent without a word, as a laptop does that is shut. After each fifth of the time all leave, and the memory of the
server is taken in that quiet; a server that keeps something of every student would hold more after each.

Streamlit itself keeps a lost session for two minutes, 128 of them at most, each about half a MiB. So that a look sees
what stays for good, this server forgets them after seconds.
"""

import asyncio
import random
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import linear_regression

from websockets.exceptions import ConnectionClosed

from tests.bench.app import HOME, complaint, pages
from tests.bench.classroom import CODE_PAUSE, TRAINING, Doing, Work, coder, faults, reader, reading, trainer
from tests.bench.server import Server
from tests.bench.table import Row
from tests.bench.timing import ROOT, Effort
from tests.bench.visitor import Visitor

HOURS = 2.0
PARTS = 5
ARRIVALS = 3.0  # seconds between two who join, on average
STAY, SPREAD = 60.0, 0.6  # seconds, the median and the spread of its logarithm
TRAINING_SHARE, CODING_SHARE = 0.04, 0.08
QUIET = 20.0  # seconds without anybody before a look at the memory: longer than what follows
FORGETFUL = ("--server.disconnectedSessionTTL", "3", "--server.websocketPingInterval", "5")  # a silent tab: 10 s


@dataclass
class Soak:
    """What happened so far."""

    pace: float  # how many times faster than in a lesson students work
    work: Work = field(default_factory=Work)
    joined: int = 0
    silent: list[Visitor] = field(default_factory=list)
    looks: list[tuple[int, float, int, int]] = field(default_factory=list)  # joined, MiB, threads, files


def rows(effort: Effort) -> Iterator[Row]:
    """Let students come and go, and look at the memory after each part."""
    minutes = 2.0 if effort.quick else effort.minutes
    with Server(ROOT / "streamlit_app.py", *FORGETFUL) as server:
        yield from asyncio.run(hold(server, minutes))


async def hold(server: Server, minutes: float) -> list[Row]:
    """Hold the lessons, and return what came of them."""
    soak, chance = Soak(60 * HOURS / minutes), random.Random(0)
    await drop_in(server)  # what the first of all brings along stays
    begun = server.memory()
    for _ in range(PARTS):
        end = time.perf_counter() + 60 * minutes / PARTS - QUIET
        students = []
        while (now := time.perf_counter()) < end:
            students.append(asyncio.create_task(faults(soak.work, student(server, soak, soak.joined + 1, end))))
            soak.joined += 1
            await asyncio.sleep(min(chance.expovariate(1 / ARRIVALS), end - now))
        await asyncio.gather(*students)
        await asyncio.sleep(QUIET)
        await drop_in(server)  # whoever comes next makes the server clear up
        look(server, soak)
    for gone in soak.silent:
        await gone.vanish()
    return list(told(soak, minutes, begun))


async def drop_in(server: Server) -> None:
    """Open the home page and leave."""
    async with Visitor(server.port, HOME, "", 0) as visitor:
        await visitor.run()


def look(server: Server, soak: Soak) -> None:
    """Note what the server holds."""
    soak.looks.append((soak.joined, server.memory(), server.n_threads(), server.n_files()))


async def student(server: Server, soak: Soak, seed: int, end: float) -> None:
    """Join, work for a while, and leave in one of three ways."""
    chance = random.Random(seed)
    until = min(end, time.perf_counter() + STAY * chance.lognormvariate(0, SPREAD))
    page, link, role = chance.choice(pages()), "", chance.random()
    if role < TRAINING_SHARE:
        page, link = "tiny_lm", TRAINING
    elif role < TRAINING_SHARE + CODING_SHARE:
        page = chance.choice(pages()[1:])
    visitor = Visitor(server.port, page, link, seed)
    await visitor.__aenter__()
    try:
        await visitor.run()
        await doing(visitor, role, soak)(soak.work, until)
    finally:
        soak.work.errors += visitor.errors
        await leave(visitor, chance.choice(["closes", "vanishes", "falls silent"]), soak)


def doing(visitor: Visitor, role: float, soak: Soak) -> Doing:
    """Return what a student does, at the pace of the lessons."""
    if role < TRAINING_SHARE:
        return trainer(visitor)
    if role < TRAINING_SHARE + CODING_SHARE:
        return coder(visitor, CODE_PAUSE / soak.pace)
    return reader(visitor, lambda chance: reading(chance) / soak.pace)


async def leave(visitor: Visitor, how: str, soak: Soak) -> None:
    """Close the tab, cut its connection, or answer nothing any more."""
    if how == "falls silent":
        visitor.fall_silent()
        soak.silent.append(visitor)
    elif how == "vanishes":
        await visitor.vanish()
    else:
        with suppress(ConnectionClosed):
            await visitor.__aexit__()


def told(soak: Soak, minutes: float, begun: float) -> Iterator[Row]:
    """Return the rows."""
    what = f"{minutes:.0f} minutes for {HOURS:.0f} hours"
    yield Row(f"{what}: students who came and left", f"{soak.joined}, {len(soak.work.answers)} answers")
    for part, (joined, memory, threads, files) in enumerate(soak.looks, 1):
        yield Row(
            f"{what}: memory after {part}/{PARTS}",
            f"{memory:.0f} MiB after {joined} students; {threads} threads, {files} files",
        )
    counts, sizes = [look[0] for look in soak.looks[1:]], [look[1] for look in soak.looks[1:]]
    slope = 100 * linear_regression(counts, sizes).slope
    yield Row(f"{what}: memory for every 100 students, from 2/{PARTS} on", f"{slope:+.1f} MiB", goal="0")
    yield Row(f"{what}: memory after the first page", f"{begun:.0f} MiB")
    yield Row(f"{what}: errors", complaint(soak.work.errors).lstrip("; ") or "none", goal="none")
