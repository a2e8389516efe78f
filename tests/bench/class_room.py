"""A class votes at once: `python -m tests.bench class_room` has 300 students send an answer within 10 seconds.

Each is a tab of the real server, without its browser.
"""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from streamlit.proto.Element_pb2 import Element
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.class_room.room import ASK, NOW, Poll, Tries, counted, n_here, open_class
from pages.class_room.store import SqliteStore
from tests.bench.server import Server
from tests.bench.table import Row, milliseconds
from tests.bench.timing import Effort
from tests.bench.visitor import Visitor

SECONDS = 10.0  # in which all vote
GOAL = 0.3  # seconds for 95 of 100 answers
PLACE = "qkv_ratio"


class Voter(Visitor):
    """A student before a question of a class."""

    def _see(self, element: Element) -> None:
        super()._see(element)
        if element.WhichOneof("type") == "radio":
            self.radio: Any = element.radio

    async def vote(self) -> float:
        """Choose an option and send it."""
        option = self.random.choice(list(self.radio.options))
        send = [name for key, name in self.buttons.items() if f"{PLACE}_ballot" in key][-1]
        self._chosen[self.radio.id] = WidgetState(id=self.radio.id, string_value=option)
        return await self.run(WidgetState(id=send, trigger_value=True), by=send)


def rows(effort: Effort) -> Iterator[Row]:
    """Hold one vote, and count what the store has of it."""
    n_students = 30 if effort.quick else 300
    with TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "classes.sqlite")
        with Server(CLASS_STORE=str(store.path)) as server:
            word, _ = open_class(store, Tries(1))
            store.put(word, NOW, ASK + PLACE, Poll("", 0).text)
            took, (vote, act, second), errors = asyncio.run(hold_vote(server, word, n_students))
            votes = store.read(word, f"vote:1:{PLACE}").values()
            mark = json.loads(next(iter(votes)))[0]
            start = time.perf_counter()
            found = counted(store.read(word, f"vote:1:{PLACE}").values(), mark, lambda given: given).given
            n_here(store, word)
            poll = time.perf_counter() - start
    yield Row(f"{n_students} students vote within {SECONDS:.0f} s: votes kept", str(len(found)), goal=str(n_students))
    yield Row("a vote is answered", milliseconds(median(took)))
    yield Row("95 % of votes are answered within", milliseconds(quantiles(took, n=20)[-1]), goal=milliseconds(GOAL))
    yield Row("processor for a vote; for any other act", f"{milliseconds(vote)}; {milliseconds(act)}")
    share = second / (n_students * act / 9)  # of what students take who do something every 9 seconds
    yield Row("processor of a second in which all only look ÷ at work", f"{share:.1%}", goal="≤ 5 %")
    yield Row("the teacher’s page counts the class", milliseconds(poll), goal="≤ 2 ms")
    yield Row("the class: errors", f"{len(errors)}: {errors[0]}" if errors else "none", goal="none")


async def hold_vote(server: Server, word: str, n_students: int) -> tuple[list[float], list[float], list[str]]:
    """Let all open the question, and then vote; return the seconds of votes and of the processor, and what failed."""
    link = f"qkv_step=softmax&class={word}"

    async def student(voter: Voter, end: float) -> float:
        await asyncio.sleep(end - SECONDS * voter.random.random() - time.perf_counter())
        return await voter.vote()

    async with AsyncExitStack() as stack:
        voters = [await stack.enter_async_context(Voter(server.port, "qkv", link, i)) for i in range(n_students)]
        for voter in voters:
            await voter.run()
        end = time.perf_counter() + SECONDS
        took = await asyncio.gather(*(student(voter, end) for voter in voters))
        costs = []
        for act in (Voter.vote, Voter.act, lambda _: asyncio.sleep(1)):
            start = server.cpu_seconds()
            for voter in voters[:20]:
                await act(voter)
            costs.append((server.cpu_seconds() - start) / 20)
        return list(took), costs, [error for voter in voters for error in voter.errors]
