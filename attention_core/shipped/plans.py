"""The models that ship, each with its source, its training plan and the steps at which it was saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from attention_core.data_files import read_table
from attention_core.model.config import Config
from attention_core.shipped.runs import Plan
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
    mantissa: int | None = None  # bits kept of every step but the last (see `write_checkpoint`); None: all

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


def read_plan(name: str, said: dict[str, Any]) -> Shipped:
    """Return a model of the file, whose source has its name."""
    config = Config(**{"vocab_size": len(WORDS), "alibi_slopes": said.pop("alibi_slopes", None)} | said.pop("config"))
    plan, steps = Plan(config, **said.pop("plan")), tuple(said.pop("saved"))
    return Shipped(name, name, plan, steps, **said | {"seeds": tuple(said.get("seeds", ()))})


ENGLISH, PRONOUN, RECALL, STORIES = (read_plan(*item) for item in read_table(__file__).items())
TWINS: dict[str, dict[str, Any]] = {  # ablated models: what a model is without, as changes of its config
    "no mask": {"causal": False},
    "no positions": {"positions": "none", "alibi_slopes": None},
    "one head": {"n_heads": 1, "alibi_slopes": None},
    "one layer": {"n_layers": 1},
}
ABLATED = ((ENGLISH, "no mask"), (ENGLISH, "no positions"), (RECALL, "no positions"), (RECALL, "one layer"))
OTHER_SEEDS = (0, 1, 2, 4, 5, 6)  # of Toy English, trained once more from each: which head gets which job differs


def twin(model: Shipped, kind: str) -> Shipped:
    """Return the same model, trained by the same plan, with one part ablated."""
    plan = model.plan._replace(config=replace(model.plan.config, **TWINS[kind]))
    return Shipped(f"{model.name}-{kind.replace(' ', '-')}", model.source, plan, model.saved[-1:], model.folded)


def reseeded(model: Shipped, seed: int) -> Shipped:
    """Return the same model, trained by the same plan from another seed."""
    plan = model.plan._replace(seed=seed)
    return Shipped(f"{model.name}-seed-{seed}", model.source, plan, model.saved[-1:], model.folded)


FURTHER = *(twin(*ablated) for ablated in ABLATED), *(reseeded(ENGLISH, seed) for seed in OTHER_SEEDS)
MODELS = {model.name: model for model in (ENGLISH, PRONOUN, RECALL, STORIES, *FURTHER)}


def shipped(name: str) -> Shipped:
    """Return a shipped model by its name."""
    if name not in MODELS:
        raise ValueError(f"name must be one of {', '.join(MODELS)}, got {name!r}")
    return MODELS[name]
