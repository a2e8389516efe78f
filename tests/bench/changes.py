"""What one change costs the server, in turns with a change of two bare heatmaps: `python -m tests.bench change`.

A new seed on every page, and what needs no page anew: a click on a cell, another word, an answer, an expander. Of each,
the processor time, and the bytes that travel. The yardstick is the leanest page that draws something
(`two_heatmaps.py`), on a server of its own. `--quick` makes fewer changes.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from tests.bench.app import REST, YARDSTICK, complaint, title
from tests.bench.choice import cells
from tests.bench.client import Student
from tests.bench.control import key_of
from tests.bench.server import Server
from tests.bench.table import Row, milliseconds
from tests.bench.timing import Effort
from tests.bench.visitor import Visitor

WARM_UP = 4  # of each, which are not counted
GOAL_SEED, GOAL_MEDIAN, GOAL_PART, GOAL_BYTES = 3.0, 2.2, 1.0, 8.0  # times two bare heatmaps; of the last, KB
SEEDS = {  # a page, and its link where a seed decides what is shown and no question hides it
    "": "",  # no seed there: the first of its numbers
    "qkv": "qkv_ask=no&qkv_step=softmax",
    "scaling": "scaling_ask=no&scaling_step=spread",
    "multi_head": "multi_head_ask=no&multi_head_step=heads",
    "causal_mask": "causal_mask_ask=no&causal_mask_step=see",
    "positional_encoding": "positional_encoding_ask=no&positional_encoding_step=terms",
    "tiny_lm": "tiny_lm_ask=no&tiny_lm_step=bet",
}


class Part(NamedTuple):
    """Something that a student does on a page and that leaves most of it as it is."""

    kind: str
    page: str
    link: str
    key: str = ""  # of the chart, the list of words or the expander


WHAT = {
    "cell": "a click on a cell",
    "word": "another word chosen",
    "answer": "an answer to a question",
    "expander": "an expander opened",
}
PARTS = (
    Part("cell", "qkv", SEEDS["qkv"], "qkv_Weight_chart"),
    Part("cell", "scaling", "scaling_ask=no&scaling_step=scores", "scaling_weights_chart"),
    Part("cell", "multi_head", "multi_head_ask=no&multi_head_step=matters", "multi_head_weight_chart"),
    Part("cell", "causal_mask", SEEDS["causal_mask"], "causal_mask_under_the_mask_chart"),
    Part("cell", "tiny_lm", "tiny_lm_ask=no&tiny_lm_step=lens", "tiny_lm_lens_chart"),
    Part("word", "", "", "home_heads"),
    Part("word", "qkv", "qkv_ask=no&qkv_step=it", "qkv_q"),
    Part("word", "multi_head", "multi_head_ask=no&multi_head_step=reads", "multi_head_q"),
    Part("word", "causal_mask", SEEDS["causal_mask"], "causal_mask_q"),
    Part("word", "tiny_lm", "tiny_lm_ask=no&tiny_lm_step=lens", "tiny_lm_at"),
    Part("answer", "qkv", "qkv_step=softmax"),
    Part("answer", "scaling", "scaling_step=spread"),
    Part("answer", "multi_head", "multi_head_step=reads"),
    Part("answer", "causal_mask", "causal_mask_step=see"),
    Part("answer", "positional_encoding", "positional_encoding_step=alike"),
    Part("answer", "tiny_lm", "tiny_lm_step=draw"),
    *(Part("expander", page, link, f"{page or 'home'}_code") for page, link in SEEDS.items()),
)


@dataclass
class Costs:
    """Of each change: seconds of processor, the same of the yardstick just before it, and KB that arrived."""

    ours: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)
    bare_weight: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """The median of the ratios, each within one round."""
        return median(ours / bare for ours, bare in zip(self.ours, self.bare, strict=True))


Steps = AsyncIterator[bool]  # does something with every step, and tells whether it is to be counted


def rows(effort: Effort) -> Iterator[Row]:
    """Measure every change beside the yardstick."""
    count = 5 if effort.quick else 30
    with Server() as course, Server(YARDSTICK) as bare:
        yield from seed_rows(course, bare, count)
        yield from part_rows(course, bare, count)


def seed_rows(course: Server, bare: Server, count: int) -> Iterator[Row]:
    """Measure a new seed on every page."""
    ratios = []
    for page, link in SEEDS.items():
        costs = asyncio.run(measure(course, bare, Part("seed", page, link, f"{page}_seed"), count))
        yield from cost_rows(f"a new seed on {title(page)}", costs, f"≤ {GOAL_SEED:.2f}", f"≤ {GOAL_BYTES:.0f} KB")
        if costs.ours:
            ratios.append(costs.ratio)
    yield Row(
        f"a new seed on {len(ratios)} pages ÷ a change of two bare heatmaps: the median, the largest",
        "",
        ratio=f"{median(ratios):.2f}, {max(ratios):.2f}",
        goal=f"≤ {GOAL_MEDIAN:.2f}, {GOAL_SEED:.2f}",
    )


def part_rows(course: Server, bare: Server, count: int) -> Iterator[Row]:
    """Measure what leaves most of a page as it is."""
    ratios: dict[str, list[float]] = {kind: [] for kind in WHAT}
    for part in PARTS:
        costs = asyncio.run(measure(course, bare, part, count))
        yield from cost_rows(f"{WHAT[part.kind]} on {title(part.page)}", costs, f"≤ {GOAL_PART:.2f}")
        if costs.ours:
            ratios[part.kind].append(costs.ratio)
    for kind, found in ratios.items():
        if found:
            what = f"{WHAT[kind]}, on {len(found)} pages ÷ a change of two bare heatmaps: the median, the largest"
            yield Row(what, "", ratio=f"{median(found):.2f}, {max(found):.2f}", goal=f"≤ {GOAL_PART:.2f}")


def cost_rows(what: str, costs: Costs, goal: str, goal_weight: str = "") -> Iterator[Row]:
    """Return the processor time and the weight of one kind of change."""
    if not costs.ours:
        yield Row(f"{what}: processor", "nothing there asks the server" + complaint(costs.errors), goal=goal)
        return
    ours = milliseconds(median(costs.ours)) + complaint(costs.errors)
    bare = f"{milliseconds(median(costs.bare))} (two bare heatmaps)"
    yield Row(f"{what}: processor", ours, bare, f"{costs.ratio:.2f}", goal)
    ours, bare = (f"{median(column):.1f} KB" for column in (costs.weight, costs.bare_weight))
    share = f"{median(costs.weight) / median(costs.bare_weight):.2f}"
    yield Row(f"{what}: bytes that travel", ours, bare, share, goal_weight)


async def measure(course: Server, bare: Server, part: Part, count: int) -> Costs:
    """Take turns: a change of the yardstick, and one of the course."""
    costs = Costs()
    async with AsyncExitStack() as stack:
        visitor = await stack.enter_async_context(Visitor(course.port, part.page, part.link, 0))
        beside = await stack.enter_async_context(Student(bare.port))
        await beside.run()
        await visitor.run()
        doing = DOING[part.kind](visitor, part.key)
        for turn in range(WARM_UP + count):
            ours = await cost_of_next(course, visitor, doing)
            if ours is None:  # nothing of the kind is left to do
                break
            theirs = await cost_of_next(bare, beside, changes(beside))
            if turn >= WARM_UP:
                for column, value in zip(
                    (costs.ours, costs.weight, costs.bare, costs.bare_weight), (*ours, *theirs), strict=True
                ):
                    column.append(value)
        costs.errors += visitor.errors + beside.errors
    return costs


async def cost_of_next(server: Server, student: Student, doing: Steps) -> tuple[float, float] | None:
    """Return the seconds of processor and the KB of the next step that counts; None if there is none."""
    while True:
        before, received = server.cpu_seconds(), student.received
        counts = await anext(doing, None)
        if counts is None:
            return None
        await asyncio.sleep(REST)
        if counts:
            return server.cpu_seconds() - before, (student.received - received) / 1e3


async def changes(student: Student, key: str = "") -> Steps:
    """Change a number again and again."""
    student.favourite = key or None
    while student.control():
        await student.change()
        yield True


async def clicks(visitor: Visitor, key: str) -> Steps:
    """Click two cells of a heatmap in turns."""
    turn = 0
    while name := next((name for name in visitor.charts if key_of(name) == key), None):
        found = cells(visitor.charts[name])
        turn += 1
        await visitor.click_on(name, found[(0, len(found) // 2)[turn % 2]])
        yield True


async def choices(visitor: Visitor, key: str) -> Steps:
    """Choose one word after the other."""
    turn = 0
    while choice := next((choice for name, choice in visitor.choices.items() if key_of(name) == key), None):
        turn += 1
        await visitor.choose(choice, choice.options[turn % len(choice.options)])
        yield True


async def answers(visitor: Visitor, key: str) -> Steps:
    """Answer a question, right or wrong; ask for another one, which is not counted."""
    while visitor.forms:
        await visitor.answer()
        yield True
        again = next((key for key in visitor.buttons if key.endswith("_again")), None)
        if again is None:
            return
        await visitor.press(again)
        yield False


async def openings(visitor: Visitor, key: str) -> Steps:
    """Open an expander; close it, which is not counted."""
    while key in visitor.expanders:
        await visitor.open(visitor.expanders[key])
        yield True
        if key in visitor.expanders:
            await visitor.open(visitor.expanders[key], False)
            yield False


DOING = {"seed": changes, "cell": clicks, "word": choices, "answer": answers, "expander": openings}
