import asyncio

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed

from tests.bench.app import pages
from tests.bench.client import Student
from tests.bench.server import Server

SCENE = "home_weights=random&home_seed=3"


def visit(server: Server, page: str = "", link: str = "") -> Student:
    async def open_tab():
        async with Student(server.port, page, link) as student:
            await student.run()
            return student

    return asyncio.run(open_tab())


def seed(student: Student) -> float:
    return next(control.start for control in student.controls.values() if control.key == "home_seed")


@pytest.fixture(scope="module")
def cold_visit():
    with Server() as server:
        yield server, visit(server, link=SCENE)


def test_the_first_visitor_of_a_cold_server_sees_what_the_link_says(cold_visit):
    _, student = cold_visit
    assert student.errors == []
    assert seed(student) == 3


@pytest.mark.parametrize(
    "link",
    [
        "home_seed=1e309&home_weights=%00&home_text=%ff%00",
        "&&=&?#%zz=%&home_seed=1",
        "home_seed=3&home_seed=4&x[]=" + "9" * 5000,
    ],
)
def test_a_nonsense_link_opens_the_page(cold_visit, link):
    server, _ = cold_visit
    student = visit(server, link=link)
    assert student.errors == []
    assert {control.key for control in student.controls.values()} >= {"home_width", "home_length"}


def test_a_message_of_more_than_a_megabyte_closes_its_tab(cold_visit):
    server, _ = cold_visit

    async def send():
        async with Student(server.port) as student:
            await student.run()
            with pytest.raises(ConnectionClosed):
                await student.run(WidgetState(id="forged", string_value="x" * 1_100_000))

    asyncio.run(send())


@pytest.mark.parametrize("page", pages())
def test_every_page_opens_by_its_own_link(cold_visit, page):
    server, _ = cold_visit
    assert visit(server, page).errors == []


def test_a_change_of_a_control_runs_the_page_again_and_moves_the_link(cold_visit):
    server, _ = cold_visit

    async def change() -> Student:
        async with Student(server.port, link=SCENE, favourite="home_seed") as student:
            await student.run()
            await student.change()
            return student

    student = asyncio.run(change())
    assert student.errors == []
    assert student.link == SCENE.replace("3", "4")
