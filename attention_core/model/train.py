"""Training: batches, learning-rate schedule, and one record for each step; runs can be stopped and resumed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Tokens
from attention_core.checks import integer, real, regular
from attention_core.model.forward import checked_tokens, gradients
from attention_core.model.optimizer import AdamW, adamw_update, learning_rate_at
from attention_core.model.parameters import Model, Parameters, sum_into
from attention_core.threads import in_threads

PART = 1024  # tokens computed at a time; it bounds the memory of a step; the parts are divided among the workers


class Step(NamedTuple):
    """The record of one training step."""

    step: int  # counted from 1
    loss: float  # nats, of the batch before the update
    learning_rate: float
    gradient_norm: float  # before clipping


class Batch(NamedTuple):
    """Rows of tokens: `[:, :-1]` are the inputs, `[:, 1:]` the targets."""

    rows: Tokens  # (B, T + 1)
    counted: NDArray[np.bool_] | None = None  # (B, T), which targets the loss includes; None: all


Task = Callable[["np.random.Generator"], "Tokens | Batch"]  # returns a new batch


def sample_rows(tokens: Tokens, batch_size: int, length: int, rng: np.random.Generator) -> Batch:
    """Return random windows of a text (N,), or random rows of (N, T + 1)."""
    if tokens.ndim == 2:
        return Batch(tokens[rng.integers(len(tokens), size=batch_size), : length + 1])
    starts = rng.integers(len(tokens) - length, size=batch_size)
    return Batch(tokens[starts[:, None] + np.arange(length + 1)])


def batch_gradients(model: Model, batch: Batch, seeds: list[int], workers: int) -> tuple[float, tuple[Parameters, ...]]:
    """Return the loss of a batch, and gradients of its parts to be added up; the workers change no number."""
    rows, counted = batch
    inputs, targets = rows[:, :-1], rows[:, 1:]
    share = None if counted is None else (counted / max(1, int(counted.sum()))).astype(model.flat.dtype)
    size = max(1, PART // inputs.shape[1])
    parts = [slice(start, start + size) for start in range(0, len(rows), size)]
    found: dict[int, tuple[float, Parameters]] = {}

    def run(worker: int) -> None:
        for i in range(worker, len(parts), workers):
            own = parts[i]
            # i + 1, because [*seeds, 0] gives the same numbers as `seeds`, by which the batch was drawn
            rng = np.random.default_rng([*seeds, i + 1]) if model.config.dropout else None
            own_share = 1 / inputs.size if share is None else share[own]
            found[i] = gradients(model, inputs[own], targets[own], own_share, rng)

    in_threads(run, min(workers, len(parts)))
    losses, by_part = zip(*(found[i] for i in range(len(parts))), strict=True)
    return sum(losses), by_part


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
    beta2: float = 0.95,
    clip: float = 1.0,
    seed: int = 0,
    optimizer: AdamW | None = None,
    workers: int = 1,
) -> Iterator[Step]:
    """Train the model in place: an iterator that takes one step for each record until `steps` have been taken.

    `tokens` is a text (N,), rows (N, T + 1), or a task: a function from a random generator to rows or a Batch. Each
    step is seeded by (seed, step). A run may therefore stop after any record, be saved with its optimizer and be
    resumed by the same call, and it gives the same bits as an uninterrupted run.

    >>> from attention_core import Config, init_model
    >>> model = init_model(Config(vocab_size=3, d_model=8, n_heads=2, n_layers=1, max_len=6))
    >>> losses = [record.loss for record in train(model, [0, 1, 2] * 20, steps=60, learning_rate=0.03)]
    >>> losses[0] > 1 > 0.1 > losses[-1]
    True
    """
    integer("steps", steps, 0)
    integer("workers", workers, 1)
    draw = source(model, tokens, integer("batch_size", batch_size, 1), length)
    integer("seed", seed, 0)
    real("learning_rate", learning_rate, "a finite number above 0", lambda value: value > 0)
    real("clip", clip, "a finite number above 0", lambda value: value > 0)
    real("weight_decay", weight_decay, "a finite number of at least 0", lambda value: value >= 0)
    real("beta2", beta2, "a number from 0 to below 1", lambda value: 0 <= value < 1)
    rising = max(1, steps // 20) if warmup is None else integer("warmup", warmup, 0)
    state = optimizer or AdamW.of(model)
    integer("optimizer.step", state.step, 0)
    if state.mean.shape != model.flat.shape or state.mean.dtype != model.flat.dtype:
        own, wanted = (f"{a.size} numbers of {a.dtype}" for a in (state.mean, model.flat))
        raise ValueError(f"optimizer must be of this model, {wanted}, got {own}")
    total = Model.of(model.config, np.empty_like(model.flat))  # the gradient, as one vector for AdamW

    def run_steps() -> Iterator[Step]:
        """Yield one record for each step; between two records the model and the optimizer are consistent."""
        while state.step < steps:
            step = state.step + 1
            batch = draw(np.random.default_rng([seed, step]))
            rate = learning_rate_at(step, steps, learning_rate, rising)
            with np.errstate(over="ignore", invalid="ignore"):  # a diverged run is visible in its loss
                loss, found = batch_gradients(model, batch, [seed, step], workers)
                sum_into(total.parameters, found)
                norm = math.sqrt(float(np.dot(total.flat, total.flat)))
                shrink = min(1.0, clip / max(norm, 1e-12))
                adamw_update(model, state, total.flat, rate, shrink=shrink, decay=weight_decay, betas=(0.9, beta2))
            yield Step(step, loss, rate, norm)

    return run_steps()


def source(
    model: Model, tokens: ArrayLike | Task, batch_size: int, length: int | None
) -> Callable[[np.random.Generator], Batch]:
    """Return a function that samples a batch; raise ValueError if the tokens do not fit the model."""
    if callable(tokens):
        task = tokens
        return lambda rng: checked_batch(model, task(rng))
    ids = regular("tokens", tokens)
    if ids.ndim not in (1, 2) or ids.size == 0 or ids.shape[-1] < 2:
        raise ValueError(f"tokens must be a text (N,) or rows (N, T + 1), of two tokens at least, got {ids.shape}")
    checked_tokens(model, "tokens", ids.reshape(-1, 1))
    if ids.ndim == 2 and ids.shape[1] > model.config.max_len + 1:
        raise ValueError(f"tokens must have at most max_len {model.config.max_len} + 1 columns, got {ids.shape}")
    longest = min(model.config.max_len, ids.shape[-1] - 1)
    wanted = longest if length is None else integer("length", length, 1, longest)
    return lambda rng: sample_rows(ids, batch_size, wanted, rng)


def checked_batch(model: Model, made: Tokens | Batch) -> Batch:
    """Return the rows of a task as a Batch; raise ValueError if they do not fit the model."""
    batch = made if isinstance(made, Batch) else Batch(np.asarray(made))
    rows = batch.rows
    if rows.ndim != 2 or len(rows) == 0 or rows.shape[1] < 2:
        raise ValueError(f"tokens must make rows (B, T + 1), got shape {rows.shape}")
    checked_tokens(model, "tokens", rows[:, :-1])
    checked_tokens(model, "tokens", rows[:, 1:])
    counted = batch.counted
    if counted is not None and (counted.dtype != np.bool_ or counted.shape != rows[:, 1:].shape):
        wanted = (rows.shape[0], rows.shape[1] - 1)
        raise ValueError(f"counted must be boolean {wanted}, one for each target, got {counted.dtype} {counted.shape}")
    return batch
