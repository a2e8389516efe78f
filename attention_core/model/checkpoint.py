"""Checkpoints: a model, or the state of its optimizer, in one file."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from attention_core.array_files import FLOATS, Target, arrays_in, parse_json, read_parts, text_of, write
from attention_core.model.config import Config
from attention_core.model.optimizer import AdamW
from attention_core.model.parameters import Model, n_parameters, named_arrays, shapes

MAX_BYTES = 32 << 20  # bytes of float32 parameters, so 8 million of them


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

    >>> import io
    >>> from attention_core import init_model
    >>> file = io.BytesIO()
    >>> save(file, init_model(Config(vocab_size=2, d_model=4, n_heads=2, n_layers=1, max_len=8)), ["yes", "no"])
    >>> model, vocabulary = load(file)
    >>> model.config.d_model, vocabulary
    (4, ['yes', 'no'])
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
