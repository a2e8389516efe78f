"""Checkpoints: a model, perhaps with earlier ones of its run, or the state of its optimizer, in one file."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_core.array_files import FLOATS, Target, arrays_in, parse_json, read_parts, text_of, write
from attention_core.model.config import Config
from attention_core.model.optimizer import AdamW
from attention_core.model.parameters import Model, n_parameters, named_arrays, shapes

MAX_BYTES = 32 << 20  # bytes of float32 parameters, so 8 million of them
EARLIER = "earlier"  # the array of the parameters of earlier checkpoints, a row for each


def save(
    path_or_file: Target,
    model: Model,
    vocabulary: Iterable[str] | None = None,
    dtype: Any = np.float32,
    run: Mapping[int, Model] = MappingProxyType({}),
    notes: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Write a model, its vocabulary, all models of its `run` by their step, and `notes`; float16 halves the file."""
    kind = np.dtype(dtype)
    if kind not in FLOATS.values():
        raise ValueError(f"dtype must be float16 or float32, got {kind}")
    texts = {**notes, "config": json.dumps(asdict(model.config))}
    if vocabulary is not None:
        tokens = list(vocabulary)
        check_vocabulary(tokens, model.config)
        texts["vocabulary"] = json.dumps(tokens, ensure_ascii=False)
    with np.errstate(over="ignore"):  # values out of range become infinite and are refused below
        arrays = {name: array.astype(kind) for name, array in named_arrays(model).items()}
        if len(run) > 1:
            arrays[EARLIER] = np.stack([one.flat for one in run.values()][:-1]).astype(kind)
            texts["steps"] = json.dumps([*run])
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
    models, vocabulary = load_run(path_or_file, max_bytes)
    return [*models.values()][-1], vocabulary


def load_run(path_or_file: Target, max_bytes: int = MAX_BYTES) -> tuple[dict[int, Model], list[str] | None]:
    """Return the models of a checkpoint by their training step, the finished one last, and the vocabulary."""
    header, texts, numbers = read_parts(path_or_file, max_bytes)
    config = read_config(text_of(texts, "config"))
    steps = read_steps(texts)
    if n_parameters(config) * 4 * len(steps) > max_bytes:
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
    earlier = {EARLIER: (len(steps) - 1, n_parameters(config))} if len(steps) > 1 else {}
    arrays = [*arrays_in(numbers, header, shapes(config) | earlier)]
    rows = arrays.pop() if earlier else ()
    model = Model.of(config, np.empty(n_parameters(config), np.float32))
    for own, array in zip(named_arrays(model).values(), arrays, strict=True):
        own[...] = array
    models = [*(Model.of(config, row.astype(np.float32)) for row in rows), model]
    return dict(zip(steps, models, strict=True)), vocabulary


def save_optimizer(path_or_file: Target, optimizer: AdamW) -> None:
    """Write the state of the optimizer; with the checkpoint of the same step it resumes a run bit for bit.

    >>> import io
    >>> from attention_core import init_model
    >>> model, file = init_model(Config(vocab_size=2, d_model=4, n_heads=2, n_layers=1, max_len=8)), io.BytesIO()
    >>> save_optimizer(file, AdamW.of(model))
    >>> load_optimizer(file, model).step
    0
    """
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


def read_steps(texts: dict[str, Any]) -> list[int]:
    """Return the training steps of the models in a file, 1 if it names none; raise ValueError unless they rise."""
    steps = parse_json("steps", text_of(texts, "steps")) if "steps" in texts else [1]
    whole = isinstance(steps, list) and steps and all(type(step) is int and 0 <= step < 10**9 for step in steps)
    if not whole or steps != sorted(set(steps)):
        raise ValueError(f"steps must be rising whole numbers below a billion, got {str(steps)[:80]}")
    return steps


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
    if not (size := config.vocab_size) == len(vocabulary) == len(set(vocabulary)):
        raise ValueError(f"vocabulary must contain vocab_size {size} different tokens, got {len(vocabulary)}")
