"""Smaller KV caches: the model of the copy task, trained again with shared keys and values, or with a window.

`python -m attention_core.shipped --caches` trains them again and writes their losses.
"""

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array, Tokens, frozen
from attention_core.data_files import shipped_file
from attention_core.equations.loss import cross_entropy
from attention_core.experiments.language.costs import cache_bytes
from attention_core.model.config import Config
from attention_core.model.forward import model_forward
from attention_core.model.parameters import Model
from attention_core.shipped.plans import FOLDER, RECALL
from attention_core.shipped.runs import start_training
from attention_core.text.corpora import source_of
from attention_core.text.recall_task import associative_recall

GROUPED = {"4 groups": {}, "2 groups": {"n_groups": 2}, "1 group": {"n_groups": 1}}
CHANGES: dict[str, dict[str, Any]] = {**GROUPED, "window of 16": {"window": 16}, "window of 8": {"window": 8}}
READ_LENGTH = RECALL.plan.config.max_len
CACHE_SEEDS = (0, 1, 2)
FURTHEST = 24  # tokens back; beyond, few letters are repeated
TEST_ROWS, TEST_ROW_SEED = 4096, 10_013  # of the test, separate from training
CACHES_FILE = FOLDER / "caches.json"


def config_of(kind: str) -> Config:
    """Return the config of one kind: that of the shipped model of the copy task, with one change."""
    return replace(RECALL.plan.config, **CHANGES[kind])


def kept_bytes(kind: str, length: int) -> int:
    """Return the bytes of the KV cache of one kind after so many tokens."""
    return cache_bytes(config_of(kind), length)


def last_seen(inputs: Tokens) -> NDArray[np.int64]:
    """Return (..., T): how many tokens back each repeated letter stood last; 0 for digits and for new letters."""
    position = np.arange(inputs.shape[-1])
    same = (inputs[..., :, None] == inputs[..., None, :]) & (position < position[:, None])  # (..., T, S)
    back = position - np.where(same, position, -1).max(axis=-1)
    return np.where(same.any(axis=-1) & (position % 2 == 0), back, 0)


def losses_by_distance(model: Model) -> Array:
    """Return (1 + FURTHEST / 2,): the loss in nats over all repeated letters, then of those 2, 4, ... tokens back."""
    rows = associative_recall(np.random.default_rng(TEST_ROW_SEED), TEST_ROWS, READ_LENGTH)
    back = last_seen(rows[:, :-1])
    logits = model_forward(model, rows[:, :-1]).logits
    each = cross_entropy(logits, rows[:, 1:])[1]
    groups = back > 0, *(back == far for far in range(2, FURTHEST + 1, 2))
    return np.array([each[group].mean(dtype=np.float64) for group in groups])


def train_kind(kind: str, seed: int) -> Model:
    """Return the model of one kind, trained by the plan of the copy task from another seed."""
    run = start_training(RECALL.plan._replace(config=config_of(kind), seed=seed), source_of(RECALL.source))
    for _ in run.steps:
        pass
    return run.model


def write_losses_of_caches(folder: Path = FOLDER) -> None:
    """Train the models of each kind, and write their losses."""
    found = {
        kind: [losses_by_distance(train_kind(kind, seed)).round(3).tolist() for seed in CACHE_SEEDS] for kind in CHANGES
    }
    (folder / CACHES_FILE.name).write_text(json.dumps(found) + "\n", "utf-8")


@lru_cache(maxsize=1)
def losses_of_caches() -> dict[str, Array]:
    """Return (R, 1 + FURTHEST / 2) for each kind: what `losses_by_distance` found in each run, read from the file."""
    with shipped_file(CACHES_FILE):
        return {kind: frozen(np.array(losses)) for kind, losses in json.loads(CACHES_FILE.read_text("utf-8")).items()}
