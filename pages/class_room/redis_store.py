"""A class in Redis, for replicas that have no file in common: `pip install .[class]`."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pages.class_room import store
from pages.class_room.store import PATIENCE, Closed, Enough, Full, Unavailable, is_from_tab, whole

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
while redis.call('ZCOUNT', 'classes', '-inf', now + 1) >= most do
    local idle = redis.call('ZRANGE', 'classes', 0, 0, 'WITHSCORES')
    if tonumber(idle[2]) > tonumber(ARGV[5]) then return 2 end
    forget(idle[1])
end
redis.call('SET', 'class:' .. word, ends)
redis.call('EXPIREAT', 'class:' .. word, ends)
redis.call('ZADD', 'classes', now, word)
return 1
"""
KEEP = """
local word, now, ends, free, most = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local at_class = 'class:' .. word
if redis.call('EXISTS', at_class) == 0 then return 0 end
redis.call('ZREM', 'classes', word)
local kept = redis.call('ZCOUNT', 'classes', now + 1, '+inf')
redis.call('ZADD', 'classes', now, word)
if free > now and kept >= most then return 2 end
redis.call('SET', at_class, ends)
for _, at in ipairs({at_class, at_class .. ':shelves', unpack(redis.call('SMEMBERS', at_class .. ':shelves'))}) do
    redis.call('EXPIREAT', at, ends)
end
redis.call('ZADD', 'classes', free, word)
return 1
"""
DROP = """
for _, shelf in ipairs(redis.call('SMEMBERS', 'class:' .. ARGV[1] .. ':shelves')) do
    if shelf:find(':on:here$') or shelf:find(':on:[^:]*:') then redis.call('HDEL', shelf, ARGV[2]) end
end
"""
FULLNESS = """
local told = redis.call('INFO', 'memory')
local used, most = tonumber(told:match('used_memory:(%d+)')), tonumber(told:match('maxmemory:(%d+)'))
if most == 0 then most = 2 * used end
local full = used > 0.8 * most
"""
PUT = f"""
local word, shelf, name, text, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local from_tab, seats, silent, room, row = ARGV[6] == '1', tonumber(ARGV[7]), ARGV[8], tonumber(ARGV[9]), ARGV[10]
local at_class = 'class:' .. word
local ends = redis.call('GET', at_class)
if not ends then return 0 end
local kept, here, key = at_class .. ':shelves', at_class .. ':on:here', at_class .. ':on:' .. shelf
local function students(at) return at == here or at:find(':on:[^:]*:') ~= nil end
local function keep_row(at, what)
    redis.call('HSET', at, name, what)
    redis.call('SADD', kept, at)
    redis.call('EXPIREAT', at, ends)
    redis.call('EXPIREAT', kept, ends)
end
local shelves = redis.call('SMEMBERS', kept)
local function has_said(tab)
    for _, at in ipairs(shelves) do
        if at ~= here and students(at) and redis.call('HEXISTS', at, tab) == 1 then return true end
    end
end
if from_tab then
    {FULLNESS}
    if full and redis.call('HEXISTS', key, name) == 0 then return 2 end
    if redis.call('HEXISTS', here, name) == 0 and redis.call('HLEN', here) >= seats then
        local eldest, quiet = {{nil, now - silent + 1}}, {{nil, now - silent + 1}}
        local signs = redis.call('HGETALL', here)
        for i = 1, #signs, 2 do
            local one = {{signs[i], tonumber(signs[i + 1])}}
            if one[2] < eldest[2] then eldest = one end
            if one[2] < quiet[2] and not has_said(one[1]) then quiet = one end
        end
        local first = quiet[1] or eldest[1]
        if not first then return 3 end
        for _, at in ipairs(shelves) do if students(at) then redis.call('HDEL', at, first) end end
    end
    keep_row(here, now)
end
local size = row + #text
for _, at in ipairs(shelves) do
    if at ~= key and students(at) == from_tab then
        for _, one in ipairs(from_tab and {{redis.call('HGET', at, name)}} or redis.call('HVALS', at)) do
            if one then size = size + row + #one end
        end
    end
end
if size > room then return 4 end
keep_row(key, text)
redis.call('ZADD', 'classes', 'GT', now, word)
return 1
"""
WHY = {2: (Full, store.NO_ROOM), 3: (Full, store.NO_SEAT), 4: (Enough, store.ENOUGH)}


class RedisStore:
    """A server of Redis. Its keys end by themselves."""

    def __init__(self, address: str) -> None:
        self.address, self.clock = address, time.time
        self.server: Any = None
        self.silent_until = 0.0

    def open(self, word: str) -> bool:
        now = self.clock()
        with self.connected() as server:
            done = server.eval(OPEN, 0, word, now, int(now + store.DAY), store.CLASSES, now - store.IDLE)
        if done == 2:
            raise Unavailable(store.MANY)
        return bool(done)

    def keep(self, word: str, keeps: bool) -> None:
        now = self.clock()
        free = now + keeps * (store.FORTNIGHT - store.DAY)
        with self.connected() as server:
            done = server.eval(KEEP, 0, word, now, int(free + store.DAY), free, store.CLASSES)
        if not done:
            raise Closed
        if done == 2:
            raise Unavailable(store.MANY_KEPT)

    def put(self, word: str, shelf: str, name: str, text: str) -> None:
        texts = map(whole, (word, shelf, name, text[: store.LONGEST]))
        from_tab = is_from_tab(shelf)
        share = store.SHARE if from_tab else store.TEACHERS
        limits = int(from_tab), store.SEATS, store.SILENT, share, store.OF_A_ROW
        with self.connected() as server:
            done = server.eval(PUT, 0, *texts, round(self.clock()), *limits)
        if not done:
            raise Closed
        if done in WHY:
            kind, problem = WHY[done]
            raise kind(problem)

    def drop(self, word: str, tab: str) -> None:
        with self.connected() as server:
            server.eval(DROP, 0, whole(word), whole(tab))
        self.sweep()

    def problem(self, word: str) -> str:
        with self.connected() as server:
            used = float(server.eval(f"{FULLNESS} return tostring(used / math.max(most, 1))", 0))
            return store.NO_ROOM if used > 0.8 else store.NEARLY * (used > 0.7)

    def read(self, word: str, shelf: str) -> dict[str, str]:
        word, shelf = whole(word), whole(shelf)
        with self.connected() as server:
            is_open, texts = server.pipeline().exists(f"class:{word}").hgetall(f"class:{word}:on:{shelf}").execute()
        if not is_open:
            raise Closed
        return dict(texts)

    def words(self) -> list[str]:
        with self.connected() as server:
            return list(server.zrange("classes", 0, -1))

    def close(self, word: str) -> None:
        with self.connected() as server:
            server.eval(f"{FORGET} forget(ARGV[1])", 0, word)
        self.sweep()

    def sweep(self) -> None:
        """Have its file written anew, if it has one: that tells all that was ever kept."""
        with suppress(Unavailable), self.connected() as server:
            from redis import ResponseError

            with suppress(ResponseError):  # it is at it, or does not let us
                if server.info("persistence")["aof_enabled"]:
                    server.bgrewriteaof()

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
