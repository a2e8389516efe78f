"""What one change costs the server, in turns with a change of two bare heatmaps: `python -m tests.bench change`.

A new seed on every page, and what needs no page anew: a click on a cell, another word, an expander. Of each, the
processor time, and the bytes that travel. The yardstick is the leanest page that draws something (`two_heatmaps.py`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

from tests.bench.client import Student, cells, key_of
from tests.bench.server import Server
from tests.bench.table import Row, milliseconds
from tests.bench.timing import Effort

YARDSTICK = Path(__file__).with_name("two_heatmaps.py")
WARM_UP, REST = 4, 0.01  # of each, not counted; seconds in which the server clears up behind a run
STEPS = {
    "qkv": "softmax",
    "scaling": "spread",
    "multi_head": "heads",
    "causal_mask": "see",
    "positional_encoding": "compare",
    "tiny_lm": "bet",
}
RANDOM = {page: f"&{page}_weights=random" for page in ("qkv", "multi_head", "causal_mask")}  # what a seed changes
CELLS = {
    "qkv": ("softmax", "weights"),
    "multi_head": ("matters", "measures"),
    "causal_mask": ("see", "under_the_mask"),
    "tiny_lm": ("lens", "lens"),
}
WORDS = {"qkv": ("softmax", "q"), "multi_head": ("reads", "q"), "causal_mask": ("see", "q"), "tiny_lm": ("lens", "at")}

Act = Callable[[int], Awaitable[object]]  # does something that counts, for the n-th time


def rows(effort: Effort) -> Iterator[Row]:
    """Measure every change beside the yardstick."""
    count = 5 if effort.quick else 12
    with Server() as course, Server(YARDSTICK) as bare:
        for what, doing, cases in (
            ("a new seed", change, [(page, step, f"{page}_seed") for page, step in STEPS.items()]),
            ("a click on a cell", click, [(page, step, f"{page}_{key}_chart") for page, (step, key) in CELLS.items()]),
            ("another word", choose, [(page, step, f"{page}_{key}") for page, (step, key) in WORDS.items()]),
            ("an expander opened", unfold, [(page, step, f"{page}_code") for page, step in STEPS.items()]),
        ):
            ratios = []
            for page, step, key in cases:
                costs = asyncio.run(measure(course, bare, page, step, key, doing, count))
                ours, weight, theirs, bare_weight = (median(column) for column in zip(*costs, strict=True))
                ratios.append(median(our / their for our, _, their, _ in costs))
                one, other = f"{milliseconds(ours)}, {weight:.1f} KB", f"{milliseconds(theirs)}, {bare_weight:.1f} KB"
                other += " (two bare heatmaps)"
                yield Row(f"{what} on {page}, processor and bytes", one, other, f"{ratios[-1]:.2f}")
            told = f"{median(ratios):.2f}, {max(ratios):.2f}"
            yield Row(f"{what}, on {len(cases)} pages: the median, the largest", "", "", told)


async def measure(
    course: Server, bare: Server, page: str, step: str, key: str, doing: Callable[[Student, str], Act], count: int
) -> list[tuple[float, ...]]:
    """Take turns: a change of the course, and one of the yardstick; of each, seconds of processor and KB."""
    costs = []
    async with AsyncExitStack() as stack:
        link = f"{page}_ask=no&{page}_step={step}{RANDOM.get(page, '')}"
        visitor = await stack.enter_async_context(Student(course.port, page, link, 0))
        beside = await stack.enter_async_context(Student(bare.port))
        await asyncio.gather(beside.run(), visitor.run())
        for turn in range(WARM_UP + count):
            ours = await cost_of(course, visitor, doing(visitor, key), turn)
            costs.append((*ours, *await cost_of(bare, beside, change(beside, ""), turn)))
            if doing is unfold:
                await visitor.open(visitor.expanders[key], False)
        if errors := visitor.errors + beside.errors:
            raise RuntimeError(errors[0])
    return costs[WARM_UP:]


async def cost_of(server: Server, student: Student, act: Act, turn: int) -> tuple[float, float]:
    """Return the seconds of processor and the KB of one change."""
    before, received = server.cpu_seconds(), student.line.received
    await act(turn)
    await asyncio.sleep(REST)
    return server.cpu_seconds() - before, (student.line.received - received) / 1e3


def change(student: Student, key: str) -> Act:
    return lambda turn: student.change(key)


def click(visitor: Student, key: str) -> Act:
    """Return what clicks two cells of a heatmap in turns."""
    name = next(name for name in visitor.charts if key_of(name) == key)
    found = cells(visitor.charts[name])
    return lambda turn: visitor.click_on(name, found[(0, len(found) // 2)[turn % 2]])


def choose(visitor: Student, key: str) -> Act:
    """Return what chooses one word after the other."""
    choice = next(choice for name, choice in visitor.choices.items() if key_of(name) == key)
    return lambda turn: visitor.choose(choice, choice.options[turn % len(choice.options)])


def unfold(visitor: Student, key: str) -> Act:
    return lambda turn: visitor.open(visitor.expanders[key])
