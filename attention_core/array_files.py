"""Arrays and texts in one file of the safetensors layout.

Eight bytes hold the length of a JSON header, which gives type, shape and offsets of each array; then follow the raw
numbers. Nothing is unpacked or executed.
"""

import json
import math
import os
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from attention_core.arrays import Array

MAX_HEADER = 1 << 20  # bytes
FLOATS: dict[str, np.dtype[Any]] = {"F16": np.dtype("<f2"), "F32": np.dtype("<f4")}

Target = str | os.PathLike[str] | IO[bytes]


def write(path_or_file: Target, arrays: dict[str, Array], texts: dict[str, str]) -> None:
    """Write float16 or float32 arrays and texts; an existing file is replaced only when the new one is complete."""
    kinds = {kind: name for name, kind in FLOATS.items()}
    header: dict[str, Any] = {"__metadata__": texts}
    stop = 0
    for name, array in arrays.items():
        start, stop = stop, stop + array.nbytes
        header[name] = {"dtype": kinds[array.dtype], "shape": array.shape, "data_offsets": [start, stop]}
    head = json.dumps(header, ensure_ascii=False).encode()
    head += b" " * (-len(head) % 8)  # so that the numbers begin at a multiple of eight bytes
    if len(head) > MAX_HEADER:
        raise ValueError(f"vocabulary must fit into a header of {MAX_HEADER:,} bytes, got {len(head):,}")
    content = b"".join([len(head).to_bytes(8, "little"), head, *(array.tobytes() for array in arrays.values())])
    if not isinstance(path_or_file, str | os.PathLike):
        path_or_file.write(content)
        return
    part = os.fspath(path_or_file) + ".part"
    try:
        with open(part, "wb") as file:
            file.write(content)
        os.replace(part, path_or_file)
    finally:
        if os.path.exists(part):
            os.remove(part)


def read_parts(path_or_file: Target, max_bytes: int) -> tuple[dict[str, Any], dict[str, Any], memoryview]:
    """Return the entries of the arrays in the header of a file, its texts, and the bytes of its numbers."""
    if isinstance(path_or_file, str | os.PathLike):
        with open(path_or_file, "rb") as file:
            return read_parts(file, max_bytes)
    size = path_or_file.seek(0, os.SEEK_END)
    if size > max_bytes + MAX_HEADER:
        raise ValueError(f"checkpoint must be at most {max_bytes:,} bytes of numbers, got a file of {size:,}")
    path_or_file.seek(0)
    content = path_or_file.read()
    length = int.from_bytes(content[:8], "little")
    if not 2 <= length <= min(size - 8, MAX_HEADER):
        raise ValueError("checkpoint must be a .safetensors file, got another kind of file")
    header = parse_json("header", content[8 : 8 + length].decode(errors="replace"))
    texts = header.pop("__metadata__", {}) if isinstance(header, dict) else None
    if not isinstance(texts, dict):
        raise ValueError("header must be a JSON object, with an object of texts in it")
    return header, texts, memoryview(content)[8 + length :]


def text_of(texts: dict[str, Any], name: str) -> str:
    """Return one of the texts of a header."""
    if not isinstance(texts.get(name), str):
        raise ValueError(f"checkpoint must contain {name}, a text in its __metadata__")
    return texts[name]


def arrays_in(numbers: memoryview, header: dict[str, Any], shapes: dict[str, tuple[int, ...]]) -> Iterator[Array]:
    """Yield the arrays of these names and shapes, after checking that they fill the bytes without gap or overlap."""
    if odd := sorted(shapes.keys() ^ header.keys()):
        raise ValueError(f"checkpoint must contain the arrays of its config and no others, but not so {odd[0][:80]!r}")
    places = {name: place_of(name, header[name], shape) for name, shape in shapes.items()}
    starts, stops = zip(*sorted((start, stop) for _, start, stop in places.values()), strict=True)
    if (*starts, len(numbers)) != (0, *stops):
        raise ValueError(f"arrays must fill the {len(numbers):,} bytes after the header without gap or overlap")
    for name, (kind, start, stop) in places.items():
        array = np.frombuffer(numbers[start:stop], kind).reshape(shapes[name])
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must contain finite numbers, got NaN or infinity")
        yield array


def place_of(name: str, entry: Any, shape: tuple[int, ...]) -> tuple[np.dtype[Any], int, int]:
    """Return type, start and stop of an array; raise ValueError unless it has this shape and the length for it."""
    match entry:
        case {"dtype": ("F16" | "F32") as kind, "shape": found, "data_offsets": [int(start), int(stop)]}:
            if found == [*shape] and stop - start == math.prod(shape) * FLOATS[kind].itemsize:
                return FLOATS[kind], start, stop
    raise ValueError(f"{name} must be F16 or F32 numbers of shape {[*shape]}, got {str(entry)[:120]}")


def parse_json(name: str, text: str) -> Any:
    """Return the parsed JSON text; raise ValueError if it is not JSON."""
    try:
        return json.loads(text)
    except ValueError as problem:
        raise ValueError(f"{name} must be JSON, got: {problem}") from None
    except RecursionError:
        raise ValueError(f"{name} must not contain lists within lists without end") from None
