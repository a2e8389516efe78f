"""The models that ship with the package: what each learned from and how, its saved steps, and how it is made again.

`python -m attention_core.shipped english` trains one of them again from nothing and replaces its files.
"""

from __future__ import annotations  # np.random, named in annotations alone, is slow to load

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attention_core.model.checkpoint import load, save
from attention_core.model.config import Config
from attention_core.model.npz import shipped_file
from attention_core.model.parameters import Model, init_model, n_parameters
from attention_core.shipped.runs import Plan, Record, records, training
from attention_core.text.corpora import Source, source_of
from attention_core.text.small_english import WORDS

FOLDER = Path(__file__).with_name("checkpoints")


class Shipped(NamedTuple):
    """A model that ships: what it learned from, the plan of its training, and the steps at which it was saved."""

    name: str
    source: str
    plan: Plan
    saved: tuple[int, ...]  # the last is that of the finished model; what it was before any step, its seed tells
    folded: bool = False

    @property
    def stops(self) -> tuple[int, ...]:
        """The steps at which the model can be looked at."""
        return (0, *self.saved)

    def file(self, step: int) -> Path:
        """Return where the model of a step is kept."""
        return FOLDER / f"{self.name}-{step}.npz"


class Card(NamedTuple):
    """What there is to say about a model that ships."""

    text: str
    licence: str
    parameters: int
    size: int  # bytes of the file
    steps: int
    seed: int
    first_loss: float  # nats a token, of the first batch before any update
    last_loss: float  # of what was never learned from, after training
    command: str  # rebuilds the files


class Curve(NamedTuple):
    """How a run went: the records of it, a column for each of their fields."""

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
        seed=3,  # of 0 to 9 the one whose heads are clearest: each kind of link has one that follows it
    ),
    saved=(25, 100, 400, 2500),
    folded=True,
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
            alibi_slopes=(1.0, 0.0),  # one head is drawn to what is near, the other is free
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
            alibi_slopes=(1.0, 1.0, 0.0, 0.0),  # without it, many seeds never find the way
        ),
        steps=700,
        learning_rate=1e-3,  # with one and a half times that, one or two seeds of ten do not get there
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
TWINS: dict[str, dict[str, Any]] = {  # what another model would be without
    "no mask": {"causal": False},
    "no positions": {"positions": "none", "alibi_slopes": None},
    "one head": {"n_heads": 1, "alibi_slopes": None},
    "one layer": {"n_layers": 1},
}


def twin(model: Shipped, kind: str) -> Shipped:
    """Return the same model, trained by the same plan, without one of its parts."""
    plan = model.plan._replace(config=replace(model.plan.config, **TWINS[kind]))
    return Shipped(f"{model.name}-{kind.replace(' ', '-')}", model.source, plan, model.saved[-1:], model.folded)


MODELS = {
    model.name: model
    for model in (
        ENGLISH,
        PRONOUN,
        RECALL,
        BIBLE,
        *(twin(ENGLISH, kind) for kind in ("no mask", "no positions", "one head")),
        *(twin(RECALL, kind) for kind in TWINS),
    )
}


def fold_gains(model: Model) -> None:
    """Move the gain of each first norm into the three matrices that read it: the same function, written otherwise.

    Decay keeps matrices small, so gains grow to make up for it. With them folded in, x has deviation 1 and the
    trained matrices about that of random ones, so that a random head over the same x is a fair comparison.
    """
    for block in model.parameters.blocks:
        gain, bias = block.norm1
        block.attention.w_qkv[...] *= gain[:, None]  # (y * gain + bias) @ w = (y + bias / gain) @ (gain * w)
        bias /= gain
        gain[...] = 1


def shipped(name: str) -> Shipped:
    """Return one of the models that ship, by its name."""
    if name not in MODELS:
        raise ValueError(f"name must be one of {', '.join(MODELS)}, got {name!r}")
    return MODELS[name]


def model_at(name: str, step: int | None = None) -> Model:
    """Return a model as it was after some steps, its arrays read-only; without a step as it was at the end."""
    own = shipped(name)
    step = own.saved[-1] if step is None else step
    if step not in own.stops:
        raise ValueError(f"step must be one of {', '.join(map(str, own.stops))}, got {step}")
    return read_model(name, step)


@lru_cache(maxsize=64)
def read_model(name: str, step: int) -> Model:
    """Return the model of a step from its file, read once."""
    own = shipped(name)
    if step:
        with shipped_file(own.file(step)):
            model, _ = load(own.file(step))
    else:
        model = init_model(own.plan.config, own.plan.seed)
    model.flat.flags.writeable = False
    return Model.of(model.config, model.flat)  # made anew: views keep their own flag


@lru_cache(maxsize=32)
def curve_of(name: str) -> Curve:
    """Return how the training of a model went."""
    file = FOLDER / f"{shipped(name).name}.json"
    with shipped_file(file):
        columns = json.loads(file.read_text("utf-8"))
        arrays = [np.array(columns[field]) for field in Curve._fields]
    for array in arrays:
        array.flags.writeable = False
    return Curve(*arrays)


def card_of(name: str) -> Card:
    """Return what there is to say about a model."""
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
        first_loss=float(curve.learned[0]),
        last_loss=float(curve.tested[-1]),
        command=f"python -m attention_core.shipped {name}",
    )


def make(name: str, folder: Path = FOLDER, workers: int = 2) -> list[Record]:
    """Train a model that ships and write its files: on one machine always the same bits."""
    own = shipped(name)
    source = source_of(own.source)
    run = training(own.plan, source, workers)
    found: list[Record] = []
    for step, record in records(run, source, own.plan.steps):
        if record:
            found.append(record)
        if step.step in own.saved:
            keep(own, source, run.model, folder / own.file(step.step).name)
    fields = zip(Curve._fields, Record._fields, strict=True)
    columns = {name: [round(getattr(record, field), 5) for record in found] for name, field in fields}
    (folder / f"{own.name}.json").write_text(json.dumps(columns) + "\n", "utf-8")
    return found


def keep(own: Shipped, source: Source, model: Model, file: Path) -> None:
    """Write the model as it stands."""
    copy = Model.of(model.config, model.flat.copy())
    if own.folded:
        fold_gains(copy)
    save(file, copy, source.vocabulary, np.float16)
