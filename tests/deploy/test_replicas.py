"""Three real servers behind nginx, and a class whose members all come from one address."""

import asyncio
import time
from collections import Counter
from contextlib import AsyncExitStack, ExitStack

import pytest
from websockets.exceptions import ConnectionClosed

from tests.bench.client import Student, first_request
from tests.bench.server import Server

LINKS = {
    "": "home_seed=3&home_length=12",
    "qkv": "qkv_step=softmax&qkv_ask=no&qkv_seed=5&qkv_d_k=6",
    "multi_head": "multi_head_ask=no&multi_head_seed=4",
}
PATIENCE = 30.0  # seconds until a replica is taken up again


class Class:
    """Students who open pages by links, each in a browser of their own."""

    def __init__(self, port, tabs):
        self.port, self.tabs = port, tabs

    async def open(self, page, link, cookie=""):
        cookie = await asyncio.to_thread(first_request, self.port, page, cookie)
        student = await self.tabs.enter_async_context(Student(self.port, page, link, f"{page or 'home'}_seed", cookie))
        await student.run()
        assert student.errors == []
        assert student.cookie == f"replica={student.replica}"
        return student


def values(student):
    """Return the numbers that the page shows in its controls."""
    return {control.key: control.start for control in student.controls.values() if control.in_link}


@pytest.fixture(scope="module")
def replicas():
    with ExitStack() as running:
        yield [running.enter_context(Server()) for _ in range(3)]


@pytest.mark.nightly
def test_a_replica_is_killed_its_students_come_back_by_their_links_and_the_others_notice_nothing(nginx, replicas):
    front = nginx([replica.port for replica in replicas])

    async def lesson():
        async with AsyncExitStack() as tabs:
            room = Class(front.port, tabs)
            students = [await room.open(page, link) for page, link in [*LINKS.items()] * 2]
            assert Counter(student.replica for student in students) == {"1": 2, "2": 2, "3": 2}
            for student in students:
                await student.change()

            replicas[1].kill()
            lost = [student for student in students if student.replica == "2"]
            others = [student for student in students if student.replica != "2"]
            for student in others:
                await student.change()
                await student.change()
                assert student.errors == []

            for student in lost:
                with pytest.raises(ConnectionClosed):
                    await student.change()
                again = await room.open(student.page, student.link, student.cookie)
                assert again.replica in ("1", "3")
                shown, said = values(again), dict(part.split("=") for part in student.link.split("&"))
                numbers = {key: float(value) for key, value in said.items() if value.isdigit()}
                assert numbers
                assert {key: shown[key] for key in numbers} == numbers
                await again.change()
                assert again.errors == []

            with Server(port=replicas[1].port):
                end = time.monotonic() + PATIENCE
                while (cookie := first_request(front.port)) != "replica=2":
                    assert time.monotonic() < end, "the replica that is back is not taken up again"
                    await asyncio.sleep(0.5)
                newcomer = await room.open("qkv", LINKS["qkv"], cookie)
                assert newcomer.replica == "2"
                for student in [*others, newcomer]:
                    await student.change()
                    assert student.errors == []

    asyncio.run(lesson())
