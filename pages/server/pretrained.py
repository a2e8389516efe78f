"""The pretrained model of this server: one process computes with it for all pages, one after the other.

Its numbers are in that process, which shares no interpreter with the pages and which the system puts after them. Here
are its sizes and its tokeniser, which are small.
"""

import importlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import numpy as np

from attention_core.pretrained import PretrainedModel, find_pretrained, open_gguf
from attention_core.pretrained.gguf_file import read_gguf
from attention_core.pretrained.llama_parameters import LlamaParameters, read_llama_config
from attention_core.pretrained.tokeniser import read_tokeniser
from pages.server.apart import Apart
from pages.server.give_way import Line
from pages.server.messages import Gone

Result = TypeVar("Result")

NICE = 5  # of 19: a student waits for it, unlike for a training, so beside a page it gets a quarter of a core
NONE = np.empty((0, 0), np.float32)
NO_PARAMETERS = LlamaParameters(NONE, (), NONE, NONE)


LINE = Line()


class Computer:
    """The process that computes; one that has died is replaced when it is asked again."""

    def __init__(self) -> None:
        self.process, self.lock = Apart(NICE), threading.Lock()

    def ask(self, path: Path, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a function of the core finds in the model of a file. Raises Gone if the process cannot be had."""
        with self.lock:
            try:
                found = self.process.call(compute, str(path), function.__module__, function.__name__, arguments)
            except Gone:
                self.process.close()
                self.process = Apart(NICE)
                raise
        return as_declared(get_type_hints(function)["return"], found)


COMPUTER = Computer()


@dataclass(frozen=True, eq=False)
class ModelElsewhere(PretrainedModel):
    """A pretrained model without its parameters: these are in the other process, under this path."""

    path: Path


@cache
def elsewhere(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return the same function of a model and more arguments, computed by the other process."""

    def ask(model: ModelElsewhere, *arguments: Any) -> Result:
        found: Result = COMPUTER.ask(model.path, function, *arguments)
        return found

    return ask


def as_declared(kind: Any, found: Any) -> Any:
    """Return a result as its function declares it: a message brings named tuples as lists."""
    if not hasattr(kind, "_fields"):
        return found
    hints = get_type_hints(kind)
    return kind(*(as_declared(hints[field], part) for field, part in zip(kind._fields, found, strict=True)))


def compute(path: str, module: str, name: str, arguments: list[Any]) -> Any:
    """Return what a function finds in the model of a file, there."""
    return getattr(importlib.import_module(module), name)(opened(path), *arguments)


@lru_cache(maxsize=1)
def opened(path: str) -> PretrainedModel:
    """Return the model in a file, there."""
    return open_gguf(path)


def n_layers(model: PretrainedModel) -> int:
    """Return how many layers a model has: to ask for this opens it."""
    return model.config.n_layers


def pretrained_path() -> Path | None:
    """Return where the pretrained model of this server is; None without one."""
    try:
        return find_pretrained()
    except ValueError as problem:
        logging.getLogger(__name__).warning("there is no pretrained model: %s", problem)
        return None


@lru_cache(maxsize=1)
def pretrained_model(path: Path) -> ModelElsewhere:
    """Return the model in a file; all pages share it. Raises ValueError if the file cannot be read."""
    metadata = read_gguf(path).metadata
    tokeniser = read_tokeniser(metadata)
    model = ModelElsewhere(read_llama_config(metadata, len(tokeniser.tokens)), NO_PARAMETERS, tokeniser, path)
    try:
        elsewhere(n_layers)(model)
    except RuntimeError as problem:
        raise ValueError(str(problem)) from problem
    return model
