"""The package `glassllm`: a decoder with an automatic differentiation of its own, in NumPy."""

from collections.abc import Callable

import numpy as np
from glassllm import Config, GlassLM
from glassllm.optim import AdamW, clip_grad_norm
from glassllm.train import get_batch

from tests.bench.sizes import SIZES, corpus


def train_step(size: str) -> Callable[[], object]:
    """Return a function that does what one turn of the loop in `glassllm.train` does."""
    sizes = SIZES[size]
    model, tokens, rng = GlassLM(Config()), corpus(sizes), np.random.default_rng(0)
    parameters = model.parameters()
    optimizer = AdamW(parameters, lr=1e-3)

    def step() -> float:
        inputs, targets = get_batch(tokens, sizes.batch, sizes.length, rng)
        loss = model.loss(inputs, targets)
        optimizer.zero_grad()
        loss.backward()
        clip_grad_norm(parameters, 1.0)
        optimizer.step()
        return float(loss.data)

    return step
