"""The two stores of a class, each alone in the world."""

import shutil
import subprocess
import time
from contextlib import contextmanager

import pytest

from pages.class_room import attend, console, host, member, push, room, teacher
from pages.class_room.redis_store import RedisStore
from pages.class_room.sqlite_store import SqliteStore
from tests.bench.server import free_port, listens
from tests.deploy.composed import SERVICES, STORE
from tests.missing import without


@contextmanager
def redis_server(folder):
    """Run a server of Redis as compose.yaml does, but on a port of its own; give its address."""
    pytest.importorskip("redis", reason="this test needs the package redis (pip install .[class])")
    program = shutil.which("redis-server") or without("redis-server (of Debian)")
    port = free_port()
    _, *shipped = SERVICES[STORE]["command"]
    options = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
    with subprocess.Popen([program, *shipped, *options], stdout=subprocess.DEVNULL) as process:
        try:
            while not listens(port):
                assert process.poll() is None
                time.sleep(0.02)
            yield f"redis://127.0.0.1:{port}"
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def redis_address(tmp_path_factory):
    with redis_server(tmp_path_factory.mktemp("redis")) as address:
        yield address


@pytest.fixture(params=["sqlite", "redis"])
def stores(request, tmp_path):
    """A function that returns another server's way to the same store."""
    if request.param == "sqlite":
        yield lambda: SqliteStore(tmp_path / "classes.sqlite")
        return
    address = request.getfixturevalue("redis_address")
    store = RedisStore(address)
    yield lambda: RedisStore(address)
    with store.connected() as server:
        server.flushall()


@pytest.fixture
def store(stores):
    return stores()


@pytest.fixture(autouse=True)
def few_tries(monkeypatch):
    room.tries_of.cache_clear()
    monkeypatch.setattr(room, "MAY", {"wrong": 20, "opened": 200})
    monkeypatch.setattr(room, "OPENED", {})


@pytest.fixture
def rooms(request, tmp_path, monkeypatch):
    """The store of the pages of all tabs: a file, unless a test asks for both `stores`."""
    both = "stores" in request.fixturenames
    store = request.getfixturevalue("stores")() if both else SqliteStore(tmp_path / "classes.sqlite")
    for module in (room, member, host, teacher, attend, push, console):
        monkeypatch.setattr(module, "the_store", lambda: store)
    monkeypatch.setattr(push, "start", lambda: None)  # tests look themselves
    return store
