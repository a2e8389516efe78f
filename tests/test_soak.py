"""Classes come and go for ten minutes: at the end of the last a server holds what it held after the second."""

import asyncio
import os
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from pages.exercises.catalogue import exercises_of
from pages.links.course import LESSONS
from tests.bench.classroom import TRAINING, Work, coder, reader, trainer, work
from tests.bench.client import Student
from tests.bench.server import Server
from tests.bench.timing import ROOT
from tests.test_own_server import SCRIPT

CLASSES, SECONDS = 4, float(os.environ.get("SOAK_SECONDS", "600"))  # of all
MOST = {"MiB": 1.25}  # last ÷ first; 1.5 of all else


def holds(server, done):
    process = Path(f"/proc/{server.process_id}")
    threads = [*process.glob("task/*")]
    return {
        "MiB": server.memory(),
        "threads": len(threads),
        "descriptors": len([*process.glob("fd/*")]),
        "children": sum(len((one / "children").read_text().split()) for one in threads if one.exists()),
        "processor of an answer": done.cpu / len(done.answers),
    }


async def hold_class(server, seed):
    """Let a class read, train and run programs; a third of its tabs vanish without a word."""
    done, lessons = Work(), [lesson.name for lesson in LESSONS]
    async with AsyncExitStack() as tabs:

        async def come(page, link, i):
            tab = await tabs.enter_async_context(Student(server.port, page, link, 100 * seed + i))
            await tab.run()
            return tab

        pages = [lessons[i % len(lessons)] for i in range(15)]
        everybody = [await come(page, f"{page}_ask=no", i) for i, page in enumerate(pages)]
        doing = [reader(tab) for tab in everybody]
        doing.append(trainer(await come("tiny_lm", TRAINING, 50)))
        doing.append(coder(await come("qkv", f"qkv_exercise={exercises_of('qkv')[0].id}", 51)))
        await work(server, done, SECONDS / CLASSES, doing)
        found = holds(server, done)
        for tab in everybody[::3]:
            tab.line.transport.abort()
        errors = done.errors + [error for tab in everybody for error in tab.errors]
    return found, errors


@pytest.mark.exhaustive  # ten minutes, alone on a machine
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what a process holds")
def test_what_a_server_holds_does_not_grow_with_the_classes_that_come_and_go():
    with Server(ROOT / SCRIPT) as server:
        found, errors = zip(*(asyncio.run(hold_class(server, seed)) for seed in range(CLASSES)), strict=True)
    print(*found, sep="\n")
    grown = {name: found[-1][name] / max(second, 1e-9) for name, second in found[1].items()}
    assert {name: ratio for name, ratio in grown.items() if ratio > MOST.get(name, 1.5)} == {}
    assert [*errors] == [[]] * CLASSES
