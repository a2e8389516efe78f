"""The shipped models: source, training plan, saved steps, and how to rebuild each.

`python -m attention_core.shipped english` trains one of them from scratch and replaces its files. Beside the curve of
its run stand the validation losses of its checkpoints: those of the Small Stories take a second each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attention_core.model.checkpoint import load, save
from attention_core.model.config import Config
from attention_core.model.npz import shipped_file
from attention_core.model.parameters import Model, n_parameters
from attention_core.shipped.runs import Plan, Record, first_model, records, start_training, tested_loss
from attention_core.text.corpora import Source, source_of
from attention_core.text.small_english import WORDS

FOLDER = Path(__file__).with_name("checkpoints")


class Shipped(NamedTuple):
    """A shipped model: its source, its training plan and the steps at which it was saved."""

    name: str
    source: str  # name of the training source
    plan: Plan
    saved: tuple[int, ...]  # steps; the last is the finished model, and step 0 follows from the seed
    folded: bool = False  # whether `fold_gains` was applied before saving
    seeds: tuple[int, ...] = ()  # tried; the plan has the one with the clearest heads. Empty: not chosen
    mantissa: int | None = None  # bits kept of the numbers of every step but the last (see `save`); None: all

    @property
    def stops(self) -> tuple[int, ...]:
        """Return all steps at which the model is available."""
        return (0, *self.saved)

    def file(self, step: int) -> Path:
        """Return the path of the checkpoint of a step."""
        return FOLDER / f"{self.name}-{step}.npz"

    @property
    def record(self) -> Path:
        """Return the path of the curve and of the losses of the checkpoints."""
        return FOLDER / f"{self.name}.json"


class Card(NamedTuple):
    """The model card of a shipped model."""

    text: str
    licence: str
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


ENGLISH = Shipped(
    "english",
    "english",
    Plan(
        Config(len(WORDS), d_model=32, n_heads=4, n_layers=1, max_len=32, d_ff=0, positions="learned"),
        steps=2500,
        weight_decay=3.0,
        seed=3,  # one head for each kind of link
    ),
    saved=(25, 100, 400, 2500),
    folded=True,
    seeds=tuple(range(10)),
)
PRONOUN = Shipped(
    "pronoun",
    "pronoun",
    Plan(
        Config(
            len(WORDS),
            d_model=48,
            n_heads=2,
            n_layers=1,
            max_len=24,
            d_ff=0,
            positions="learned",
            alibi_slopes=(1.0, 0.0),  # one head prefers near positions, the other is free
        ),
        steps=300,
        learning_rate=6e-3,
    ),
    saved=(20, 50, 100, 300),
)
RECALL = Shipped(
    "recall",
    "recall",
    Plan(
        Config(
            20,
            d_model=64,
            n_heads=4,
            n_layers=2,
            max_len=32,
            d_ff=0,
            positions="learned",
            alibi_slopes=(1.0, 1.0, 0.0, 0.0),  # without them, many seeds never learn the task
        ),
        steps=700,
        learning_rate=1e-3,  # at 1.5e-3, one or two of ten seeds do not learn the task
        weight_decay=0.01,
    ),
    saved=(75, 125, 175, 700),
)
BIBLE = Shipped(
    "bible",
    "bible",
    Plan(
        Config(63, d_model=88, n_heads=4, n_layers=3, max_len=96, positions="learned"),
        steps=8000,
        learning_rate=3e-3,
        weight_decay=0.1,
    ),
    saved=(100, 500, 2000, 8000),
)
STORIES = Shipped(
    "stories",
    "stories",
    Plan(
        Config(
            1500,
            d_model=96,
            n_heads=4,
            n_layers=3,
            max_len=256,
            positions="none",
            alibi_slopes=(1.0, 1.0, 0.2, 0.0),  # two heads of each layer look near, one less so, and one is free
        ),
        steps=18000,
        batch_size=4,
        learning_rate=1.5e-3,
        weight_decay=0.05,
        first=2800,
        exercises=0.15,
    ),
    saved=(2800, 3000, 3300, 3700, 4200, 5000, 6000, 7500, 9500, 12000, 15000, 18000),
    mantissa=4,
)
TWINS: dict[str, dict[str, Any]] = {  # the shipped ablated models: what a model is without
    "no mask": {"causal": False},
    "no positions": {"positions": "none", "alibi_slopes": None},
    "one head": {"n_heads": 1, "alibi_slopes": None},
    "one layer": {"n_layers": 1},
}  # config changes of each ablation
OTHER_SEEDS = (0, 1, 2, 4, 5, 6)  # of Toy English, trained once more from each: which head gets which job differs


def twin(model: Shipped, kind: str) -> Shipped:
    """Return the same model, trained by the same plan, with one part ablated."""
    plan = model.plan._replace(config=replace(model.plan.config, **TWINS[kind]))
    return Shipped(f"{model.name}-{kind.replace(' ', '-')}", model.source, plan, model.saved[-1:], model.folded)


def reseeded(model: Shipped, seed: int) -> Shipped:
    """Return the same model, trained by the same plan from another seed."""
    plan = model.plan._replace(seed=seed)
    return Shipped(f"{model.name}-seed-{seed}", model.source, plan, model.saved[-1:], model.folded)


MODELS = {
    model.name: model
    for model in (
        ENGLISH,
        PRONOUN,
        RECALL,
        BIBLE,
        STORIES,
        *(twin(ENGLISH, kind) for kind in ("no mask", "no positions", "one head")),
        *(twin(RECALL, kind) for kind in TWINS),
        *(reseeded(ENGLISH, seed) for seed in OTHER_SEEDS),
    )
}


def fold_gains(model: Model) -> None:
    """Fold the gain of each block's first LayerNorm into W_Q, W_K and W_V, in place, which changes no output.

    Weight decay keeps matrices small, so gains grow to compensate. With the gains folded in, x has standard deviation
    1, and the trained matrices are about as large as random ones. A random head over the same x is then comparable.
    """
    for block in model.parameters.blocks:
        gain, bias = block.norm1
        block.attention.w_qkv[...] *= gain[:, None]  # (y * gain + bias) @ w = (y + bias / gain) @ (gain * w)
        bias /= gain
        gain[...] = 1


def shipped(name: str) -> Shipped:
    """Return a shipped model by its name."""
    if name not in MODELS:
        raise ValueError(f"name must be one of {', '.join(MODELS)}, got {name!r}")
    return MODELS[name]


def model_at(name: str, step: int | None = None) -> Model:
    """Return a shipped model at a saved step, with read-only arrays; without a step, the finished model."""
    return read_model(name, checked_step(shipped(name), step))


def loss_at(name: str, step: int | None = None) -> float:
    """Return the validation loss of a shipped model at a saved step: what `tested_loss` finds, read from its file."""
    return losses_of(name)[checked_step(shipped(name), step)]


def checked_step(own: Shipped, step: int | None) -> int:
    """Return a step at which a model is available, by default the last."""
    step = own.saved[-1] if step is None else step
    if step not in own.stops:
        raise ValueError(f"step must be one of {', '.join(map(str, own.stops))}, got {step}")
    return step


@lru_cache(maxsize=64)
def read_model(name: str, step: int) -> Model:
    """Return the model of a step from its file, cached."""
    own = shipped(name)
    with shipped_file(own.file(step)):
        model = model_in(FOLDER, own, step)
    model.flat.flags.writeable = False
    return Model.of(model.config, model.flat)  # new views, because existing ones stay writeable


def model_in(folder: Path, own: Shipped, step: int) -> Model:
    """Return the model of a step from its file in a folder; step 0 has none, it follows from the plan."""
    return load(folder / own.file(step).name)[0] if step else first_model(own.plan)


@lru_cache(maxsize=32)
def curve_of(name: str) -> Curve:
    """Return the learning curve of a shipped model, cached and read-only."""
    file = shipped(name).record
    with shipped_file(file):
        columns = json.loads(file.read_text("utf-8"))
        arrays = [np.array(columns[field]) for field in Curve._fields]
    for array in arrays:
        array.flags.writeable = False
    return Curve(*arrays)


@lru_cache(maxsize=32)
def losses_of(name: str) -> Mapping[int, float]:
    """Return the validation loss of a shipped model at each of its stops, cached."""
    own = shipped(name)
    with shipped_file(own.record):
        losses = json.loads(own.record.read_text("utf-8"))["losses"]
        return MappingProxyType(dict(zip(own.stops, map(float, losses), strict=True)))


def card_of(name: str) -> Card:
    """Return the model card of a shipped model."""
    own, source, curve = shipped(name), source_of(shipped(name).source), curve_of(name)
    file = own.file(own.saved[-1])
    with shipped_file(file):
        size = file.stat().st_size
    return Card(
        text=source.says,
        licence=source.licence,
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


def make(name: str, folder: Path = FOLDER, workers: int = 2) -> list[Record]:
    """Train a shipped model and write its files; on one machine they are always the same bits."""
    own = shipped(name)
    source = source_of(own.source)
    run = start_training(own.plan, source, workers)
    found: list[Record] = []
    for step, record in records(run, source, own.plan.steps):
        if record:
            found.append(record)
        if step.step in own.saved:
            short = None if step.step == own.saved[-1] else own.mantissa
            write_checkpoint(own, source, run.model, folder / own.file(step.step).name, short)
    fields = zip(Curve._fields, Record._fields, strict=True)
    columns = {name: [round(getattr(record, field), 5) for record in found] for name, field in fields}
    (folder / own.record.name).write_text(json.dumps(columns) + "\n", "utf-8")
    write_losses(name, folder)
    return found


def write_losses(name: str, folder: Path = FOLDER) -> list[float]:
    """Write the validation loss of each checkpoint, of its numbers as they are in its file, beside the curve."""
    own, file = shipped(name), folder / shipped(name).record.name
    source = source_of(own.source)
    losses = [tested_loss(model_in(folder, own, step), source) for step in own.stops]
    columns = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**columns, "losses": losses}) + "\n", "utf-8")
    return losses


def write_checkpoint(own: Shipped, source: Source, model: Model, file: Path, mantissa: int | None = None) -> None:
    """Write a checkpoint of the model in float16, with gains folded if the model ships folded."""
    copy = Model.of(model.config, model.flat.copy())
    if own.folded:
        fold_gains(copy)
    save(file, copy, source.vocabulary, np.float16, mantissa)
