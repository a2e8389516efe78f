"""The arrays of a model as a file stores them, and how they come into memory: as float32, each once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.model.config import Config
from attention_core.model.parameters import Model, n_parameters, named_arrays

ROWS_READ = 1 << 6  # of a matrix at a time: what becomes of them on the way stays in the processor's cache


class Stored(NamedTuple):
    """An array in a file."""

    name: str
    shape: tuple[int, ...]
    rows: Callable[[slice], Array]  # as numbers


def split_name(name: str) -> tuple[str, str]:
    """Return the number of a layer, or nothing, and the name of an array in it."""
    _, layer, own = name.split(".", 2) if name.startswith("blocks.") else ("", "", name)
    return layer, own


def read_parameters(config: Config, stored: Mapping[str, Stored]) -> Model:
    """Return the model with these arrays, by their names in the model. A layer's matrices come as (outputs, inputs)."""
    model = Model.of(config, np.empty(n_parameters(config), np.float32))
    for name, array in named_arrays(model).items():
        out = array.T if name.startswith("blocks.") and array.ndim == 2 else array
        tensor = stored[name]
        if tensor.shape != out.shape:
            raise ValueError(f"{tensor.name} must have shape {out.shape}, got {tensor.shape}")
        for start in range(0, len(out), ROWS_READ if out.ndim == 2 else len(out)):
            rows = slice(start, start + ROWS_READ) if out.ndim == 2 else slice(None)
            numbers = tensor.rows(rows)
            if not np.isfinite(numbers).all():
                raise ValueError(f"{tensor.name} must contain finite numbers")
            out[rows] = numbers
    return model
