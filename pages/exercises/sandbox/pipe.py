"""Messages in the pipes: one line of JSON each, arrays as their bytes. Reading them runs nothing."""

import base64
import json
import math
import os

import numpy as np
from source_limits import clean

KINDS = "biufc"
MAX_BYTES, MAX_AXES, MAX_PARTS, MAX_ERROR = 8 * 4096, 8, 64, 300
MAX_VALUE = 50_000  # characters; those of all tests together stay far below what the server reads


def send(pipe: int, message: dict) -> None:
    """Write one message, in as many parts as the pipe takes."""
    left = memoryview(json.dumps(message).encode() + b"\n")
    while left:
        left = left[os.write(pipe, left) :]


def receive(pipe: int) -> dict | None:
    """Read one message; None at the end of the file."""
    parts = []
    while not parts or b"\n" not in parts[-1]:
        part = os.read(pipe, 1 << 16)
        if not part:
            return None
        parts.append(part)
    return json.loads(b"".join(parts))


def argument(given):
    """Return an argument of the student's function: an array of its own, or a plain number."""
    if not isinstance(given, dict):
        return given
    array = np.frombuffer(base64.b64decode(given["data"]), dtype=given["dtype"])
    return array.reshape(given["shape"]).copy()


def pack(value: object, inside: bool = False) -> dict:
    """Return the returned value as plain data; what is not numbers, by the name of its type alone."""
    if isinstance(value, tuple) and any(isinstance(part, np.ndarray | tuple | list) for part in value):
        return pack_parts(value, inside)
    if not isinstance(value, np.ndarray | np.generic | bool | int | float | complex | list | tuple):
        return {"kind": "other", "type": type(value).__name__}
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        return pack_parts(value, inside) if isinstance(value, list) else {"kind": "other", "type": "list"}
    if array.dtype == object:
        return pack_parts(value, inside) if isinstance(value, list) else {"kind": "other", "type": "object"}
    return pack_array(array)


def pack_parts(values: tuple | list, inside: bool) -> dict:
    """Return several values, as long as they are few and not nested."""
    if len(values) > MAX_PARTS or inside:
        return {"kind": "other", "type": type(values).__name__}
    value = {"kind": "parts", "parts": [pack(part, inside=True) for part in values]}
    return value if len(json.dumps(value)) <= MAX_VALUE else {"kind": "other", "type": "very long list of arrays"}


def pack_array(array: np.ndarray) -> dict:
    """Return an array by its bytes, or only its shape if it is larger than any answer."""
    if array.dtype.kind not in KINDS:
        return {"kind": "other", "type": f"array of {array.dtype.name}"}
    n_cells = math.prod(max(length, 1) for length in array.shape)  # also of (10**9, 0), which holds none
    if n_cells * max(array.dtype.itemsize, 8) > MAX_BYTES or array.ndim > MAX_AXES:
        return {"kind": "large", "shape": list(array.shape)}
    if array.dtype.itemsize > 8 and array.dtype.kind == "f":
        array = array.astype(np.float64)
    if array.dtype.itemsize > 16:
        array = array.astype(np.complex128)
    data = base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode()
    return {"kind": "array", "dtype": array.dtype.newbyteorder("<").str, "shape": list(array.shape), "data": data}


def describe(error: BaseException) -> str:
    """Return an exception's message, shortened."""
    try:
        words = str(error)
    except Exception:
        words = ""
    return clean(words, MAX_ERROR)
