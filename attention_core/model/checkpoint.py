"""Checkpoints: a model, or the state of its optimizer, in one file of the safetensors layout.

Eight bytes hold the length of a JSON header, which gives type, shape and offsets of each array; then follow the raw
numbers. Nothing is unpacked or executed.
"""

import json
import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import IO, Any

import numpy as np

from attention_core.arrays import Array
from attention_core.model.config import Config
from attention_core.model.optimizer import AdamW
from attention_core.model.parameters import Model, n_parameters, named_arrays, shapes

MAX_BYTES = 32 << 20  # bytes of float32 parameters, so 8 million of them
MAX_HEADER = 1 << 20  # bytes
FLOATS: dict[str, np.dtype[Any]] = {"F16": np.dtype("<f2"), "F32": np.dtype("<f4")}

Target = str | os.PathLike[str] | IO[bytes]


def save(path_or_file: Target, model: Model, vocabulary: Iterable[str] | None = None, dtype: Any = np.float32) -> None:
    """Write a model and its vocabulary as a checkpoint; float16 halves the file."""
    kind = np.dtype(dtype)
    if kind not in FLOATS.values():
        raise ValueError(f"dtype must be float16 or float32, got {kind}")
    texts = {"config": json.dumps(asdict(model.config))}
    if vocabulary is not None:
        tokens = list(vocabulary)
        check_vocabulary(tokens, model.config)
        texts["vocabulary"] = json.dumps(tokens, ensure_ascii=False)
    with np.errstate(over="ignore"):  # values out of range become infinite and are refused below
        arrays = {name: array.astype(kind) for name, array in named_arrays(model).items()}
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"model must contain finite numbers that fit {kind}, got others in {name}")
    write(path_or_file, arrays, texts)


def load(path_or_file: Target, max_bytes: int = MAX_BYTES) -> tuple[Model, list[str] | None]:
    """Return the model and the vocabulary of a checkpoint; raise ValueError if the file is damaged or inconsistent.

    Every name, shape and type is checked against the config before anything large is allocated. A model of more than
    `max_bytes` is refused.
    """
    header, texts, numbers = read_parts(path_or_file, max_bytes)
    config = read_config(text_of(texts, "config"))
    if n_parameters(config) * 4 > max_bytes:
        raise ValueError(f"checkpoint must take at most {max_bytes:,} bytes in memory, but its config asks for more")
    if config.max_len * config.d_model * 4 > max_bytes:
        raise ValueError(f"max_len must be small enough for {max_bytes:,} bytes of positions, got {config.max_len:,}")
    if 5 * config.n_layers > len(header):  # the smallest layer has the gain of a norm and four matrices
        raise ValueError(
            f"checkpoint must contain the arrays of {config.n_layers} layers, got {len(header)} arrays in all"
        )
    vocabulary = None
    if "vocabulary" in texts:
        vocabulary = parse_json("vocabulary", text_of(texts, "vocabulary"))
        check_vocabulary(vocabulary, config)
    arrays = [*arrays_in(numbers, header, shapes(config))]
    model = Model.of(config, np.empty(n_parameters(config), np.float32))
    for own, array in zip(named_arrays(model).values(), arrays, strict=True):
        own[...] = array
    return model, vocabulary


def save_optimizer(path_or_file: Target, optimizer: AdamW) -> None:
    """Write the state of the optimizer; with the checkpoint of the same step it resumes a run bit for bit."""
    means = {"mean": optimizer.mean.astype("<f4"), "square": optimizer.square.astype("<f4")}
    write(path_or_file, means, {"step": str(optimizer.step)})


def load_optimizer(path_or_file: Target, model: Model) -> AdamW:
    """Return the optimizer that `save_optimizer` wrote for this model; raise ValueError if the file does not fit it."""
    header, texts, numbers = read_parts(path_or_file, 2 * model.flat.nbytes)
    step = text_of(texts, "step")
    if not (step.isdecimal() and len(step) <= 15):
        raise ValueError(f"step must be a whole number, got {step[:20]!r}")
    mean, square = arrays_in(numbers, header, dict.fromkeys(("mean", "square"), model.flat.shape))
    optimizer = AdamW(mean.astype(model.flat.dtype), square.astype(model.flat.dtype), int(step))
    if (optimizer.square < 0).any():
        raise ValueError("square must not be negative")
    return optimizer


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


def read_config(text: str) -> Config:
    """Return the config of a JSON text; raise ValueError with the first wrong argument."""
    given = parse_json("config", text)
    if not isinstance(given, dict):
        raise ValueError(f"config must be a JSON object, got {type(given).__name__}")
    try:
        return Config(**given)
    except TypeError as problem:  # an argument that is missing or unknown
        raise ValueError(f"config must have the arguments of Config: {str(problem)[:120]}") from None


def check_vocabulary(vocabulary: Any, config: Config) -> None:
    """Raise ValueError unless the vocabulary is a list of distinct strings, one for each token id."""
    if not isinstance(vocabulary, list) or not all(isinstance(token, str) for token in vocabulary):
        raise ValueError("vocabulary must be a list of strings")
    try:
        "".join(vocabulary).encode()
    except UnicodeEncodeError:
        raise ValueError("vocabulary must contain whole characters, got half of a surrogate pair") from None
    if len(vocabulary) != config.vocab_size or len(set(vocabulary)) != len(vocabulary):
        raise ValueError(
            f"vocabulary must contain vocab_size {config.vocab_size} different tokens, got {len(vocabulary)}"
        )
