"""What is measured of `attention_core`, at the sizes that benchmarks.md names."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import attention_core as core


class Size(NamedTuple):
    """A causal language model (feed-forward width 4 D, learned positions, tied embedding) and its batch."""

    d_model: int
    n_heads: int
    n_layers: int
    length: int
    batch: int
    vocab_size: int

    @property
    def d_head(self) -> int:
        return self.d_model // self.n_heads


SIZES = {
    "a": Size(32, 4, 1, 32, 16, 40),
    "b": Size(64, 4, 2, 64, 32, 64),
    "c": Size(128, 4, 4, 128, 32, 64),
    "d": Size(256, 8, 4, 128, 32, 512),
    "b, T = 256": Size(64, 4, 2, 256, 1, 64),
    "c, T = 256": Size(128, 4, 4, 256, 1, 64),
}


def corpus(size: Size) -> np.ndarray:
    """Return random token ids to draw batches from: speed does not depend on what they say."""
    return np.random.default_rng(0).integers(size.vocab_size, size=50_000)


def heads(n: int) -> np.ndarray:
    """Return random queries, keys and values of 8 heads of 64."""
    return np.random.default_rng(0).standard_normal((3, 1, 8, n, 64), dtype=np.float32)


def train_step(size: str, workers: int) -> Callable[[], object]:
    """Return a function that trains one step, the drawing of the batch included."""
    sizes = SIZES[size]
    options = {"batch_size": sizes.batch, "length": sizes.length, "learning_rate": 1e-3, "workers": workers}
    records = core.train(model_of(sizes), corpus(sizes), steps=1_000_000, **options)
    return lambda: next(records)


def generate(size: str) -> Callable[[], object]:
    """Return a function that fills the context from a prompt of one token."""
    model = model_of(SIZES[size])
    return lambda: core.generate(model, [0], SIZES[size].length - 1, cache=True)


def attention(n: int, workers: int) -> Callable[[], object]:
    """Return a function that attends causally over n positions."""
    q, k, v = heads(n)
    return lambda: core.flash_attention(q, k, v, causal=True, workers=workers)


def model_of(size: Size) -> object:
    config = core.Config(size.vocab_size, size.d_model, size.n_heads, size.n_layers, size.length, positions="learned")
    return core.init_model(config, seed=0)
