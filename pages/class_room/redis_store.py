"""A class in Redis, for replicas that have no file in common: `pip install .[class]`."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pages.class_room.store import CLASSES, DAY, IDLE, LONGEST, MANY, ON_A_SHELF, PATIENCE, Closed, Unavailable, whole

FORGET = """
local function forget(word)
    local kept = 'class:' .. word .. ':shelves'
    for _, shelf in ipairs(redis.call('SMEMBERS', kept)) do redis.call('DEL', shelf) end
    redis.call('DEL', kept, 'class:' .. word)
    redis.call('ZREM', 'classes', word)
end
"""
OPEN = f"""{FORGET}
local word, now, ends, most = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
for _, one in ipairs(redis.call('ZRANGE', 'classes', 0, -1)) do
    if redis.call('EXISTS', 'class:' .. one) == 0 then forget(one) end
end
if redis.call('EXISTS', 'class:' .. word) == 1 then return 0 end
while redis.call('ZCARD', 'classes') >= most do
    local idle = redis.call('ZRANGE', 'classes', 0, 0, 'WITHSCORES')
    if tonumber(idle[2]) > tonumber(ARGV[5]) then return 2 end
    forget(idle[1])
end
redis.call('SET', 'class:' .. word, ends)
redis.call('EXPIREAT', 'class:' .. word, ends)
redis.call('ZADD', 'classes', now, word)
return 1
"""
PUT = """
local word, shelf, name, text, now, most = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
local ends = redis.call('GET', 'class:' .. word)
if not ends then return 0 end
local key, kept = 'class:' .. word .. ':on:' .. shelf, 'class:' .. word .. ':shelves'
if redis.call('HEXISTS', key, name) == 0 then
    local all = 0
    for _, one in ipairs(redis.call('SMEMBERS', kept)) do all = all + redis.call('HLEN', one) end
    if redis.call('HLEN', key) >= most or all >= 10 * most and shelf:find(':') then return 2 end
end
redis.call('HSET', key, name, text)
redis.call('SADD', kept, key)
redis.call('EXPIREAT', key, ends)
redis.call('EXPIREAT', kept, ends)
redis.call('ZADD', 'classes', now, word)
return 1
"""


class RedisStore:
    """A server of Redis. Its keys end by themselves."""

    def __init__(self, address: str) -> None:
        self.address, self.clock = address, time.time
        self.server: Any = None
        self.silent_until = 0.0

    def open(self, word: str) -> bool:
        now = self.clock()
        with self.connected() as server:
            done = server.eval(OPEN, 0, word, now, int(now + DAY), CLASSES, now - IDLE)
        if done == 2:
            raise Unavailable(MANY)
        return bool(done)

    def put(self, word: str, shelf: str, name: str, text: str) -> None:
        texts = map(whole, (word, shelf, name, text[:LONGEST]))
        with self.connected() as server:
            done = server.eval(PUT, 0, *texts, self.clock(), ON_A_SHELF)
        if not done:
            raise Closed
        if done == 2:
            raise Unavailable("The class is full.")

    def read(self, word: str, shelf: str) -> dict[str, str]:
        word, shelf = whole(word), whole(shelf)
        with self.connected() as server:
            is_open, texts = server.pipeline().exists(f"class:{word}").hgetall(f"class:{word}:on:{shelf}").execute()
        if not is_open:
            raise Closed
        return dict(texts)

    def close(self, word: str) -> None:
        with self.connected() as server:
            server.eval(f"{FORGET} forget(ARGV[1])", 0, word)

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """Give the server. After a failure it is left alone for a moment, so that no page waits for long."""
        try:
            from redis import Redis, RedisError
        except ImportError as problem:
            raise Unavailable("The package redis is missing: pip install .[class]") from problem
        if time.monotonic() < self.silent_until:
            raise Unavailable("The store of the class does not answer.")
        try:
            self.server = self.server or Redis.from_url(
                self.address, decode_responses=True, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE
            )
            yield self.server
        except (RedisError, OSError) as problem:
            self.silent_until = time.monotonic() + PATIENCE
            raise Unavailable("The store of the class does not answer.") from problem
