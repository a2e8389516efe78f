"""The pretrained model of this server: one process computes with it for all pages, one after the other.

Its numbers are in that process, which the system puts after the pages. Its config and its tokeniser are here.
"""

import importlib
import logging
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from attention_core.model.config import Config
from attention_core.pretrained import RealModel, find_pretrained, open_pretrained
from attention_core.pretrained.tokeniser import Tokeniser
from pages.server.give_way import Line
from pages.server.messages import Gone
from pages.server.worker_process import Worker

Result = TypeVar("Result")

NICE = 5  # of 19: a student waits for it, unlike for a training, so beside a page it gets a quarter of a core
LINE = Line(what="the real model")


@dataclass(frozen=True, eq=False)
class ModelInWorker:
    """A pretrained model without its parameters: these are in the other process, under this path."""

    path: Path
    config: Config
    tokeniser: Tokeniser


class Computer:
    """The process that computes; one that has died is replaced when it is asked again."""

    def __init__(self) -> None:
        self.process, self.lock = Worker(NICE), threading.Lock()

    def ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a function of this module returns there. Raises Gone if the process cannot be had."""
        with self.lock:
            try:
                return self.process.call(function, *arguments)
            except Gone:
                self.process.close()
                self.process = Worker(NICE)
                raise


COMPUTER = Computer()


@cache
def in_worker(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return the same function of a model and more arguments, computed by the other process."""

    def ask(model: ModelInWorker, *arguments: Any) -> Result:
        found = COMPUTER.ask(compute, str(model.path), function.__module__, function.__name__, arguments)
        declared: Result = as_declared(get_type_hints(function)["return"], found)
        return declared

    return ask


def as_declared(kind: Any, found: Any) -> Any:
    """Return a result as its function declares it: a message brings named tuples as lists."""
    if found is None:
        return None
    kind = next((one for one in get_args(kind) if hasattr(one, "_fields")), kind)  # of one that may be None
    if not hasattr(kind, "_fields"):
        return found
    hints = get_type_hints(kind)
    return kind(*(as_declared(hints[field], part) for field, part in zip(kind._fields, found, strict=True)))


def compute(path: str, module: str, name: str, arguments: list[Any]) -> Any:
    """Return what a function finds in the model of a file, there."""
    return getattr(importlib.import_module(module), name)(opened(path).model, *arguments)


def describe(path: str) -> tuple[dict[str, Any], str, tuple[str, ...]]:
    """Return the config of a model and what its tokeniser is made of, there."""
    real = opened(path)
    return asdict(real.model.config), real.tokeniser.text, real.tokeniser.special


@lru_cache(maxsize=1)
def opened(path: str) -> RealModel:
    return open_pretrained(path)


def pretrained_path() -> Path | None:
    """Return where the pretrained model of this server is; None without one."""
    try:
        return find_pretrained()
    except ValueError as problem:
        logging.getLogger(__name__).warning("there is no pretrained model: %s", problem)
        return None


@lru_cache(maxsize=1)
def pretrained_model(path: Path) -> ModelInWorker:
    """Return the model in a file; all pages share it. Raises ValueError if the file cannot be read."""
    try:
        config, text, special = COMPUTER.ask(describe, str(path))
    except RuntimeError as problem:
        raise ValueError(str(problem)) from problem
    return ModelInWorker(path, Config(**config), Tokeniser(text, special))
