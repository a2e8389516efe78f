""".npz archives, and a reader for untrusted files."""

from __future__ import annotations  # zipfile is slow to load, and only needed once there is a file

import math
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from attention_core.arrays import Array

if TYPE_CHECKING:
    from pathlib import Path
    from zipfile import ZipFile, ZipInfo

MAX_TEXT = 1 << 19  # characters of a text array
READ = 1 << 20  # bytes read at a time, and the largest directory of an archive
HEADER = re.compile(rb"\{'descr': '([<>|]\w\d+)', 'fortran_order': (True|False), 'shape': \(([\d, ]*)\), \} *\n")
BROKEN = (zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, OverflowError, OSError)

Target = str | os.PathLike[str] | IO[bytes]


class DataFileError(OSError):
    """A data file of this package is missing or unreadable."""


class Header(NamedTuple):
    """Type, shape and memory order of an array, read before its values."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool


def write(path_or_file: Target, arrays: dict[str, Array], compressed: bool = False) -> None:
    """Write arrays as .npz; an existing file is replaced only when the new one is complete."""
    savez = np.savez_compressed if compressed else np.savez
    if not isinstance(path_or_file, str | os.PathLike):
        savez(path_or_file, allow_pickle=False, **arrays)
        return
    path = os.fspath(path_or_file)
    try:
        with open(path + ".part", "wb") as file:
            savez(file, allow_pickle=False, **arrays)
        os.replace(path + ".part", path)
    finally:
        if os.path.exists(path + ".part"):
            os.remove(path + ".part")


@contextmanager
def shipped_file(path: Path) -> Iterator[None]:
    """Convert any error while reading a data file of this package into a DataFileError with its name."""
    try:
        yield
    except FileNotFoundError as problem:
        raise DataFileError(f"{path.name} is missing") from problem
    except (*BROKEN, ValueError, LookupError, TypeError) as problem:
        raise DataFileError(f"{path.name} cannot be read") from problem


@contextmanager
def members(path_or_file: Target, max_bytes: int) -> Iterator[tuple[ZipFile, dict[str, ZipInfo]]]:
    """Open an archive and yield it with its members; any error while it is read becomes a ValueError."""
    if isinstance(path_or_file, str | os.PathLike):
        with open(path_or_file, "rb") as opened, members(opened, max_bytes) as inside:
            yield inside
        return
    from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

    file = path_or_file
    try:
        size = file.seek(0, os.SEEK_END)
        if size > max_bytes + 16 * MAX_TEXT:
            raise ValueError(f"checkpoint must be at most {max_bytes:,} bytes of numbers, got a file of {size:,}")
        check_directory(file, size)
        with ZipFile(file) as archive:
            infos = archive.infolist()
            found = {info.filename.removesuffix(".npy"): info for info in infos if info.filename.endswith(".npy")}
            if len(found) != len(infos):
                raise ValueError("checkpoint must contain .npy arrays only, each once")
            if any(info.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for info in infos):
                raise ValueError("checkpoint must be stored or deflated, as NumPy does it, got another compression")
            yield archive, found
    except (BadZipFile, *BROKEN) as problem:
        raise ValueError(
            f"checkpoint must be an intact .npz file, got: {problem or type(problem).__name__}"
        ) from problem


def check_directory(file: IO[bytes], size: int) -> None:
    """Raise ValueError unless the file is a plain zip archive with a small directory."""
    file.seek(max(0, size - 22))
    end = file.read(22)
    if len(end) < 22 or end[:4] != b"PK\x05\x06":
        raise ValueError("checkpoint must be an .npz file (a zip archive of arrays), got another kind of file")
    n_files, directory = struct.unpack("<H I", end[10:12] + end[12:16])
    file.seek(max(0, size - 42))
    if n_files == 0xFFFF or directory > READ or file.read(4) == b"PK\x06\x07":
        raise ValueError(f"checkpoint must list its arrays in at most {READ:,} bytes, got {directory:,}")
    file.seek(0)


def check_names(found: Iterable[str], required: set[str], optional: set[str]) -> None:
    """Raise ValueError if an array is missing or unknown."""
    names = set(found)
    missing, unknown = sorted(required - names), sorted(names - required - optional)
    if missing:
        raise ValueError(f"checkpoint must contain {missing[0]}, and {len(missing) - 1} more arrays that are missing")
    if unknown:
        raise ValueError(f"checkpoint must not contain arrays its config does not name, got {unknown[0][:80]!r}")


def read_header(archive: ZipFile, found: dict[str, ZipInfo], name: str) -> tuple[Header, int]:
    """Return the header of an array and the offset of its values; no text of the file is evaluated."""
    if name not in found:
        raise ValueError(f"checkpoint must contain {name}, which is missing")
    with archive.open(found[name]) as stream:
        head = stream.read(10)
        length = int.from_bytes(head[8:10], "little")
        match = HEADER.fullmatch(stream.read(length))
    if head[:8] != b"\x93NUMPY\x01\x00" or match is None:
        raise ValueError(f"{name} must be a plain array of numbers, got one of another kind")
    try:
        shape = tuple(int(n) for n in match[3].decode().split(",") if n.strip())
        return Header(np.dtype(match[1].decode()), shape, match[2] == b"True"), 10 + length
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a plain array of numbers, got an invalid header") from None


def check_header(archive: ZipFile, found: dict[str, ZipInfo], name: str, shape: tuple[int, ...]) -> Header:
    """Return the header of a float array; raise ValueError unless type, shape and size are as expected."""
    header, start = read_header(archive, found, name)
    if header.dtype.kind != "f" or header.dtype.itemsize not in (2, 4):
        raise ValueError(f"{name} must contain float16 or float32, got {header.dtype}")
    if header.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {header.shape}")
    expected = start + math.prod(shape) * header.dtype.itemsize
    if found[name].file_size != expected:
        raise ValueError(f"{name} must take {expected:,} bytes, got {found[name].file_size:,}")
    return header


def read_numbers(archive: ZipFile, info: ZipInfo, header: Header, name: str, into: Array) -> None:
    """Read an array in pieces into `into`; raise ValueError at NaN or infinity."""
    target = (into.T if header.fortran else into).flat  # the order of the file, whatever the memory layout
    step = READ // header.dtype.itemsize
    with archive.open(info) as stream:
        stream.read(int.from_bytes(stream.read(10)[8:10], "little"))
        for start in range(0, into.size, step):
            stop = min(start + step, into.size)
            piece = stream.read((stop - start) * header.dtype.itemsize)
            if len(piece) != (stop - start) * header.dtype.itemsize:
                raise ValueError(f"{name} must be complete, got a file that ends within it")
            target[start:stop] = np.frombuffer(piece, header.dtype)
    if not np.isfinite(into).all():
        raise ValueError(f"{name} must contain finite numbers, got NaN or infinity")


def read_text(archive: ZipFile, found: dict[str, ZipInfo], name: str) -> str:
    """Return a text that was saved as an array of one string."""
    header, start = read_header(archive, found, name)
    kind, size = header.dtype.kind, header.dtype.itemsize
    most = MAX_TEXT * (4 if kind == "U" else 1)
    if kind not in "US" or math.prod(header.shape) != 1 or size > most:
        raise ValueError(
            f"{name} must be one text of at most {MAX_TEXT:,} characters, got {header.dtype} {header.shape}"
        )
    if found[name].file_size != start + size:
        raise ValueError(f"{name} must take {start + size:,} bytes, got {found[name].file_size:,}")
    with archive.open(found[name]) as stream:
        data = stream.read(start + size)[start:]
    if len(data) != size:
        raise ValueError(f"{name} must be complete, got a file that ends within it")
    try:
        if kind == "S":
            return data.rstrip(b"\0").decode()
        return data.decode("utf-32-be" if header.dtype.byteorder == ">" else "utf-32-le").rstrip("\0")
    except UnicodeDecodeError:
        raise ValueError(f"{name} must be Unicode text, got other bytes") from None
