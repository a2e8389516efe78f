import asyncio
import base64
import gzip
import http.client
import importlib.util
import re
import subprocess
import sys
from collections import Counter
from contextlib import AsyncExitStack
from functools import partial
from types import SimpleNamespace
from unittest.mock import AsyncMock

import pytest
import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pages.home import host
from pages.server import streamlit_private
from tests.bench.client import PATIENCE, Student
from tests.bench.server import Server
from tests.bench.timing import ROOT

SCRIPT = ROOT / ".deploy" / "server.py"
SESSIONS, KEY = 9, "the key of a host"
LONG = b"\xfa\x7f\xf6\xb4\x18" + bytes(399_990)  # a message that a server hears, and for which it does nothing


@pytest.fixture(scope="module")
def own_server():
    names = "course.example.org 127.0.0.1"
    limits = {"SESSIONS_FROM_ONE_ADDRESS": str(SESSIONS), "STREAMLIT_SERVER_ALLOWED_HOSTS": names}
    with Server(SCRIPT, HOST_KEY=KEY, **limits) as server:
        yield server


@pytest.fixture(scope="module")
def module():
    before = st.get_option("client.showErrorDetails")
    spec = importlib.util.spec_from_file_location("own_server", SCRIPT)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    st.set_option("client.showErrorDetails", before)
    return found


def ask(server, path, method="GET", body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    found = response.read()
    connection.close()
    return response, found


def test_a_file_of_streamlits_own_travels_compressed_to_whoever_takes_it_so(own_server):
    _, index = ask(own_server, "/")
    script = "/static/js/" + re.search(r'src="\./static/js/(index\.[^"]+\.js)"', index.decode())[1]
    response, plain = ask(own_server, script)
    assert "Content-Encoding" not in response.headers
    for _ in range(2):  # compressed now, and as it was kept
        response, body = ask(own_server, script, Accept_Encoding="gzip, br")
        assert response.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(body) == plain
        assert len(body) < len(plain) / 2
    response, part = ask(own_server, script, Accept_Encoding="gzip", Range="bytes=0-99")
    assert (response.status, part) == (206, plain[:100])
    for _ in range(2):
        response, _ = ask(own_server, "/static/js/none.js", Accept_Encoding="gzip")
        assert "immutable" not in response.headers["Cache-Control"]


@pytest.mark.parametrize("path", ["/", "/qkv", "/static/js/none.js", "/_stcore/health", "/_stcore/upload_file/x/y"])
def test_browsers_are_told_what_they_may_do_with_each_answer(own_server, path):
    headers = ask(own_server, path)[0].headers
    assert headers.get_all("X-Content-Type-Options") == ["nosniff"]
    assert headers.get_all("Referrer-Policy") == ["same-origin"]


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore//metrics", "/qkv/_stcore/metrics"])
def test_what_a_server_counts_is_told_on_its_own_machine_alone(own_server, path):
    for said in ("203.0.113.9", "127.0.0.1"):
        assert ask(own_server, path, X_Forwarded_For=said)[0].status == 403
    assert ask(own_server, "/_stcore/metrics")[0].status == 200


def test_a_server_that_knows_its_names_opens_no_session_under_another(own_server):
    def status(host):
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13"}
        key = {"Sec_WebSocket_Key": "A" * 22 + "==", "Sec_WebSocket_Protocol": "streamlit"}
        return ask(own_server, "/_stcore/stream", Host=host, Origin=f"http://{host}", **upgrade, **key)[0].status

    assert [status(f"{name}:80") for name in ("course.example.org", "127.0.0.1", "evil.example")] == [101, 101, 403]


def test_who_has_the_key_sees_who_uses_what_and_ends_it_and_nobody_else_is_answered(own_server, module):
    def host(key=KEY, method="GET", end="", **headers):
        given = base64.b64encode(f"host:{key}".encode()).decode()
        return ask(own_server, f"/_host?end={end}", method, Authorization=f"Basic {given}", **headers)

    async def come():
        async with Student(own_server.port) as student:
            await student.run()
            await asyncio.to_thread(upload, own_server, student.session, "f", 1)
            for key in ("", KEY[:-1], KEY + " ", "ключ"):
                assert [host(key)[i] if i else host(key)[0].status for i in (0, 1)] == [401, b""]
            assert ask(own_server, "/_host")[0].status == 401
            for origin in ("https://evil.example", "null", ""):
                assert host(method="POST", end="this-machine", Origin=origin)[0].status == 401
            page = host()[1].decode()
            tabs, used, uploaded = re.findall(r">([^<]+)</td>", page[page.index("this-machine") :])[:3]
            assert (tabs, used[-2:], uploaded) == ("1", " s", "1.0 MB")
            assert host(method="POST", end="this-machine")[0].status == 303
            async with asyncio.timeout(PATIENCE):
                while "1.0 MB" in host()[1].decode():
                    await asyncio.sleep(0.1)

    asyncio.run(come())
    assert not module.app._user_routes  # without a key
    assert "ScriptRunContext" not in own_server.said()  # as by a page that is drawn before somebody comes


def test_files_of_closed_tabs_stand_under_no_address_and_cannot_be_ended(monkeypatch):
    monkeypatch.setattr(streamlit_private, "uploads", lambda: Counter({"gone": 1 << 20, "here": 2 << 20}))
    monkeypatch.setattr(streamlit_private, "sessions", lambda: {"here": "192.0.2.1"})
    monkeypatch.setattr(host, "EVERY", [])
    monkeypatch.setattr(host.MODELS, "by_address", Counter)
    lines = str(host.visitors()).split("<tr")[-2:]
    assert [["closed tabs" in line, "<form" in line] for line in lines] == [[False, True], [True, False]]


def test_started_as_a_program_it_says_how_it_is_started():
    ran = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert (ran.returncode, "streamlit run .deploy/server.py" in ran.stderr) == (1, True)


def test_a_file_is_compressed_once_for_all_who_ask_at_once(module):
    asked = []

    async def app(scope, receive, send):
        asked.append(scope["path"])
        await asyncio.sleep(0.01)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"cache-control", b"immutable")]})
        await send({"type": "http.response.body", "body": bytes(9999)})

    async def ask_at_once():
        once, send = module.CompressedOnce(app), AsyncMock()
        scope = {"type": "http", "method": "GET", "path": "/static/x.js", "headers": [(b"accept-encoding", b"gzip")]}
        await asyncio.gather(*(once(scope, None, send) for _ in range(5)))
        return sum(len(sent.args[0].get("body", b"")) for sent in send.await_args_list)

    assert 0 < asyncio.run(ask_at_once()) < 5 * 99
    assert asked == ["/static/x.js"]


def upload(server, session, file, size=9):
    """Return the status with which a file of so many MiB is answered."""
    response, _ = ask(server, "/_stcore/health")
    cookie = response.headers["Set-Cookie"].split(";")[0]
    content = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + bytes(size << 20)
    headers = {"Content_Type": "multipart/form-data; boundary=x", "X_Xsrftoken": cookie.partition("=")[2].strip('"')}
    path = f"/_stcore/upload_file/{session}/{file}"
    return ask(server, path, "PUT", content + b"\r\n--x--\r\n", Cookie=cookie, **headers)[0].status


def test_an_address_brings_half_of_what_all_may_bring(module, monkeypatch):
    held, closed = Counter(), set()
    monkeypatch.setattr(streamlit_private, "uploads", lambda: Counter(held))
    monkeypatch.setattr(streamlit_private, "drop_uploads", held.pop)
    monkeypatch.setattr(streamlit_private, "is_open", lambda session: session not in closed)
    limit = module.UploadLimit(None)

    def bring(session, address):
        found = limit.has_room(session, address, 20 << 20)
        held[session] += found * (20 << 20)
        return found

    assert [bring(f"a{i}", "a") for i in range(4)] == [True, True, True, False]
    assert [bring(f"b{i}", "b") for i in range(4)] == [True, True, True, False]
    assert not bring("c", "c")  # that is all
    assert not bring("b0", "b")
    closed |= {"a1", "a2"}
    assert bring("c", "c")
    assert {*held} >= {"a0", "b0", "b1", "b2", "c"}
    assert len(limit.address_of) <= len(held) + 1


def test_uploads_have_a_total_for_a_session_and_for_an_address_and_files_of_closed_tabs_make_room(own_server):
    async def room():
        async with AsyncExitStack() as tabs:
            students = [await tabs.enter_async_context(Student(own_server.port)) for _ in range(5)]
            for student in students:
                await student.run()
            first, *others, last = students
            found = [await asyncio.to_thread(upload, own_server, first.session, f"f{n}") for n in range(4)]
            assert found == [204, 204, 413, 413]
            longer = {"Content_Length": "5", "Transfer_Encoding": "chunked"}  # than it says
            assert ask(own_server, "/_stcore/upload_file/x/f", "PUT", b"0\r\n\r\n", **longer)[0].status == 413
            for student in others:
                for n in range(2):
                    await asyncio.to_thread(upload, own_server, student.session, f"f{n}")
            assert await asyncio.to_thread(upload, own_server, last.session, "f") == 413
            await first.__aexit__()
            async with asyncio.timeout(PATIENCE):
                while await asyncio.to_thread(upload, own_server, last.session, "f") != 204:
                    await asyncio.sleep(0.2)

    asyncio.run(room())


def test_what_goes_wrong_within_the_server_is_not_told_on_the_page(own_server):
    async def go_wrong():
        async with Student(own_server.port, link="home_weights=random&home_seed=3") as student:
            await student.run()
            assert student.errors == []
            await student.run(WidgetState(id=student.control("home_seed").id, string_value="seven"))
            return student

    (error,) = asyncio.run(go_wrong()).errors
    assert "TypeError" not in error


def sent(module, monkeypatch, most, apart=0.0, late=0.0):
    """Return how many messages of a tab are taken, and the seconds that it has to wait and that all takes."""
    now, waits = [0.0], []

    async def receive():
        now[0] += apart
        return {"type": "websocket.receive", "bytes": b"x"}

    async def sleep(seconds):
        waits.append(seconds)
        now[0] += seconds + late

    async def send(message):
        assert message["type"] == "websocket.close"

    async def take():
        paced = module.paced(receive, send)
        for n in range(most):
            if (await paced())["type"] == "websocket.disconnect":
                return n
        return most

    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(module, "asyncio", SimpleNamespace(sleep=sleep))
    return asyncio.run(take()), sum(waits), now[0]


def test_a_person_is_heard_at_once_a_script_slowly_and_closed_in_the_end(module, monkeypatch):
    assert sent(module, monkeypatch, 5000, apart=1 / 25)[:2] == (5000, 0)
    taken, _, took = sent(module, monkeypatch, 10**5)
    assert taken <= module.AT_ONCE + 1 + module.PATIENCE * module.A_SECOND
    assert took > module.PATIENCE
    assert sent(module, monkeypatch, 10**5, late=0.2)[0] < taken / 10


def test_an_address_has_a_limited_number_of_sessions_and_others_have_their_own(own_server):
    address = f"ws://127.0.0.1:{own_server.port}/_stcore/stream"

    def stream(**headers):
        options = {"subprotocols": ["streamlit"], "proxy": None, "open_timeout": PATIENCE}
        return connect(address, additional_headers=headers, **options)

    async def come():
        async with AsyncExitStack() as tabs:
            open_ones = [await tabs.enter_async_context(stream()) for _ in range(SESSIONS)]
            with pytest.raises(InvalidStatus) as refused:
                await stream()
            assert refused.value.response.status_code == 503
            await tabs.enter_async_context(stream(**{"X-Forwarded-For": "203.0.113.7"}))  # as nginx here says
            await open_ones.pop().close()
            async with asyncio.timeout(PATIENCE):  # until the server has heard of it
                while True:
                    try:
                        await tabs.enter_async_context(stream())
                        break
                    except InvalidStatus:
                        await asyncio.sleep(0.1)

    asyncio.run(come())


def test_where_any_proxy_is_believed_a_visitor_does_not_choose_an_address(module, monkeypatch):
    async def app(scope, receive, send):
        assert scope["client"][0] == "10.0.0.1"

    monkeypatch.setattr(module, "ANY_PROXY", True)
    for proxies, written in ((1, ["6.6.6.6, 10.0.0.1"]), (2, ["6.6.6.6", "10.0.0.1, 10.0.0.2"]), (3, ["10.0.0.1"])):
        monkeypatch.setattr(module, "PROXIES", proxies)
        headers = [(b"x-forwarded-for", part.encode()) for part in written]
        scope = {"type": "websocket", "client": ("6.6.6.6", 0), "headers": headers, "path": "/"}
        asyncio.run(module.safer(app)(scope, None, None))


def test_the_oldest_of_too_many_connections_of_an_address_gives_way_and_no_session(module, monkeypatch):
    monkeypatch.setattr(module, "LINES", 5)
    ended, take = [], module.few(lambda *_: None)
    lines = [("1.1.1.1", "cycle"), ("6.6.6.6", "session"), *[("6.6.6.6", "cycle")] * 6]
    for number, (address, kind) in enumerate(lines):
        line = SimpleNamespace(get_protocol=lambda kind=kind: SimpleNamespace(**{kind: None}))
        line.abort, line.get_extra_info = partial(ended.append, number), lambda _, address=address: (address, 1)
        take(SimpleNamespace(config=SimpleNamespace()), line)
    assert ended == [2, 3]
    assert "cycle" in module.AutoHTTPProtocol.__init__.__code__.co_names


@pytest.mark.nightly
def test_a_message_is_heard_in_parts_many_are_not_held_at_once_and_too_much_in_one_closes_its_tab(own_server):
    async def send(message, part):
        async with Student(own_server.port) as student:
            await student.run()
            await student.line.send(message[start : start + part] for start in range(0, len(message), part))
            await student.run()
            before = own_server.memory()
            for _ in range(250):  # which travel as 100 kB
                await student.line.send(LONG)
            for _ in range(20):
                assert own_server.memory() < before + 40
                await asyncio.sleep(0.1)

    asyncio.run(send(LONG, 4096))
    many = BackMsg(rerun_script={"widget_states": {"widgets": [{}] * 2100}}).SerializeToString()
    for message, part in ((LONG + bytes(9), 10**6), (LONG, 1000), (many, 10**6)):
        with pytest.raises(ConnectionClosed):
            asyncio.run(send(message, part))
