"""Superposition: a toy model that writes five features into two dimensions and reads them back with a ReLU.

After Elhage et al., “Toy Models of Superposition” (2022).
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, frozen
from attention_core.threads import one_at_a_time

FEATURES, WIDTH = 5, 2
IMPORTANCE = np.float32(0.9) ** np.arange(FEATURES, dtype=np.float32)  # (F,): the error of each counts a little less
TOY_RUNS, TOY_STEPS, TOY_BATCH, TOY_TESTED = 8, 600, 128, 20_000
KEPT = 0.5  # a shorter column is hardly read back


class ToyGradient(NamedTuple):
    """The mean loss of each run over a batch, and its gradient."""

    loss: Array  # (R,)
    w: Array  # (R, D, F)
    b: Array  # (R, F)


class Superposition(NamedTuple):
    """The best of some trained toy models."""

    w: Array  # (D, F): column f is the direction into which feature f is written
    b: Array  # (F,)
    products: Array  # (F, F), wᵀ w: what feature f (column) adds where feature g (row) is read
    back: Array  # (F, F): row f is what is read where feature f alone is 1
    lengths: Array  # (F,)


def sparse_inputs(rng: np.random.Generator, active: float, n: int) -> Array:
    """Return features (N, F), each with probability `active` uniform in [0, 1), else 0."""
    return rng.random((n, FEATURES), np.float32) * (rng.random((n, FEATURES), np.float32) < active)


def toy_gradient(x: Array, w: Array, b: Array) -> ToyGradient:
    """Return the loss, the sum over features of importance · (x − ReLU(x wᵀ w + b))², and its gradient, for R runs."""
    hidden = x @ w.mT  # (R, N, D)
    before = hidden @ w + b[:, None]  # (R, N, F)
    error = np.maximum(before, 0) - x
    loss = (IMPORTANCE * error * error).sum(axis=-1).mean(axis=-1)
    # loss = mean of IMPORTANCE * (relu(before) - x)²
    dbefore = 2 * IMPORTANCE * error * (before > 0) / len(x)
    # before = hidden @ w + b, and hidden = x @ w.mT: w has two gradients
    return ToyGradient(loss, hidden.mT @ dbefore + (dbefore @ w.mT).mT @ x, dbefore.sum(axis=1))


@one_at_a_time
@lru_cache(maxsize=16)
def superposition(active: float, seed: int = 0) -> Superposition:
    """Return the best of `TOY_RUNS` toy models, trained by gradient descent with momentum; `active` is above 0."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=(TOY_RUNS, WIDTH, FEATURES)).astype(np.float32) / 2
    b = np.zeros((TOY_RUNS, FEATURES), np.float32)
    speed_w, speed_b = np.zeros_like(w), np.zeros_like(b)
    for step in range(TOY_STEPS):
        gradient = toy_gradient(sparse_inputs(rng, active, TOY_BATCH), w, b)
        rate = 0.05 / active * min(1, 2 * (1 - step / TOY_STEPS))  # rare features have small gradients
        speed_w, speed_b = 0.9 * speed_w + gradient.w, 0.9 * speed_b + gradient.b
        w, b = w - rate * speed_w, b - rate * speed_b
    best = int(toy_gradient(sparse_inputs(rng, active, TOY_TESTED), w, b).loss.argmin())
    w, b = w[best], b[best]
    return Superposition(*map(frozen, (w, b, w.T @ w, np.maximum(w.T @ w + b, 0), np.sqrt((w * w).sum(axis=0)))))
