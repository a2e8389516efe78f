"""Messages between two processes of the course: JSON, after which the numbers of its arrays follow as they are.

Nothing that is read can be more than numbers, texts, lists and arrays.
"""

import json
from math import prod
from typing import IO, Any

import numpy as np

from attention_core.arrays import Array

HEAD = 8  # bytes that tell the length of the JSON
MAX_BYTES = 1 << 30  # bytes of a part of a message: what says more is none


class Gone(OSError):
    """The other process cannot be had, or cannot do what it is asked."""


def send(stream: IO[bytes], content: Any) -> None:
    """Write a message; its arrays may stand anywhere in its lists and objects."""
    arrays: list[Array] = []

    def shape(array: Any) -> dict[str, Any]:
        if not isinstance(array, np.ndarray) or array.dtype.hasobject:
            raise TypeError(f"a message must contain JSON and arrays of numbers, got {type(array).__name__}")
        arrays.append(array)
        return {"dtype": array.dtype.str, "shape": array.shape}

    text = json.dumps(content, default=shape).encode()
    stream.write(len(text).to_bytes(HEAD, "big") + text)
    for array in arrays:
        stream.write(np.ascontiguousarray(array).data)
    stream.flush()


def receive(stream: IO[bytes], most: int = MAX_BYTES) -> Any:
    """Read the next message. Raises EOFError where there is no more, and ValueError where it is none.

    Each of its parts, the JSON and the arrays, has at most so many bytes.
    """

    def array(found: dict[str, Any]) -> Any:
        if found.keys() != {"dtype", "shape"}:
            return found
        dtype = np.dtype(found["dtype"])
        data = exactly(stream, dtype.itemsize * prod(found["shape"]), most)
        return np.frombuffer(data, dtype).reshape(found["shape"])

    return json.loads(exactly(stream, int.from_bytes(exactly(stream, HEAD), "big"), most), object_hook=array)


def exactly(stream: IO[bytes], size: int, most: int = MAX_BYTES) -> bytes:
    """Return the next bytes; raise EOFError if they are fewer, and ValueError where so many make no sense."""
    if not 0 <= size <= most:
        raise ValueError(f"a message of {size} bytes")
    found = stream.read(size)
    if len(found) < size:
        raise EOFError("the other process has ended")
    return found
