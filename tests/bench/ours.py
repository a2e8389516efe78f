"""What is measured of `attention_core`."""

from collections.abc import Callable

import attention_core as core
from tests.bench.sizes import SIZES, Size, corpus
from tests.bench.yardsticks import heads


def train_step(size: str, workers: int) -> Callable[[], object]:
    """Return a function that trains one step, the drawing of the batch included."""
    sizes = SIZES[size]
    records = core.train(
        _model(sizes),
        corpus(sizes),
        steps=1_000_000,
        batch_size=sizes.batch,
        length=sizes.length,
        learning_rate=1e-3,
        workers=workers,
    )
    return lambda: next(records)


def generate(size: str) -> Callable[[], object]:
    """Return a function that fills the context from a prompt of one token."""
    sizes = SIZES[size]
    model = _model(sizes)
    return lambda: core.generate(model, [0], sizes.length - 1, cache=True)


def attention(n: int, workers: int) -> Callable[[], object]:
    """Return a function that attends causally over n positions."""
    q, k, v = heads(n)
    return lambda: core.flash_attention(q, k, v, causal=True, workers=workers)


def _model(size: Size) -> object:
    config = core.Config(
        vocab_size=size.vocab_size,
        d_model=size.d_model,
        n_heads=size.n_heads,
        n_layers=size.n_layers,
        max_len=size.length,
        positions="learned",
    )
    return core.init_model(config, seed=0)
