import asyncio
import gzip
import http.client
import re

import pytest

from tests.bench.client import Student
from tests.bench.server import Server
from tests.bench.timing import ROOT


@pytest.fixture(scope="module")
def own_server():
    with Server(ROOT / ".deploy" / "server.py") as server:
        yield server


def get(server, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


@pytest.fixture(scope="module")
def script(own_server):
    _, index = get(own_server, "/")
    return "/static/js/" + re.search(r'src="\./static/js/(index\.[^"]+\.js)"', index.decode())[1]


@pytest.mark.parametrize("page", ["", "qkv"])
def test_a_page_opens_on_a_server_of_ones_own(own_server, page):
    async def open_page():
        async with Student(own_server.port, page) as student:
            await student.run()
            return student

    student = asyncio.run(open_page())
    assert student.errors == []
    assert student.controls or student.buttons


def test_a_file_of_streamlits_own_travels_compressed_and_is_the_same_each_time(own_server, script):
    _, plain = get(own_server, script)
    for _ in range(2):  # compressed now, and as it was kept
        response, body = get(own_server, script, Accept_Encoding="gzip, br")
        assert response.headers["Content-Encoding"] == "gzip"
        assert "immutable" in response.headers["Cache-Control"]
        assert gzip.decompress(body) == plain
        assert len(body) < len(plain) / 2


def test_who_takes_nothing_compressed_or_a_part_gets_what_was_asked_for(own_server, script):
    get(own_server, script, Accept_Encoding="gzip")
    response, plain = get(own_server, script)
    assert "Content-Encoding" not in response.headers
    response, part = get(own_server, script, Accept_Encoding="gzip", Range="bytes=0-99")
    assert response.status == 206
    assert part == plain[:100]


def test_a_file_that_is_not_there_is_not_kept(own_server):
    for _ in range(2):
        response, _ = get(own_server, "/static/js/none.js", Accept_Encoding="gzip")
        assert "immutable" not in response.headers["Cache-Control"]
