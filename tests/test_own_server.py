import asyncio
import gzip
import http.client
import importlib.util
import json
import os
import re
import time
from contextlib import AsyncExitStack
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.bench.client import Student
from tests.bench.server import Server
from tests.bench.timing import ROOT

SESSIONS = 9


@pytest.fixture(scope="module")
def own_server():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "SESSIONS_FROM_ONE_ADDRESS", str(SESSIONS))
        with Server(ROOT / ".deploy" / "server.py") as server:
            yield server


@pytest.fixture(scope="module")
def module():
    """The server's own module, in this process."""
    before = st.get_option("client.showErrorDetails")
    spec = importlib.util.spec_from_file_location("own_server", ROOT / ".deploy" / "server.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    st.set_option("client.showErrorDetails", before)
    return found


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


def test_a_lesson_knows_where_its_server_is_and_no_other_page_is_changed(own_server):
    (response, lesson), (_, home) = (get(own_server, path) for path in ("/qkv", "/"))
    assert int(response.headers["Content-Length"]) == len(lesson)
    added = re.search(rb"<script>window.__streamlit={BACKEND_BASE_URL:.*?</script>", lesson)[0]
    assert lesson.replace(added, b"") == home
    assert get(own_server, "/qkv", Accept_Encoding="gzip", Range="bytes=0-99")[1] == lesson


def upload(server, session, file, size):
    """Return the status with which a file of so many MiB is answered."""
    response, _ = get(server, "/_stcore/health")
    cookie = response.headers["Set-Cookie"].split(";")[0]
    headers = {"Cookie": cookie, "X-Xsrftoken": cookie.partition("=")[2].strip('"')}
    content = (
        b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + bytes(size << 20) + b"\r\n--x--\r\n"
    )
    headers |= {"Content-Type": "multipart/form-data; boundary=x"}
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("PUT", f"/_stcore/upload_file/{session}/{file}", content, headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_uploads_have_a_total_for_a_session_and_for_all_and_files_of_closed_tabs_make_room(own_server):
    async def room():
        async with AsyncExitStack() as tabs:
            students = [await tabs.enter_async_context(Student(own_server.port)) for _ in range(8)]
            for student in students:
                await student.run()
            first, *others, last = students
            found = [await asyncio.to_thread(upload, own_server, first.session, f"f{n}", 9) for n in range(4)]
            assert found == [204, 204, 413, 413]
            for student in others:
                for n in range(2):
                    await asyncio.to_thread(upload, own_server, student.session, f"f{n}", 9)
            assert await asyncio.to_thread(upload, own_server, last.session, "f", 9) == 413
            await first.__aexit__()
            end = time.monotonic() + 10
            while await asyncio.to_thread(upload, own_server, last.session, "f", 9) != 204:
                assert time.monotonic() < end
                await asyncio.sleep(0.2)

    asyncio.run(room())


def test_what_goes_wrong_within_the_server_is_not_told_on_the_page(own_server):
    async def go_wrong():
        async with Student(own_server.port, link="home_weights=random&home_seed=3") as student:
            await student.run()
            (field,) = [control.id for control in student.controls.values() if control.key == "home_seed"]
            await student.run(WidgetState(id=field, string_value="seven"))
            return student

    (error,) = asyncio.run(go_wrong()).errors
    assert "TypeError" not in error
    assert "real number" not in error


class Sender:
    """A tab that sends messages, on a clock of its own, to a server that is late by so many seconds."""

    def __init__(self, module, monkeypatch, apart=0.0, late=0.0, size=100):
        self.now, self.asleep, self.said, self.apart, self.late, self.size = 0.0, 0.0, [], apart, late, size
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: self.now))
        monkeypatch.setattr(module, "asyncio", SimpleNamespace(sleep=self.sleep))
        self.receive = module.paced(self.next, self.send)

    async def next(self):
        self.now += self.apart
        return {"type": "websocket.receive", "bytes": bytes(self.size)}

    async def send(self, message):
        self.said.append(message)

    async def sleep(self, seconds):
        self.asleep += seconds
        self.now += seconds + self.late

    def taken(self, most):
        """Return how many of its messages are taken before the connection is closed."""

        async def take():
            for n in range(most):
                if (await self.receive())["type"] == "websocket.disconnect":
                    return n
            return most

        return asyncio.run(take())


def test_what_a_person_sends_is_taken_at_once(module, monkeypatch):
    sender = Sender(module, monkeypatch, apart=1 / 25)
    assert sender.taken(5000) == 5000
    assert sender.asleep == 0
    assert sender.said == []


def test_a_script_is_taken_slowly_more_so_when_the_server_is_late_and_closed_in_the_end(module, monkeypatch):
    fast = Sender(module, monkeypatch)
    taken = fast.taken(10**5)
    assert taken <= module.AT_ONCE + 1 + module.PATIENCE * module.A_SECOND
    assert fast.now > module.PATIENCE
    assert [message["type"] for message in fast.said] == ["websocket.close"]
    assert Sender(module, monkeypatch, late=0.2).taken(10**5) < taken / 10


def test_who_sent_too_much_while_the_server_was_late_does_not_wait_for_it_later(module, monkeypatch):
    sender = Sender(module, monkeypatch, late=5.0)
    sender.taken(int(module.AT_ONCE) + 2)
    assert sender.asleep > 1
    sender.late, sender.asleep, sender.now = 0.0, 0.0, sender.now + 60
    sender.taken(int(module.AT_ONCE) + 2)
    assert 0 < sender.asleep < 0.2


def test_a_message_longer_than_pages_send_closes_its_connection(module, monkeypatch):
    assert Sender(module, monkeypatch, apart=1, size=module.LARGEST).taken(3) == 3
    sender = Sender(module, monkeypatch, apart=1, size=module.LARGEST + 1)
    assert sender.taken(3) == 0
    assert [message["type"] for message in sender.said] == ["websocket.close"]


async def stream(server, **headers):
    return await connect(
        f"ws://127.0.0.1:{server.port}/_stcore/stream",
        subprotocols=["streamlit"],
        proxy=None,
        additional_headers=headers,
    )


def test_an_address_has_a_limited_number_of_sessions_and_others_have_their_own(own_server):
    async def come():
        open_ones = [await stream(own_server) for _ in range(SESSIONS)]
        with pytest.raises(InvalidStatus) as refused:
            await stream(own_server)
        assert refused.value.response.status_code == 503
        assert b"Too many pages" in refused.value.response.body
        other = await stream(own_server, **{"X-Forwarded-For": "203.0.113.7"})  # as nginx on this machine says
        await open_ones.pop().close()
        for _ in range(50):  # until the server has heard of it
            try:
                open_ones.append(await stream(own_server))
                break
            except InvalidStatus:
                await asyncio.sleep(0.1)
        assert len(open_ones) == SESSIONS
        for one in (*open_ones, other):
            await one.close()

    asyncio.run(come())


def test_a_forged_text_that_streamlit_would_take_closes_its_tab(own_server):
    async def send():
        async with Student(own_server.port, "qkv", "qkv_exercise=attention_weights&qkv_ask=no") as student:
            await student.run()
            (field,) = [name for name in student._parts if "_code_" in name]
            await student.run(WidgetState(id=field, json_value=json.dumps({"text": "x" * 90_000})))
            with pytest.raises(ConnectionClosed):
                await student.run(WidgetState(id=field, json_value=json.dumps({"text": "x" * 600_000})))
        assert student.errors == []

    asyncio.run(send())
