"""The course on a server of one's own: `streamlit run .deploy/server.py`; “One container” in hosting.md says why."""

import asyncio
import gc
import importlib
import logging
import os
import pkgutil
import sys
import time
from base64 import b64encode
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hmac import compare_digest
from math import inf
from pathlib import Path
from posixpath import normpath
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

ROOT = Path(__file__).parents[1]
LEVEL = 9  # of zlib: a file is compressed once
UPLOAD = "/_stcore/upload_file/"  # then the session, then the file
OF_ONE, OF_ALL = 24 << 20, 128 << 20  # bytes of uploads: a model, another in its place and a text; and of all sessions
OF_ADDRESS = OF_ALL // 2  # of all sessions from one address
SESSIONS = int(os.environ.get("SESSIONS_FROM_ONE_ADDRESS", "200"))  # a whole class may have one address
LARGEST = 400_000  # bytes of a message: a page with the longest texts that its fields take has half of that
PIECE, PARTS, ANSWERS = 512, 200, 2 << 20  # bytes that are read at once; parts of a message; bytes that nobody reads
VALUES = 2000  # of a message, each of which may take sixty times its bytes: a page has some hundred controls
AT_ONCE, A_SECOND = 10.0, 30.0  # messages of a session: an arrow key that is held on a slider sends 30 a second
LATER = 5.0  # how many times the seconds for which the server is late a session that sends more waits, too
PATIENCE = 20.0  # seconds for which a session may send more than that, before it is closed
METRICS, HERE = "/_stcore/metrics", ("127.0.0.1", "::1")  # and from where they are told
ANY_PROXY = os.environ.get("FORWARDED_ALLOW_IPS") == "*"  # is believed: a visitor may write all but the last addresses
PROXIES = max(1, int(os.environ.get("FORWARDED_PROXIES", "1")))  # of one's own in the way, each of which writes one
OF_A_PART = {b"range", b"if-none-match", b"if-modified-since"}  # headers for which the answer is not the whole file
LINES = 1500  # connections beside those of sessions; each takes a descriptor, and 0.3 MB while nobody reads its answer
SAFER = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}  # a link has a student's words
KEY, HOST = os.environ.get("HOST_KEY", ""), "/_host"  # of the host’s page, for which a key has 16 characters
TOO_MANY = "Too many pages of this course are open from your address. Close some, or ask who runs this server."


class CompressedOnce:
    """Sends the files that never change compressed, to whoever takes them so; keeps each as it was sent first."""

    def __init__(self, app: ASGIApp) -> None:
        self.plain, self.compressed = app, GZipMiddleware(app, compresslevel=LEVEL)
        self.kept: dict[str, asyncio.Task[list[Message]]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_file = scope["type"] == "http" and scope["method"] == "GET" and "/static/" in scope["path"]
        headers = dict(scope.get("headers", ()))
        if not is_file or OF_A_PART & headers.keys() or b"gzip" not in headers.get(b"accept-encoding", b""):
            await self.plain(scope, receive, send)
            return
        path = normpath(scope["path"])  # one name for each file, so that there is an end to them
        if path not in self.kept:  # who asks meanwhile waits for the same
            self.kept[path] = asyncio.create_task(self.answer(path, scope, receive))
        for message in await asyncio.shield(self.kept[path]):
            await send(message)
            await asyncio.sleep(0)  # for others: it would wait for nothing while the system takes what is sent

    async def answer(self, path: str, scope: Scope, receive: Receive) -> list[Message]:
        """Return the messages of an answer; they are kept if the file changes its name whenever its content changes."""
        sent: list[Message] = []

        async def note(message: Message) -> None:
            sent.append(message)

        try:
            await self.compressed(scope, receive, note)
        finally:
            head = sent[0] if sent else {"status": 500, "headers": ()}
            if head["status"] != 200 or "immutable" not in Headers(raw=head["headers"]).get("cache-control", ""):
                del self.kept[path]
        return sent


def safer(app: ASGIApp) -> ASGIApp:
    """Return a server that tells browsers to take a file for what it is sent as, and to keep links to themselves."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and ANY_PROXY and (said := Headers(scope=scope).getlist("x-forwarded-for")):
            scope["client"] = (",".join(said).split(",")[-PROXIES:][0].strip(), 0)
        told = address_in(scope) in HERE and "x-forwarded-for" not in Headers(scope=scope)  # which a visitor may write
        if scope["type"] == "http" and METRICS in normpath(scope["path"]) and not told:
            await PlainTextResponse("Not for you", 403)(scope, receive, send)
            return

        async def say(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SAFER)
            await send(message)

        await app(scope, receive, say)

    return answer


class UploadLimit:
    """Refuses an upload where its session, or all together, would hold too much."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.arriving: Counter[str] = Counter()  # bytes, by session
        self.address_of: dict[str, str] = {}  # of sessions that brought something

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT" or UPLOAD not in scope["path"]:
            await self.app(scope, receive, send)
            return
        session = scope["path"].rpartition(UPLOAD)[2].partition("/")[0]
        headers = Headers(scope=scope)
        told = headers.get("content-length", "") if "transfer-encoding" not in headers else ""  # which is what counts
        size = int(told) if told.isdecimal() else OF_ALL
        if not self.has_room(session, address_in(scope), size):
            await PlainTextResponse("There is no room for so many files", 413)(scope, receive, send)
            return
        self.arriving[session] += size
        try:
            await self.app(scope, receive, send)
        finally:
            self.arriving[session] -= size
            self.arriving = +self.arriving  # without those at zero

    def has_room(self, session: str, address: str, size: int) -> bool:
        """Tell whether a session may bring so many bytes; files of closed tabs are dropped if that helps."""
        from pages.server import streamlit_private

        held = streamlit_private.uploads()
        if held[session] + self.arriving[session] + size > OF_ONE:
            return False
        self.address_of = {each: self.address_of.get(each, "") for each in held + self.arriving} | {session: address}

        def is_full() -> bool:
            both = held + self.arriving
            mine = sum(both[each] for each, of in self.address_of.items() if of == address)
            return both.total() + size > OF_ALL or mine + size > OF_ADDRESS

        for other in [*held]:
            if is_full() and not streamlit_private.is_open(other):
                streamlit_private.drop_uploads(other)
                del held[other]
        return not is_full()


class SessionLimit:
    """Refuses a session too many from one address, and takes what a session sends no faster than a person can."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.open: Counter[str] = Counter()  # sessions, by address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        address = address_in(scope)
        if self.open[address] >= SESSIONS:
            logging.getLogger(__name__).warning("%s has %d sessions: SESSIONS_FROM_ONE_ADDRESS", address, SESSIONS)
            await PlainTextResponse(TOO_MANY, 503)(scope, receive, send)
            return
        self.open[address] += 1
        try:
            await self.app(scope, paced(receive, send), send)
        finally:
            self.open[address] -= 1
            self.open = +self.open


def address_in(scope: Scope) -> str:
    """Return where a request comes from: of IPv6 the network, as one person has as many addresses as there are."""
    from pages.server.shares import network

    return network((scope.get("client") or ("",))[0])


def paced(receive: Receive, send: Send) -> Receive:
    """Return a `receive` that waits where messages come too fast; what it does not take stays with the sender."""
    from pages.server.streamlit_private import weight

    left, late, seen = AT_ONCE, 0.0, time.perf_counter()
    good = seen  # when nothing had to wait last

    async def take() -> Message:
        nonlocal left, late, seen, good
        message = await receive()
        now = time.perf_counter()
        left, seen = min(AT_ONCE, left + (now - seen) * A_SECOND) - weight(message.get("bytes") or b"", VALUES), now
        if left >= 0:
            good, late = now, 0.0
        if now - good > PATIENCE or left == -inf:
            await send({"type": "websocket.close", "code": 1008, "reason": "too much"})
            return {"type": "websocket.disconnect", "code": 1008}
        if left < 0:
            pause = -left / A_SECOND + LATER * min(late, 1.0)
            await asyncio.sleep(pause)
            left, seen = 0.0, time.perf_counter()
            late = seen - now - pause
        return message

    return take


def host(request: Request) -> Response:
    """Answer who has the key of the host, on a page of this server, and nobody else."""
    from pages.home import host

    given, origin = request.headers.get("authorization", ""), request.headers.get("origin")
    expected = f"Basic {b64encode(f'host:{KEY}'.encode()).decode()}"
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign or not compare_digest(given.encode(), expected.encode()):
        return Response(status_code=401, headers={"WWW-Authenticate": "Basic"})
    if request.method == "POST":
        host.end(request.query_params.get("end", ""))
        return RedirectResponse(HOST, 303)
    return HTMLResponse(host.page(), headers={"Cache-Control": "no-store"})


def few(made: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """Return a `connection_made` by which of too many the oldest of the address with most ends, whatever it does."""
    lines: dict[str, deque[Any]] = {}

    def take(self: Any, transport: Any) -> None:
        made(self, transport)
        self.config.ws_max_size = LARGEST
        address = address_in({"client": transport.get_extra_info("peername")})
        lines.setdefault(address, deque()).append(transport)
        if sum(map(len, lines.values())) > LINES:
            oldest = lines[most := max(lines, key=lambda each: len(lines[each]))].popleft()
            if not lines[most]:
                del lines[most]
            if hasattr(oldest.get_protocol(), "cycle"):  # a session has none
                oldest.abort()

    return take


def in_pieces(line: Any) -> None:
    """Let a session's bytes wait until its last message is taken: compressed, they may be a thousand times as many."""
    read, take = line.data_received, line.receive

    def feed(self: Any, data: bytes = b"") -> Any:
        self.unread = getattr(self, "unread", b"") + data
        while self.unread and (self.queue.empty() or self.close_sent):
            read(self, self.unread[:PIECE])
            self.unread = self.unread[PIECE:]
            if len(self.frames) > PARTS or self.transport.get_write_buffer_size() > ANSWERS:
                return self.transport.abort()

    async def receive(self: Any) -> Any:
        message = await take(self)
        feed(self)
        return message

    line.data_received, line.receive = feed, receive


@asynccontextmanager
async def loaded(app: st.App) -> AsyncIterator[None]:
    """Load what the pages import; what runs students' code belongs to other processes."""
    import attention_core  # noqa: F401  before NumPy
    import pages
    from pages.server.process import raise_limit

    raise_limit()
    for module in pkgutil.walk_packages(pages.__path__, "pages."):
        if ".sandbox." not in module.name and (module.ispkg or module.name.count(".") > 1):  # a page would be drawn
            importlib.import_module(module.name)
    importlib.import_module("pages.tiny_lm.tokens.learned").of_course()  # half a second for who opens it first
    gc.freeze()  # what is loaded now stays: looking it through for garbage again and again takes 4 % of the processor
    yield


sys.path.insert(0, str(ROOT))
st.set_option("client.showErrorDetails", "none")
AutoHTTPProtocol.connection_made = few(AutoHTTPProtocol.connection_made)
in_pieces(WebSocketsSansIOProtocol)
app = st.App(
    ROOT / "streamlit_app.py",
    lifespan=loaded,
    routes=[Route(HOST, host, methods=["GET", "POST"])] if len(KEY) >= 16 else [],
    middleware=[Middleware(safer), Middleware(CompressedOnce), Middleware(UploadLimit), Middleware(SessionLimit)],
)

if __name__ == "__main__":
    sys.exit("Start it by: streamlit run .deploy/server.py")
