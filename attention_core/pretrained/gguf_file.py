"""GGUF files: metadata and named tensors, read from a memory map and never outside of it.

A file starts with its magic word, its version and two counts. Then come the metadata (name, type, value) and a list of
tensors (name, shape, number format, offset). The numbers follow.
"""

import math
import os
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.checks import whole
from attention_core.pretrained.number_formats import NUMBER_FORMATS, NumberFormat, dequantise

MAGIC = b"GGUF"
MOST_HEADER = 1 << 24  # bytes before the numbers; a vocabulary of 128,000 tokens takes 8 MB
MOST_ITEMS = 1 << 19  # elements of an array in the metadata, and one more limit against files that lie
SCALARS = {
    0: "<u1",
    1: "<i1",
    2: "<u2",
    3: "<i2",
    4: "<u4",
    5: "<i4",
    6: "<f4",
    7: "?",
    10: "<u8",
    11: "<i8",
    12: "<f8",
}
STRING, ARRAY = 8, 9  # the other two types of the metadata

Value = int | float | bool | str | list[str] | Array


class Tensor(NamedTuple):
    """Where a tensor is in the file, and how it is stored."""

    shape: tuple[int, ...]  # of the array: the file counts its axes from the other end
    form: NumberFormat
    start: int  # offset in the file
    n_bytes: int


class GGUFFile(NamedTuple):
    """The metadata and tensors of a file, and its memory map."""

    metadata: dict[str, Value]
    tensors: dict[str, Tensor]
    content: Array  # (bytes,)

    def read_into(self, name: str, out: Array) -> None:
        """Write a tensor into a contiguous float32 array of its shape."""
        _, form, start, n_bytes = self.tensors[name]
        dequantise(name, self.content[start : start + n_bytes], form, out)


class GGUFHeader:
    """The bytes before the numbers, read from front to back."""

    def __init__(self, content: bytes):
        self.content, self.position = content, 0

    def take(self, n_bytes: int) -> bytes:
        """Return the next bytes; raise ValueError if there are fewer."""
        start, self.position = self.position, self.position + n_bytes
        if self.position > len(self.content):
            raise ValueError(f"the file must contain its whole header, got an end after {len(self.content):,} bytes")
        return self.content[start : self.position]

    def number(self, kind: str) -> Any:
        """Return the next number of this dtype as a Python number."""
        dtype = np.dtype(kind)
        return np.frombuffer(self.take(dtype.itemsize), dtype)[0].item()

    def text(self) -> str:
        """Return the next string."""
        length = int.from_bytes(self.take(8), "little")
        try:
            return self.take(length).decode()
        except UnicodeDecodeError:
            raise ValueError(f"strings must be UTF-8, got other bytes before offset {self.position:,}") from None

    def value(self) -> Value:
        """Return the next value of the metadata, which starts with its type."""
        kind = self.number("<u4")
        if kind == STRING:
            return self.text()
        if kind != ARRAY:
            return self.number(scalar_kind(kind))
        kind, length = self.number("<u4"), whole("length of an array", self.number("<u8"), 0, MOST_ITEMS)
        if kind == STRING:
            return [self.text() for _ in range(length)]
        dtype = np.dtype(scalar_kind(kind))
        return np.frombuffer(self.take(length * dtype.itemsize), dtype)


def scalar_kind(kind: int) -> str:
    """Return the dtype of a number in the metadata; raise ValueError if the type is unknown."""
    if kind not in SCALARS:
        raise ValueError(f"values must be numbers, strings or arrays of one of them, got type {kind}")
    return SCALARS[kind]


def read_gguf(path: str | os.PathLike[str]) -> GGUFFile:
    """Return the metadata and tensors of a file; raise ValueError unless every tensor lies inside it."""
    if not isinstance(path, str | os.PathLike):
        raise ValueError(f"path must be the path of a GGUF file, got {path!r}")
    size = os.path.getsize(path)
    if size < 24:
        raise ValueError(f"the file must be a GGUF file of at least 24 bytes, got {size}")
    content = np.memmap(path, np.uint8, mode="r")
    header = GGUFHeader(content[:MOST_HEADER].tobytes())
    if header.take(4) != MAGIC:
        raise ValueError(f"the file must start with {MAGIC.decode()}, got another kind of file")
    if (version := header.number("<u4")) not in (2, 3):
        raise ValueError(f"the version of the file must be 2 or 3, got {version}")
    n_tensors = whole("number of tensors", header.number("<u8"), 0, MOST_ITEMS)
    n_values = whole("number of values", header.number("<u8"), 0, MOST_ITEMS)
    metadata: dict[str, Value] = {}
    for _ in range(n_values):
        add_once(metadata, header.text(), header.value())
    tensors: dict[str, Tensor] = {}
    for _ in range(n_tensors):
        add_once(tensors, header.text(), read_tensor(header))
    alignment = whole("general.alignment", metadata.get("general.alignment", 32), 1, 1 << 20)
    start = -(-header.position // alignment) * alignment
    return GGUFFile(metadata, placed(tensors, start, alignment, len(content)), content)


def check_word(metadata: dict[str, Value], key: str, known: Collection[str], default: str | None = None) -> str:
    """Return a word of the metadata; raise ValueError unless it is one of those that are known."""
    word = metadata.get(key, default)
    if not isinstance(word, str) or word not in known:
        raise ValueError(f"{key} must be one of {[*known]}, got {str(word)[:80]!r}")
    return word


def add_once(found: dict[str, Any], name: str, value: object) -> None:
    """Add a named value; raise ValueError if the name is there already."""
    if name in found:
        raise ValueError(f"names must be different, got {name[:80]!r} twice")
    found[name] = value


def read_tensor(header: GGUFHeader) -> Tensor:
    """Return what the header says of a tensor, its offset still counted from the first one."""
    n_axes = whole("number of axes", header.number("<u4"), 1, 4)
    shape = tuple(whole("an axis", header.number("<u8"), 1, 1 << 40) for _ in range(n_axes))[::-1]
    kind, offset = header.number("<u4"), header.number("<u8")
    if kind not in NUMBER_FORMATS:
        known = ", ".join(form.name for form in NUMBER_FORMATS.values())
        raise ValueError(f"tensors must be stored as one of {known}, got format {kind}")
    form = NUMBER_FORMATS[kind]
    if shape[-1] % form.per_record:
        raise ValueError(f"rows of {form.name} must be a multiple of {form.per_record} long, got shape {shape}")
    return Tensor(shape, form, offset, math.prod(shape) // form.per_record * form.record.itemsize)


def placed(tensors: dict[str, Tensor], start: int, alignment: int, size: int) -> dict[str, Tensor]:
    """Return the tensors with offsets in the file; raise ValueError unless they are aligned, inside and apart."""
    found = {name: tensor._replace(start=start + tensor.start) for name, tensor in tensors.items()}
    stop = start
    for name, tensor in sorted(found.items(), key=lambda item: item[1].start):
        if tensor.start < stop or (tensor.start - start) % alignment:
            raise ValueError(f"{name[:80]!r} must start at a multiple of {alignment} after the tensor before it")
        stop = tensor.start + tensor.n_bytes
        if stop > size:
            raise ValueError(f"{name[:80]!r} must end inside the file of {size:,} bytes, got an end at {stop:,}")
    return found
