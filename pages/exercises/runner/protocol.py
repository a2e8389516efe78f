"""Parse what a run sent back, as untrusted input: plain values of known kinds, or an exception."""

import base64
import binascii
import json
import math
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from attention_core.arrays import Array
from pages.exercises.sandbox.source_limits import clean

DTYPES = {
    np.dtype(code).newbyteorder("<").str: np.dtype(code).newbyteorder("<")
    for code in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
}
MAX_MESSAGES, MAX_PRINTS, MAX_WARNINGS, MAX_WORDS, MAX_NAMES = 64, 4100, 20, 300, 10
MAX_ITEMS, MAX_AXES, MAX_PARTS, MAX_LINE = 4096, 8, 64, 10**6
MAX_NAMED = 64  # axes of a shape that is only named; NumPy has no more


class Odd(Exception):
    """A message that no honest run sends."""


class Other(NamedTuple):
    """The function returned something that is not numbers."""

    type: str


NOTHING = Other("NoneType")  # it returned None


class Large(NamedTuple):
    """The function returned more axes, rows or numbers than any answer has."""

    shape: tuple[int, ...]


class Raised(NamedTuple):
    """The function raised an exception."""

    type: str
    words: str
    line: int


Value = Array | list[Any] | Other | Large | Raised


class Tale(NamedTuple):
    values: list[Value]
    last: dict[str, Any]  # the message with which it ended; {"event": "end"} if it never came to that
    other: dict[str, Any] | None  # an error before any test, or the names of functions where the right one is missing


def tell(data: bytes) -> Tale:
    """Return what the messages of a run say, or raise Odd."""
    values: list[Value] = []
    other = None
    for message in messages(data):
        event = message["event"]
        if event == "value":
            values.append(value(message.get("value")))
        elif event == "raised":
            values.append(raised(message))
        elif event in ("error", "missing"):
            other = message
        elif event in ("done", "timeout", "memory", "refused"):
            return Tale(values, message, other)
        elif event != "start":
            raise Odd
    return Tale(values, {"event": "end"}, other)


def messages(data: bytes) -> list[dict[str, Any]]:
    """Return the messages of a run, or raise Odd."""
    lines = [line for line in data.split(b"\n") if line]
    if len(lines) > MAX_MESSAGES:
        raise Odd
    try:
        read = [json.loads(line) for line in lines]
    except (ValueError, RecursionError):
        raise Odd from None
    if not all(isinstance(message, dict) and isinstance(message.get("event"), str) for message in read):
        raise Odd
    return read


def value(given: object, inside: bool = False) -> Value:
    """Return the returned value. Parts cannot be nested."""
    if not isinstance(given, dict):
        raise Odd
    kind = given.get("kind")
    if kind == "other":
        return Other(words(given.get("type"), 60))
    if kind == "large":
        return Large(shape(given.get("shape"), MAX_NAMED))
    if kind == "array":
        return array(given)
    parts = given.get("parts")
    if kind != "parts" or inside or not isinstance(parts, list) or len(parts) > MAX_PARTS:
        raise Odd
    return [value(part, inside=True) for part in parts]


def array(given: dict[str, Any]) -> Array:
    """Return an array, if its data has as many bytes as its shape needs."""
    code, size = given.get("dtype"), shape(given.get("shape"), MAX_AXES)
    dtype = DTYPES.get(code) if isinstance(code, str) else None
    n_cells = math.prod(max(length, 1) for length in size)  # an axis of 0 does not hide how long the others are
    if dtype is None or not isinstance(given.get("data"), str) or n_cells > MAX_ITEMS:
        raise Odd
    try:
        data = base64.b64decode(given["data"], validate=True)
    except (binascii.Error, ValueError):
        raise Odd from None
    if len(data) != math.prod(size) * dtype.itemsize:
        raise Odd
    return np.frombuffer(data, np.uint8 if dtype.kind == "b" else dtype).astype(dtype).reshape(size)


def shape(given: object, most: int) -> tuple[int, ...]:
    """Return a shape with a limited number of axes."""
    if not isinstance(given, list) or len(given) > most or not all(is_count(size, 1 << 62) for size in given):
        raise Odd
    return tuple(given)


def is_count(given: object, most: int) -> TypeGuard[int]:
    """Return whether a value is an integer from 0 to `most`."""
    return isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= most


def words(given: object, most: int = MAX_WORDS) -> str:
    if not isinstance(given, str):
        raise Odd
    return clean(given, most)


def line(given: object) -> int:
    if not is_count(given, MAX_LINE):
        raise Odd
    return given


def raised(message: dict[str, Any]) -> Raised:
    """Return an exception, whose type is never without a name: a test of which nothing is said has passed."""
    if not message.get("type"):
        raise Odd
    return Raised(words(message.get("type"), 60), words(message.get("words")), line(message.get("line")))


def names(given: object) -> list[str]:
    if not isinstance(given, list) or len(given) > MAX_NAMES:
        raise Odd
    return [words(name, 60) for name in given]


def warnings(given: object) -> tuple[tuple[int, str], ...]:
    if not isinstance(given, list) or len(given) > MAX_WARNINGS:
        raise Odd
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in given):
        raise Odd
    return tuple((line(number), words(text)) for number, text in given)
