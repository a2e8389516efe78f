"""Beyond the longest trained position: small models that were trained on short texts read longer ones.

`python -m attention_core.shipped --beyond` trains them again and writes their losses.
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import cast

import numpy as np

from attention_core.arrays import Array, frozen
from attention_core.data_files import shipped_file
from attention_core.equations.loss import cross_entropy
from attention_core.experiments.positions.position_kinds import KINDS
from attention_core.model.config import Config, Positions
from attention_core.model.forward import model_forward
from attention_core.model.parameters import Model, init_model
from attention_core.model.train import train
from attention_core.shipped.plans import FOLDER
from attention_core.text.small_english import WORDS, rows

TRAINED, READ = 16, 64  # tokens of a text in training, and in the test
STEPS, BATCH, RUNS = 600, 512, (0, 1, 2)  # a batch is so many words
LONG = "RoPE, long"  # trained on texts of `READ` words: what can be reached
TEXTS, TEXT_SEED = 512, 10_011  # of the test, separate from training
BEYOND_FILE = FOLDER / "beyond.json"


def train_on(length: int, kind: str, seed: int, steps: int = STEPS) -> Model:
    """Return a model of two attention layers with one position encoding, trained on texts of so many words.

    A learned table has a row for each of the `READ` positions; training on shorter texts reaches only the first ones.
    """
    config = Config(len(WORDS), 32, 4, 2, READ, d_ff=0, positions=cast(Positions, kind.lower()))
    model = init_model(config, seed)
    for _ in train(model, lambda rng: rows(rng, BATCH // length, length), steps, learning_rate=3e-3, seed=seed):
        pass
    return model


def losses_by_position(model: Model) -> Array:
    """Return (READ,): the mean loss in nats of the next word at each position of the same long texts."""
    texts = rows(np.random.default_rng(TEXT_SEED), TEXTS, READ)
    logits = model_forward(model, texts[:, :-1]).logits
    return cross_entropy(logits, texts[:, 1:])[1].mean(axis=0)


def write_losses_beyond(folder: Path = FOLDER) -> None:
    """Train the models from each seed, and write their losses."""
    runs = [*((kind, TRAINED, kind) for kind in KINDS), (LONG, READ, "RoPE")]
    found = {
        name: [losses_by_position(train_on(length, kind, seed)).round(2).tolist() for seed in RUNS]
        for name, length, kind in runs
    }
    (folder / BEYOND_FILE.name).write_text(json.dumps(found) + "\n", "utf-8")


@lru_cache(maxsize=1)
def losses_beyond() -> dict[str, Array]:
    """Return (S, READ) for each kind and for `LONG`: the loss at each position in each run, read from the file."""
    with shipped_file(BEYOND_FILE):
        return {kind: frozen(np.array(losses)) for kind, losses in json.loads(BEYOND_FILE.read_text("utf-8")).items()}


def window_means(losses: Array, width: int = 4) -> Array:
    """Return (..., READ / width): the mean loss of every `width` positions that follow each other."""
    return losses.reshape(*losses.shape[:-1], -1, width).mean(axis=-1)
