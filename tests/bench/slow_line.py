"""A slow line: a proxy of our own that carries bytes to a server and back, late and at a limited rate.

Browsers can slow down their requests themselves, but each by itself, and not what goes over a websocket alike. Here all
connections share one line, a piece of each in turns, and all that travels is counted. A new connection takes one way
there and back before its first byte, as it does with TCP; lost packets and TCP's slow start are left out.
"""

import asyncio
import threading
from contextlib import suppress
from typing import Self

PIECE = 2048  # bytes carried at a time: at 2 Mbit/s the others wait 8 ms for them


class OneWay:
    """One direction of the line."""

    def __init__(self, rate: float, delay: float) -> None:
        self.rate, self.delay = rate, delay  # bytes a second, seconds
        self.carried = 0  # bytes
        self._turn = asyncio.Lock()
        self._free = 0.0

    async def carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, first: float = 0.0) -> None:
        """Carry all that comes to the other end."""
        loop = asyncio.get_running_loop()
        arriving: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        delivery = asyncio.create_task(deliver(arriving, target))
        not_before = loop.time() + first
        while data := await source.read(PIECE):
            ready = max(loop.time(), not_before)
            async with self._turn:
                self._free = max(ready, self._free) + len(data) / self.rate
                await asyncio.sleep(self._free - loop.time())
            self.carried += len(data)
            arriving.put_nowait((self._free + self.delay, data))
        arriving.put_nowait((loop.time() + self.delay, b""))
        await delivery


async def deliver(arriving: "asyncio.Queue[tuple[float, bytes]]", target: asyncio.StreamWriter) -> None:
    """Hand over each piece when its time has come; an empty one is the end."""
    loop = asyncio.get_running_loop()
    while True:
        due, data = await arriving.get()
        await asyncio.sleep(due - loop.time())
        if not data:
            target.close()
            return
        target.write(data)


class SlowLine:
    """The line to a server on this machine, open while the context lasts: `port` is its near end."""

    def __init__(self, server: int, megabits: float, round_trip: float) -> None:
        self.server = server
        self.rate, self.round_trip = megabits * 1e6 / 8, round_trip
        self._open = threading.Event()
        self._connections: list[asyncio.Task[None] | None] = []

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        self._open.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    @property
    def carried(self) -> int:
        """How many bytes came from the server so far."""
        return self._down.carried

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        self._up, self._down = (OneWay(self.rate, self.round_trip / 2) for _ in range(2))
        listener = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port = listener.sockets[0].getsockname()[1]
        self._open.set()
        async with listener:
            await self._end.wait()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections)

    async def _connect(self, near: asyncio.StreamReader, near_end: asyncio.StreamWriter) -> None:
        self._connections.append(asyncio.current_task())
        far, far_end = await asyncio.open_connection("127.0.0.1", self.server)
        ways = self._up.carry(near, far_end, first=self.round_trip), self._down.carry(far, near_end)
        with suppress(asyncio.CancelledError, OSError):  # the line is closed, or one of its ends has gone
            await asyncio.gather(*ways)
        for end in (near_end, far_end):
            end.close()
            with suppress(asyncio.CancelledError, OSError):
                await end.wait_closed()
