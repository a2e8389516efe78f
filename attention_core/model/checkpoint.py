"""Checkpoints: a model, or the state of its optimizer, in one .npz file of plain arrays."""

import json
from collections.abc import Iterable
from dataclasses import MISSING, asdict, fields
from typing import Any

import numpy as np

from attention_core.arrays import Array
from attention_core.checks import whole
from attention_core.model.config import Config
from attention_core.model.npz import (
    MAX_TEXT,
    Target,
    check_header,
    check_names,
    members,
    read_numbers,
    read_text,
    write,
)
from attention_core.model.optimizer import AdamW
from attention_core.model.parameters import Model, n_parameters, named_arrays, shapes

MAX_BYTES = 32 << 20  # bytes of float32 parameters, so 8 million of them


def save(
    path_or_file: Target,
    model: Model,
    vocabulary: Iterable[str] | None = None,
    dtype: Any = np.float32,
    mantissa: int | None = None,
) -> None:
    """Write a model and its vocabulary as a checkpoint; float16 halves the file.

    With `mantissa`, float16 numbers keep that many of their 10 bits after the first, and the file is compressed: with 4
    bits it takes two thirds.
    """
    kind = np.dtype(dtype)
    if kind not in (np.float16, np.float32):
        raise ValueError(f"dtype must be float16 or float32, got {kind}")
    texts = {"config": json.dumps(asdict(model.config))}
    if vocabulary is not None:
        tokens = list(vocabulary)
        check_vocabulary(tokens, model.config)
        texts["vocabulary"] = json.dumps(tokens)
        if len(texts["vocabulary"]) > MAX_TEXT:
            raise ValueError(f"vocabulary must take at most {MAX_TEXT:,} characters, got {len(texts['vocabulary']):,}")
    with np.errstate(over="ignore"):  # values out of range become infinite and are refused below
        arrays = {name: array.astype(kind) for name, array in named_arrays(model).items()}
    if mantissa is not None:
        if kind != np.float16:
            raise ValueError(f"mantissa must come with dtype float16, got {kind}")
        arrays = {name: round_mantissa(array, mantissa) for name, array in arrays.items()}
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"model must contain finite numbers that fit {kind}, got others in {name}")
    write(path_or_file, {name: np.array(text) for name, text in texts.items()} | arrays, mantissa is not None)


def round_mantissa(array: Array, bits: int) -> Array:
    """Return float16 numbers rounded to so many bits after the first one; the others are 0 and compress well."""
    dropped = 10 - whole("mantissa", bits, 1, 10)
    half = np.uint16((1 << dropped) >> 1)
    return ((array.view(np.uint16) + half) >> dropped << dropped).view(np.float16)  # a carry raises the exponent


def load(path_or_file: Target, max_bytes: int = MAX_BYTES) -> tuple[Model, list[str] | None]:
    """Return the model and the vocabulary of a checkpoint; raise ValueError if the file is damaged or inconsistent.

    Every name, shape and type is checked against the config before anything large is allocated. Nothing is unpickled. A
    model of more than `max_bytes` is refused.
    """
    with members(path_or_file, max_bytes) as (archive, found):
        config = read_config(read_text(archive, found, "config"))
        if n_parameters(config) * 4 > max_bytes:
            raise ValueError(
                f"checkpoint must take at most {max_bytes:,} bytes in memory, but its config asks for more"
            )
        if config.max_len * config.d_model * 4 > max_bytes:
            raise ValueError(
                f"max_len must be small enough for {max_bytes:,} bytes of positions, got {config.max_len:,}"
            )
        if 5 * config.n_layers > len(found):  # the smallest layer has the gain of a norm and four matrices
            raise ValueError(
                f"checkpoint must contain the arrays of {config.n_layers} layers, got {len(found)} arrays in all"
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
    """Write the state of the optimizer; with the checkpoint of the same step it resumes a run bit for bit."""
    means = {"mean": optimizer.mean.astype(np.float32), "square": optimizer.square.astype(np.float32)}
    write(path_or_file, means | {"step": np.array(str(optimizer.step))})


def load_optimizer(path_or_file: Target, model: Model) -> AdamW:
    """Return the optimizer that `save_optimizer` wrote for this model; raise ValueError if the file does not fit it."""
    with members(path_or_file, 2 * model.flat.nbytes) as (archive, found):
        check_names(found, {"mean", "square", "step"}, set())
        step = read_text(archive, found, "step")
        if not (step.isdecimal() and len(step) <= 15):
            raise ValueError(f"step must be a whole number, got {step[:20]!r}")
        headers = {name: check_header(archive, found, name, model.flat.shape) for name in ("mean", "square")}
        optimizer = AdamW.of(model)
        read_numbers(archive, found["mean"], headers["mean"], "mean", optimizer.mean)
        read_numbers(archive, found["square"], headers["square"], "square", optimizer.square)
    if (optimizer.square < 0).any():
        raise ValueError("square must not be negative")
    optimizer.step = int(step)
    return optimizer


def parse_json(name: str, text: str) -> Any:
    """Return the parsed JSON text; raise ValueError if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"{name} must be JSON, got: {problem}") from None


def read_config(text: str) -> Config:
    """Return the config of a JSON text; raise ValueError with the first wrong argument."""
    given = parse_json("config", text)
    if not isinstance(given, dict):
        raise ValueError(f"config must be a JSON object, got {type(given).__name__}")
    known = {field.name: field.default for field in fields(Config)}
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ValueError(f"config must not contain unknown arguments, got {unknown[0][:80]!r}")
    missing = [name for name, default in known.items() if default is MISSING and name not in given]
    if missing:
        raise ValueError(f"config must contain {missing[0]}, which is missing")
    return Config(**given)


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
