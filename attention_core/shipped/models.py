"""What ships of each model: its parameters at the steps of its plan, its curve, its baselines, its card."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attention_core.arrays import frozen
from attention_core.data_files import shipped_file
from attention_core.model.parameters import Model, n_parameters, named_arrays
from attention_core.shipped.plans import Shipped, shipped
from attention_core.shipped.runs import first_model
from attention_core.text.corpora import source_of
from attention_core.text.n_grams import Baselines
from attention_core.threads import one_at_a_time


class Card(NamedTuple):
    """The model card of a shipped model."""

    text: str
    parameters: int
    size: int  # bytes of the file
    steps: int
    seed: int
    seeds: tuple[int, ...]  # that were tried before this one was chosen for its clear heads; empty: it was not chosen
    slopes: tuple[float, ...] | None  # of each head's distance bias; None without one
    first_loss: float  # nats a token, of the first batch before any update
    last_loss: float  # nats a token, of the held-out rows after training
    command: str  # rebuilds the files


class Curve(NamedTuple):
    """The learning curve of a run: one array for each field of its records."""

    steps: np.ndarray[tuple[int], np.dtype[np.int64]]
    learned: np.ndarray[tuple[int], np.dtype[np.float64]]
    tested: np.ndarray[tuple[int], np.dtype[np.float64]]
    gradient_norms: np.ndarray[tuple[int], np.dtype[np.float64]]


def model_at(name: str, step: int | None = None) -> Model:
    """Return a shipped model at a saved step, with read-only arrays; without a step, the finished model."""
    return read_model(name, checked_step(shipped(name), step))


def checked_step(own: Shipped, step: int | None) -> int:
    """Return a step at which a model is available, by default the last."""
    step = own.saved[-1] if step is None else step
    if step not in own.stops:
        raise ValueError(f"step must be one of {', '.join(map(str, own.stops))}, got {step}")
    return step


@one_at_a_time
@lru_cache(maxsize=64)
def read_model(name: str, step: int) -> Model:
    """Return the model of a step from its file, cached."""
    own = shipped(name)
    with shipped_file(own.file(step)):
        model = model_in(own.file(step).parent, own, step)
    model.flat.flags.writeable = False
    return Model.of(model.config, model.flat)  # new views, because existing ones stay writeable


def model_in(folder: Path, own: Shipped, step: int) -> Model:
    """Return the model of a step from its file in a folder; step 0 has none, it follows from the plan."""
    if not step:
        return first_model(own.plan)
    model = Model.of(own.plan.config, np.empty(n_parameters(own.plan.config), np.float32))
    with (folder / own.file(step).name).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        for name, array in named_arrays(model).items():
            array[...] = arrays[name]
    return model


@lru_cache(maxsize=32)
def curve_of(name: str) -> Curve:
    """Return the learning curve of a shipped model, cached and read-only."""
    with shipped_file(file := shipped(name).record):
        columns = json.loads(file.read_text("utf-8"))
        return Curve(*(frozen(np.array(columns[field])) for field in Curve._fields))


@lru_cache(maxsize=32)
def baselines_of(name: str) -> Baselines:
    """Return the validation losses of models that only count, on the data of a shipped model, cached."""
    with shipped_file(file := shipped(name).record):
        return Baselines(*map(float, json.loads(file.read_text("utf-8"))["baselines"]))


def card_of(name: str) -> Card:
    """Return the model card of a shipped model."""
    own, source, curve = shipped(name), source_of(shipped(name).source), curve_of(name)
    file = own.file(own.saved[-1])
    with shipped_file(file):
        size = file.stat().st_size
    return Card(
        text=source.says,
        parameters=n_parameters(own.plan.config),
        size=size,
        steps=own.plan.steps,
        seed=own.plan.seed,
        seeds=own.seeds,
        slopes=own.plan.config.slopes,
        first_loss=float(curve.learned[0]),
        last_loss=float(curve.tested[-1]),
        command=f"python -m attention_core.shipped {name}",
    )
