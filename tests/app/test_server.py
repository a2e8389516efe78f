import asyncio

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed

from tests.bench.client import Student
from tests.bench.server import Server

SCENE = "home_weights=random&home_seed=3"
NONSENSE = (
    "home_seed=1e309&home_weights=%00&home_text=%ff%00",
    "&&=&?#%zz=%&home_seed=1",
    "home_seed=3&home_seed=4&x[]=" + "9" * 5000,
)


@pytest.fixture(scope="module")
def server():
    with Server() as running:
        yield running


def test_the_first_visitor_sees_what_the_link_says_and_a_nonsense_link_opens_the_page(server):
    async def look():
        async with Student(server.port, link=SCENE) as student:
            await student.run()
            assert student.control("home_seed").start == 3
            await student.change("home_seed")
            assert student.link == SCENE.replace("3", "4")
            assert student.errors == []
        for link in NONSENSE:
            async with Student(server.port, link=link) as student:
                await student.run()
                assert student.errors == []
                assert "home_share" in student.buttons

    asyncio.run(look())


def test_a_message_of_more_than_a_megabyte_closes_its_tab(server):
    async def send():
        async with Student(server.port) as student:
            await student.run()
            with pytest.raises(ConnectionClosed):
                await student.run(WidgetState(id="forged", string_value="x" * 1_100_000))

    asyncio.run(send())
