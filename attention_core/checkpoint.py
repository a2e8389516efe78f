"""Checkpoints: a model in one `.npz` of plain arrays, and a reader that trusts nothing in a file it is given."""

from __future__ import annotations  # zipfile is slow to load, and only needed once there is a file

import json
import math
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, asdict, fields
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.config import Config
from attention_core.optimizer import AdamW
from attention_core.parameters import Model, n_parameters, named_arrays, shapes

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

MAX_BYTES = 32 << 20  # of float32 parameters: 8 million of them
MAX_TEXT = 1 << 19  # characters of a config or a vocabulary
READ = 1 << 20  # bytes read at a time, and the longest list of files
HEADER = re.compile(rb"\{'descr': '([<>|]\w\d+)', 'fortran_order': (True|False), 'shape': \(([\d, ]*)\), \} *\n")
BROKEN = (zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, OverflowError, OSError)

Target = str | os.PathLike[str] | IO[bytes]


class Header(NamedTuple):
    """What an array in the file says of itself, before any of its numbers is read."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool


def save(path_or_file: Target, model: Model, vocabulary: Iterable[str] | None = None, dtype: Any = np.float32) -> None:
    """Write a model, and the tokens that its ids stand for, as a checkpoint; float16 halves the file."""
    kind = np.dtype(dtype)
    if kind not in (np.float16, np.float32):
        raise ValueError(f"dtype must be float16 or float32, got {kind}")
    texts = {"config": json.dumps(asdict(model.config))}
    if vocabulary is not None:
        tokens = list(vocabulary)
        check_vocabulary(tokens, model.config)
        texts["vocabulary"] = json.dumps(tokens)
        if len(texts["vocabulary"]) > MAX_TEXT:
            raise ValueError(f"vocabulary must take at most {MAX_TEXT} characters, got {len(texts['vocabulary'])}")
    with np.errstate(over="ignore"):  # what does not fit becomes infinite and is refused below
        arrays = {name: array.astype(kind) for name, array in named_arrays(model).items()}
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"model must hold finite numbers that fit {kind}, got others in {name}")
    write(path_or_file, {name: np.array(text) for name, text in texts.items()} | arrays)


def load(path_or_file: Target, max_bytes: int = MAX_BYTES) -> tuple[Model, list[str] | None]:
    """Return the model and the vocabulary of a checkpoint, or say in a ValueError what is wrong with the file.

    Every name, shape and kind is held against the config before anything large is allocated, nothing is unpickled,
    and a model of more than `max_bytes` is refused.
    """
    with members(path_or_file, max_bytes) as (archive, found):
        config = read_config(read_text(archive, found, "config"))
        if n_parameters(config) * 4 > max_bytes:
            raise ValueError(f"checkpoint must take at most {max_bytes} bytes in memory, its config asks for more")
        if config.max_len * config.d_model * 4 > max_bytes:
            raise ValueError(f"max_len must be small enough for {max_bytes} bytes of positions, got {config.max_len}")
        if 6 * config.n_layers > len(found):  # the least that a layer has: two arrays of its norm, four matrices
            raise ValueError(
                f"checkpoint must hold the arrays of {config.n_layers} layers, got {len(found)} arrays in all"
            )
        vocabulary = None
        if "vocabulary" in found:
            vocabulary = parse_json("vocabulary", read_text(archive, found, "vocabulary"))
            check_vocabulary(vocabulary, config)
        expected = shapes(config)
        check_names(found, {"config", *expected}, {"vocabulary"})
        headers = {name: check_header(archive, found, name, shape) for name, shape in expected.items()}
        model = Model.of(config, np.empty(n_parameters(config), np.float32))
        for name, array in named_arrays(model).items():
            read_numbers(archive, found[name], headers[name], name, array)
    return model, vocabulary


def save_optimizer(path_or_file: Target, optimizer: AdamW) -> None:
    """Write the optimizer's memory; with the checkpoint of the same step it resumes a run bit for bit."""
    means = {"mean": optimizer.mean.astype(np.float32), "square": optimizer.square.astype(np.float32)}
    write(path_or_file, means | {"step": np.array(str(optimizer.step))})


def load_optimizer(path_or_file: Target, model: Model) -> AdamW:
    """Return the optimizer that `save_optimizer` wrote for this model, or say what is wrong with the file."""
    with members(path_or_file, 2 * model.flat.nbytes) as (archive, found):
        check_names(found, {"mean", "square", "step"}, set())
        step = read_text(archive, found, "step")
        if not re.fullmatch(r"\d{1,15}", step):
            raise ValueError(f"step must be a whole number, got {step[:20]!r}")
        headers = {name: check_header(archive, found, name, model.flat.shape) for name in ("mean", "square")}
        optimizer = AdamW.of(model)
        read_numbers(archive, found["mean"], headers["mean"], "mean", optimizer.mean)
        read_numbers(archive, found["square"], headers["square"], "square", optimizer.square)
    if (optimizer.square < 0).any():
        raise ValueError("square must not be negative")
    optimizer.step = int(step)
    return optimizer


def write(path_or_file: Target, arrays: dict[str, Array]) -> None:
    """Write arrays as `.npz`; a file on disk is replaced only once the new one is complete."""
    if not isinstance(path_or_file, str | os.PathLike):
        np.savez(path_or_file, allow_pickle=False, **arrays)
        return
    path = os.fspath(path_or_file)
    try:
        with open(path + ".part", "wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
        os.replace(path + ".part", path)
    finally:
        if os.path.exists(path + ".part"):
            os.remove(path + ".part")


@contextmanager
def members(path_or_file: Target, max_bytes: int) -> Iterator[tuple[ZipFile, dict[str, ZipInfo]]]:
    """Open an archive with a small, plain directory; what breaks while it is read becomes a ValueError."""
    if isinstance(path_or_file, str | os.PathLike):
        with open(path_or_file, "rb") as opened, members(opened, max_bytes) as inside:
            yield inside
        return
    from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

    file = path_or_file
    try:
        size = file.seek(0, os.SEEK_END)
        if size > max_bytes + 16 * MAX_TEXT:
            raise ValueError(f"checkpoint must be at most {max_bytes} bytes of numbers, got a file of {size}")
        check_directory(file, size)
        with ZipFile(file) as archive:
            infos = archive.infolist()
            found = {info.filename.removesuffix(".npy"): info for info in infos if info.filename.endswith(".npy")}
            if len(found) != len(infos):
                raise ValueError("checkpoint must hold .npy arrays alone, each once")
            if any(info.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for info in infos):
                raise ValueError("checkpoint must be stored or deflated, as NumPy does it, got another compression")
            yield archive, found
    except (BadZipFile, *BROKEN) as problem:
        raise ValueError(f"checkpoint must be a sound .npz file, got: {problem or type(problem).__name__}") from problem


def check_directory(file: IO[bytes], size: int) -> None:
    """Refuse what is no plain zip archive, or one whose list of files is too long to be a checkpoint's."""
    file.seek(max(0, size - 22))
    end = file.read(22)
    if len(end) < 22 or end[:4] != b"PK\x05\x06":
        raise ValueError("checkpoint must be an .npz file (a zip archive of arrays), this is something else")
    n_files, directory = struct.unpack("<H I", end[10:12] + end[12:16])
    file.seek(max(0, size - 42))
    if n_files == 0xFFFF or directory > READ or file.read(4) == b"PK\x06\x07":
        raise ValueError(f"checkpoint must list its arrays in at most {READ} bytes, got {directory}")
    file.seek(0)


def check_names(found: Iterable[str], required: set[str], optional: set[str]) -> None:
    """Say which arrays are missing or unknown, if any are."""
    names = set(found)
    missing, unknown = sorted(required - names), sorted(names - required - optional)
    if missing:
        raise ValueError(f"checkpoint must hold {missing[0]}, and {len(missing) - 1} more arrays that are missing")
    if unknown:
        raise ValueError(f"checkpoint must not hold arrays its config does not name, got {unknown[0][:80]!r}")


def read_header(archive: ZipFile, found: dict[str, ZipInfo], name: str) -> tuple[Header, int]:
    """Return what an array says of itself and where its numbers start, without evaluating any text."""
    if name not in found:
        raise ValueError(f"checkpoint must hold {name}, it is missing")
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
        raise ValueError(f"{name} must be a plain array of numbers, got a header that makes no sense") from None


def check_header(archive: ZipFile, found: dict[str, ZipInfo], name: str, shape: tuple[int, ...]) -> Header:
    """Return the header of an array of numbers after holding it against what the config asks for."""
    header, start = read_header(archive, found, name)
    if header.dtype.kind != "f" or header.dtype.itemsize not in (2, 4):
        raise ValueError(f"{name} must hold float16 or float32, got {header.dtype}")
    if header.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {header.shape}")
    expected = start + math.prod(shape) * header.dtype.itemsize
    if found[name].file_size != expected:
        raise ValueError(f"{name} must take {expected} bytes, got {found[name].file_size}")
    return header


def read_numbers(archive: ZipFile, info: ZipInfo, header: Header, name: str, into: Array) -> None:
    """Read an array piece by piece into the one given, and refuse NaN and infinity."""
    target = (into.T if header.fortran else into).flat  # in the order of the file, wherever the numbers lie
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
        raise ValueError(f"{name} must hold finite numbers, got NaN or infinity")


def read_text(archive: ZipFile, found: dict[str, ZipInfo], name: str) -> str:
    """Return a text that was saved as an array of one string."""
    header, start = read_header(archive, found, name)
    kind, size = header.dtype.kind, header.dtype.itemsize
    most = MAX_TEXT * (4 if kind == "U" else 1)
    if kind not in "US" or math.prod(header.shape) != 1 or size > most:
        raise ValueError(f"{name} must be one text of at most {MAX_TEXT} characters, got {header.dtype} {header.shape}")
    if found[name].file_size != start + size:
        raise ValueError(f"{name} must take {start + size} bytes, got {found[name].file_size}")
    with archive.open(found[name]) as stream:
        data = stream.read(start + size)[start:]
    if len(data) != header.dtype.itemsize:
        raise ValueError(f"{name} must be complete, got a file that ends within it")
    try:
        if header.dtype.kind == "S":
            return data.rstrip(b"\0").decode()
        return data.decode("utf-32-be" if header.dtype.byteorder == ">" else "utf-32-le").rstrip("\0")
    except UnicodeDecodeError:
        raise ValueError(f"{name} must be Unicode text, got other bytes") from None


def parse_json(name: str, text: str) -> Any:
    """Return what a JSON text holds."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"{name} must be JSON, got: {problem}") from None


def read_config(text: str) -> Config:
    """Return the config that a JSON text describes, or say which argument is wrong."""
    given = parse_json("config", text)
    if not isinstance(given, dict):
        raise ValueError(f"config must be a JSON object, got {type(given).__name__}")
    known = {field.name: field.default for field in fields(Config)}
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ValueError(f"config must not hold unknown arguments, got {unknown[0][:80]!r}")
    missing = [name for name, default in known.items() if default is MISSING and name not in given]
    if missing:
        raise ValueError(f"config must hold {missing[0]}, it is missing")
    return Config(**given)


def check_vocabulary(vocabulary: Any, config: Config) -> None:
    """Refuse a vocabulary that is not one text for each id."""
    if not isinstance(vocabulary, list) or not all(isinstance(token, str) for token in vocabulary):
        raise ValueError("vocabulary must be a list of texts")
    try:
        "".join(vocabulary).encode()
    except UnicodeEncodeError:
        raise ValueError("vocabulary must hold whole characters, got half of a surrogate pair") from None
    if len(vocabulary) != config.vocab_size or len(set(vocabulary)) != len(vocabulary):
        raise ValueError(f"vocabulary must hold vocab_size {config.vocab_size} different tokens, got {len(vocabulary)}")
