"""Training in the page: how soon the model is there, what runs cost the lessons, and what they leave behind.

`python -m tests.bench training` starts the real server. With `--quick` fewer runs are started and left.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from statistics import median, quantiles

from tests.bench.app import HOME, Lesson, complaint, pages, shares, student_of, work
from tests.bench.client import Student
from tests.bench.server import Server, busy_seconds
from tests.bench.table import Row, milliseconds
from tests.bench.timing import Effort

BET = "tiny_lm_ask=no"
SHORT = "tiny_lm_ask=no&tiny_lm_step=train"
LONG = SHORT + "&tiny_lm_learn=letters+and+digits&tiny_lm_sizes=true&tiny_lm_width=64&tiny_lm_steps=2000"
RUNS = 2  # at once
CLASS = 12  # students, two on each page
SECONDS = 20.0
STARTS = 3


def rows(effort: Effort) -> Iterator[Row]:
    """Measure the first view, a lesson beside two runs, a line of students, and runs that were left."""
    yield from first_rows()
    with Server() as server:
        yield from beside_rows(server)
    with Server() as server:
        yield asyncio.run(line_row(server, 6 if effort.quick else 20))
        yield asyncio.run(left_row(server, 20 if effort.quick else 200))


def first_rows() -> Iterator[Row]:
    """Measure the page for the very first visitor of a server, and one more token after it."""
    views, tokens, errors = [], [], []

    async def visit(server: Server) -> None:
        async with Student(server.port, "tiny_lm", BET) as student:
            views.append(await student.run())
            for _ in range(10):
                tokens.append(await student.press("tiny_lm_put_new_1"))
            errors.extend(student.errors)

    for _ in range(STARTS):
        with Server() as server:
            asyncio.run(visit(server))
    first = "a cold server’s first view of the page 'tiny_lm': bars and attention"
    yield Row(first, milliseconds(median(views)) + complaint(errors), goal="≤ 1.5 s")
    yield Row("one more token there", milliseconds(median(tokens)), goal="≤ 50 ms")


def beside_rows(server: Server) -> Iterator[Row]:
    """Hold the same small lesson without runs and beside two of them."""
    for runs in (0, RUNS):
        lesson = asyncio.run(small_lesson(server, runs))
        beside = f"{CLASS} students on {len(pages())} pages beside {runs} runs" if runs else f"{CLASS} students alone"
        last = quantiles(lesson.latencies, n=20)[-1]
        goal = "≤ 300 ms" if runs else ""
        yield Row(f"{beside}: answer, median", milliseconds(median(lesson.latencies)))
        told = f"{milliseconds(last)} ({shares(lesson)}){complaint(lesson.errors)}"
        yield Row(f"{beside}: answer, 95 % within", told, goal=goal)


async def small_lesson(server: Server, runs: int) -> Lesson:
    """Let some students change something every two seconds while others train."""
    lesson = Lesson()
    async with AsyncExitStack() as stack:
        for _ in range(runs):
            trainer = await stack.enter_async_context(Student(server.port, "tiny_lm", LONG))
            await trainer.run()
            await trainer.press("tiny_lm_train")
            lesson.errors += trainer.errors
        names = pages()
        students = [await stack.enter_async_context(student_of(server, names[i % len(names)])) for i in range(CLASS)]
        await asyncio.gather(*(student.run() for student in students))
        await asyncio.sleep(1)
        start, all_busy = time.perf_counter(), busy_seconds()
        busy, server_busy = time.process_time(), server.cpu_seconds()
        await asyncio.gather(*(work(student, start + SECONDS, lesson) for student in students))
        lesson.seconds = time.perf_counter() - start
        lesson.students_cpu = time.process_time() - busy
        lesson.server_cpu = server.cpu_seconds() - server_busy
        lesson.other_cpu = busy_seconds() - all_busy - lesson.server_cpu - lesson.students_cpu
        lesson.errors += [error for student in students for error in student.errors]
    return lesson


async def line_row(server: Server, count: int) -> Row:
    """Let a class press the button at once, and wait until everybody was served."""
    async with AsyncExitStack() as stack:
        tabs = [await stack.enter_async_context(Student(server.port, "tiny_lm", SHORT)) for _ in range(count)]
        await asyncio.gather(*(tab.run() for tab in tabs))
        start = time.perf_counter()
        await asyncio.gather(*(tab.press("tiny_lm_train") for tab in tabs))
        waiting = set(tabs)
        while waiting and time.perf_counter() - start < 60 + 20 * count:
            await asyncio.sleep(1)
            for tab in list(waiting):
                await tab.run()
                if "tiny_lm_put_open_own" in tab.buttons:
                    waiting.remove(tab)
        took = time.perf_counter() - start
        errors = [error for tab in tabs for error in tab.errors]
    served = count - len(waiting)
    return Row(f"{count} students press “Train it” at once: served", f"{served} in {took:.0f} s{complaint(errors)}")


async def left_row(server: Server, count: int) -> Row:
    """Start runs and close their tabs; after a while nothing of them may be left."""
    async with Student(server.port, HOME) as visitor:
        await visitor.run()
        await start_and_leave(server)  # what the first of all brings along stays
        before, threads = server.memory(), server.n_threads()
        for _ in range(count):
            await start_and_leave(server)
        await asyncio.sleep(180)  # Streamlit keeps a lost session for two minutes
        async with Student(server.port, "tiny_lm", SHORT) as tab:
            await tab.run()
        await visitor.run()
        after, left = server.memory() - before, server.n_threads() - threads
    return Row(f"{count} runs started and left: memory, threads", f"{after:+.0f} MiB, {left:+d}", goal="≤ 20 MiB, 0")


async def start_and_leave(server: Server) -> None:
    """Start a run and close its tab."""
    async with Student(server.port, "tiny_lm", SHORT) as tab:
        await tab.run()
        await tab.press("tiny_lm_train")
