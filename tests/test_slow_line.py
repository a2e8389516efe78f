import asyncio
import time

from tests.bench.slow_line import SlowLine

MEGABITS, ROUND_TRIP = 4.0, 0.1
TEXT = bytes(range(256)) * 400


async def echo(reader, writer):
    writer.write(await reader.readexactly(len(TEXT)))
    await writer.drain()
    writer.close()
    await writer.wait_closed()


async def sent_and_back(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(TEXT)
    back = await reader.read()
    writer.close()
    await writer.wait_closed()
    return back


def over_a_slow_line(connections):
    async def talk():
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        async with server:
            with SlowLine(server.sockets[0].getsockname()[1], MEGABITS, ROUND_TRIP) as line:
                start = time.perf_counter()
                back = await asyncio.gather(*(sent_and_back(line.port) for _ in range(connections)))
                return back, time.perf_counter() - start, line.carried

    return asyncio.run(talk())


def test_a_slow_line_changes_nothing_and_counts_what_comes_back():
    back, _, carried = over_a_slow_line(connections=1)
    assert back == [TEXT]
    assert carried == len(TEXT)


def test_connections_share_a_slow_line_and_wait_for_its_round_trip():
    back, seconds, carried = over_a_slow_line(connections=3)
    assert back == [TEXT] * 3
    assert carried == 3 * len(TEXT)
    assert seconds >= 3 * len(TEXT) * 8 / (MEGABITS * 1e6) + 2 * ROUND_TRIP  # one to connect, one for the text
