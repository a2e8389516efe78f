"""Training: batches, AdamW with clipping, warm-up and cosine; one record a step, stopped and resumed at will."""

from __future__ import annotations  # np.random, named in annotations alone, is slow to load

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens, Workspace, in_threads, whole
from attention_core.model import checked_tokens, gradients
from attention_core.parameters import Model, Parameters, arrange

PART = 1024  # tokens computed at a time: what a larger batch adds no longer fits the processor's cache
CHUNK = 1 << 14  # parameters AdamW updates at a time, for the same reason
Task = Callable[["np.random.Generator"], Tokens]  # a fresh batch of rows (B, T + 1)


class Step(NamedTuple):
    """What one training step reports."""

    step: int  # counted from 1
    loss: float  # nats, of the batch before its update
    learning_rate: float
    gradient_norm: float  # before clipping


@dataclass
class AdamW:
    """The memory of the optimiser: running means of each gradient and of its square, and the steps taken."""

    mean: Array  # (P,)
    square: Array  # (P,)
    step: int = 0

    @classmethod
    def of(cls, model: Model) -> "AdamW":
        """Return the optimiser of a model that has not been trained yet."""
        return cls(np.zeros_like(model.flat), np.zeros_like(model.flat))


def adamw_update(
    model: Model,
    state: AdamW,
    gradient: Array,
    rate: float,
    *,
    shrink: float = 1.0,
    decay: float = 0.01,
    betas: tuple[float, float] = (0.9, 0.95),
    epsilon: float = 1e-8,
) -> None:
    """Change the model by -rate * mean / (√square + ε), corrected for the first steps; matrices decay besides.

    `shrink` multiplies the gradient: the clipping. This writes into the model and the state, the one place that does.
    """
    state.step += 1
    correct_mean, correct_square = 1 - betas[0] ** state.step, 1 - betas[1] ** state.step
    flat, mean, square = model.flat, state.mean, state.square
    step = np.empty(min(CHUNK, flat.size), flat.dtype)
    if decay:
        flat[: model.n_matrix] *= 1 - rate * decay
    for start in range(0, flat.size, CHUNK):
        part = slice(start, start + CHUNK)
        g, m, s, change = gradient[part], mean[part], square[part], step[: flat[part].size]
        # mean = β₁ mean + (1 - β₁) g
        m *= betas[0]
        m += np.multiply(g, (1 - betas[0]) * shrink, out=change)
        # square = β₂ square + (1 - β₂) g²
        s *= betas[1]
        np.multiply(g, g, out=change)
        change *= (1 - betas[1]) * shrink * shrink
        s += change
        # parameters -= rate * (mean / correction) / (√(square / correction) + ε)
        np.sqrt(s, out=change)
        change *= 1 / math.sqrt(correct_square)
        change += epsilon
        np.divide(m, change, out=change)
        change *= rate / correct_mean
        flat[part] -= change


def learning_rate_at(step: int, steps: int, peak: float, warmup: int, final: float = 0.1) -> float:
    """Return the rate of a step: up in a line, then down along half a cosine to `final` of the peak."""
    if step <= warmup:
        return peak * step / warmup
    way = (step - warmup) / max(1, steps - warmup)
    return peak * (final + (1 - final) * (1 + math.cos(math.pi * min(1.0, way))) / 2)


def draw_rows(tokens: Tokens, batch_size: int, length: int, rng: np.random.Generator) -> Tokens:
    """Return a batch (B, T + 1): windows of a text (N,), or some of the rows (N, T + 1)."""
    if tokens.ndim == 2:
        return tokens[rng.integers(len(tokens), size=batch_size)]
    starts = rng.integers(len(tokens) - length, size=batch_size)
    return tokens[starts[:, None] + np.arange(length + 1)]  # (B, T + 1)


class Trainer:
    """A model in training: the memory that its steps share, and the parts into which a batch falls."""

    def __init__(self, model: Model, workers: int):
        self.model, self.workers = model, workers
        self.spaces = [Workspace() for _ in range(workers)]
        self.gradients: list[tuple[Array, Parameters]] = []

    def gradient(self, rows: Tokens, seeds: list[int]) -> tuple[float, Array]:
        """Return the loss of a batch (B, T + 1) and the gradient, as one vector."""
        inputs, targets = rows[:, :-1], rows[:, 1:]
        size = max(1, PART // inputs.shape[1])
        starts = range(0, len(rows), size)
        while len(self.gradients) < len(starts):
            flat = np.empty_like(self.model.flat)
            self.gradients.append((flat, arrange(self.model.config, flat)[0]))
        losses = [0.0] * len(starts)

        def run(worker: int) -> None:
            for part in range(worker, len(starts), self.workers):
                own = slice(starts[part], starts[part] + size)
                rng = np.random.default_rng([*seeds, part]) if self.model.config.dropout else None
                losses[part] = gradients(
                    self.model,
                    inputs[own],
                    targets[own],
                    inputs.size,
                    self.gradients[part][1],
                    rng,
                    self.spaces[worker],
                )

        in_threads(run, min(self.workers, len(starts)))
        total = self.gradients[0][0]
        for flat, _ in self.gradients[1 : len(starts)]:
            total += flat
        return sum(losses), total


def train(
    model: Model,
    tokens: ArrayLike | Task,
    steps: int,
    *,
    batch_size: int = 32,
    length: int | None = None,
    learning_rate: float = 3e-3,
    warmup: int | None = None,
    weight_decay: float = 0.01,
    clip: float = 1.0,
    seed: int = 0,
    optimizer: AdamW | None = None,
    workers: int = 1,
) -> Iterator[Step]:
    """Train the model in place, one step for each record drawn, until `steps` have been taken.

    `tokens` is a text (N,), or rows (N, T + 1), or a function that makes fresh rows from a generator. Every step seeds
    its own draws by (seed, step). So a run may stop after any record, be saved with its optimizer, and be taken up
    again by the same call with that optimizer: the numbers are bit for bit those of a run that never stopped.
    """
    whole("steps", steps, 0)
    whole("workers", workers, 1)
    rows = row_source(model, tokens, whole("batch_size", batch_size, 1), length)
    whole("seed", seed, 0)
    if not (learning_rate > 0 and weight_decay >= 0 and clip > 0):
        raise ValueError(
            "learning_rate and clip must be above 0 and weight_decay at least 0, "
            f"got {learning_rate}, {clip} and {weight_decay}"
        )
    warmup = max(1, steps // 20) if warmup is None else whole("warmup", warmup, 0)
    state = optimizer or AdamW.of(model)
    if state.mean.shape != model.flat.shape:
        raise ValueError(f"optimizer must be of this model, got {state.mean.size} numbers and {model.flat.size}")
    return run_steps(Trainer(model, workers), state, rows, steps, learning_rate, warmup, weight_decay, clip, seed)


def run_steps(
    trainer: Trainer,
    state: AdamW,
    rows: Task,
    steps: int,
    peak: float,
    warmup: int,
    decay: float,
    clip: float,
    seed: int,
) -> Iterator[Step]:
    """Yield one record a step; between two records the model and the optimiser belong together."""
    while state.step < steps:
        step = state.step + 1
        batch = rows(np.random.default_rng([seed, step]))
        loss, gradient = trainer.gradient(batch, [seed, step])
        norm = math.sqrt(float(np.dot(gradient, gradient)))
        rate = learning_rate_at(step, steps, peak, warmup)
        adamw_update(trainer.model, state, gradient, rate, shrink=min(1.0, clip / max(norm, 1e-12)), decay=decay)
        yield Step(step, loss, rate, norm)


def row_source(model: Model, tokens: ArrayLike | Task, batch_size: int, length: int | None) -> Task:
    """Return a function that draws a batch of rows (B, T + 1), or say what is wrong with the tokens."""
    if callable(tokens):
        task = tokens

        def fresh(rng: np.random.Generator) -> Tokens:
            rows = np.asarray(task(rng))
            if rows.ndim != 2 or rows.shape[1] < 2:
                raise ValueError(f"tokens must make rows (B, T + 1), got shape {rows.shape}")
            checked_tokens(model, "tokens", rows[:, :-1])
            checked_tokens(model, "tokens", rows[:, 1:])
            return rows

        return fresh
    ids = np.asarray(tokens)
    if ids.ndim not in (1, 2) or ids.shape[-1] < 2:
        raise ValueError(f"tokens must be a text (N,) or rows (N, T + 1), of two tokens at least, got {ids.shape}")
    checked_tokens(model, "tokens", ids.reshape(-1, 1))
    if ids.ndim == 2 and ids.shape[1] > model.config.max_len + 1:
        raise ValueError(f"tokens must have at most max_len {model.config.max_len} + 1 columns, got {ids.shape}")
    longest = min(model.config.max_len, ids.shape[-1] - 1)
    wanted = longest if length is None else whole("length", length, 1, longest)
    return lambda rng: draw_rows(ids, batch_size, wanted, rng)
