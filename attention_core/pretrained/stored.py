"""The arrays of a model as a file stores them, and how they come into memory: as float32, each once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attention_core.arrays import Array
from attention_core.model.config import Config
from attention_core.model.parameters import Model, n_parameters, named_arrays

ROWS_READ = 1 << 6  # of a matrix at a time: what becomes of them on the way stays in the processor's cache
Stored = tuple[tuple[int, ...], Callable[[slice], Array]]  # the shape of an array, and its rows as numbers


def read_parameters(
    config: Config, names: Mapping[str, str], tensors: Mapping[str, Any], stored: Callable[[str, Any], Stored]
) -> Model:
    """Return the model with the tensors of a file, in which arrays have these names; {} is the number of a layer.

    `stored` reads the tensor of an array. A layer's matrices come as (outputs, inputs).
    """
    model, left = Model.of(config, np.empty(n_parameters(config), np.float32)), {*tensors}
    for name, array in named_arrays(model).items():
        _, layer, own = name.split(".", 2) if name.startswith("blocks.") else ("", "", name)
        called, out = names[own].format(layer), array.T if layer and array.ndim == 2 else array
        shape, rows = stored(own, tensors[called])
        if shape != out.shape:
            raise ValueError(f"{called} must have shape {out.shape}, got {shape}")
        for start in range(0, len(out), ROWS_READ if out.ndim == 2 else len(out)):
            some = slice(start, start + ROWS_READ) if out.ndim == 2 else slice(None)
            numbers = rows(some)
            if not np.isfinite(numbers).all():
                raise ValueError(f"{called} must contain finite numbers")
            out[some] = numbers
        left.discard(called)
    if left:
        raise ValueError(f"the file must not contain {min(left)}, which such a model lacks")
    return model
