"""Training runs: the plan that determines a run, and a run that can be watched, stopped and resumed."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Tokens
from attention_core.equations.loss import cross_entropy_forward
from attention_core.model.config import Config
from attention_core.model.forward import model_forward
from attention_core.model.optimizer import AdamW
from attention_core.model.parameters import Model, init_model, named_arrays
from attention_core.model.train import Batch, Step, train
from attention_core.text.corpora import Source

AT_ONCE = 16  # rows evaluated at a time, which bounds the memory
RECORDED = 64  # records in a run, about


def keep_memory() -> None:
    """Tell the C library to keep freed memory in this process, where it is glibc.

    Each step needs the same arrays. Fresh memory costs a page fault for each 4 KiB, so a step would take up to twice
    as long.
    """
    with suppress(OSError, AttributeError, TypeError):
        tell = ctypes.CDLL(None).mallopt
        for setting, size in ((-3, 1 << 30), (-1, 1 << 30), (-2, 64 << 20)):  # mmap threshold, trim threshold, top pad
            tell(setting, size)


class Plan(NamedTuple):
    """Everything that determines a run except its source."""

    config: Config
    steps: int
    batch_size: int = 32
    learning_rate: float = 4e-3
    weight_decay: float = 1.0  # far above the usual 0.01, so that unused weights vanish and heads become clear
    beta2: float = 0.95  # of AdamW, after the first steps: how much of the mean squared gradient it keeps
    seed: int = 0
    first: int = 0  # steps at the start that are all an exercise, the first half easy; the MLPs add nothing
    exercises: float = 0.0  # the share of the later steps that are an exercise of the source


class Training(NamedTuple):
    """A run at some step: iterate `steps` to continue, or resume later from the model and the optimizer."""

    model: Model
    optimizer: AdamW
    steps: Iterator[Step]


def first_model(plan: Plan) -> Model:
    """Return the model of a plan before its training."""
    model = init_model(plan.config, plan.seed)
    if plan.first:
        silence(model)
    return model


def silence(model: Model) -> None:
    """Let the MLPs add nothing, in place: at the start their random outputs drown what other heads wrote."""
    for name, array in named_arrays(model).items():
        if name.endswith(("w2", "b2", "w_down")):
            array[...] = 0


def start_training(plan: Plan, source: Source, workers: int = 1) -> Training:
    """Return a new run before its first step."""
    model = first_model(plan)
    return resume_training(plan, source, model, AdamW.of(model), workers)


def resume_training(plan: Plan, source: Source, model: Model, optimizer: AdamW, workers: int = 1) -> Training:
    """Return a run that continues at the step of its optimizer."""
    if not has_counted_targets(source, plan.config.max_len):
        raise ValueError(f"max_len must be long enough for a target that the loss includes, got {plan.config.max_len}")

    def draw(rng: np.random.Generator) -> Batch:
        early = optimizer.step < plan.first
        if source.exercise and (early or (plan.exercises and rng.random() < plan.exercises)):
            return source.exercise(rng, plan.batch_size * plan.config.max_len, optimizer.step < plan.first // 2)
        return source.draw(rng, plan.batch_size, plan.config.max_len)

    steps = partial(
        train,
        model,
        draw,
        plan.steps,
        learning_rate=plan.learning_rate,
        weight_decay=plan.weight_decay,
        seed=plan.seed,
        optimizer=optimizer,
        workers=workers,
    )
    first = islice(steps(), max(0, plan.first - optimizer.step))
    return Training(model, optimizer, quietly(chain(first, steps(beta2=plan.beta2)), model, plan.first))


def quietly(steps: Iterator[Step], model: Model, first: int) -> Iterator[Step]:
    """Yield the steps; after each of the first ones the MLPs are silent again."""
    for step in steps:
        if step.step <= first:
            silence(model)
        yield step


def has_counted_targets(source: Source, length: int) -> bool:
    """Return True if rows of this length have any counted target; in seven words no story reaches its cry."""
    counted = source.held_out(length).counted
    return counted is None or bool(counted.any())


def tested_loss(model: Model, source: Source) -> float:
    """Return the validation loss: the mean in nats over the held-out rows of the source."""
    return loss_of_rows(model, *source.held_out(model.config.max_len))


def loss_of_rows(model: Model, rows: Tokens, counted: NDArray[np.bool_] | None = None) -> float:
    """Return the mean loss in nats over the targets of rows (B, T + 1): all, or those of `counted`."""
    total = 0.0
    for start in range(0, len(rows), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        with np.errstate(over="ignore", invalid="ignore"):  # the loss of a diverged model is NaN
            logits = model_forward(model, rows[part, :-1]).logits
            each = cross_entropy_forward(logits.reshape(-1, logits.shape[-1]), rows[part, 1:].ravel())[1].each
        total += float(np.sum(each if counted is None else each[counted[part].ravel()], dtype=np.float64))
    return total / (rows[:, 1:].size if counted is None else max(1, int(counted.sum())))


class Record(NamedTuple):
    """The state of a run at some step."""

    step: int
    learned: float  # nats, training loss: the mean since the last record; of the first batch at step 0
    tested: float  # nats, validation loss
    gradient_norm: float  # of the last batch, before clipping


def is_recorded(step: int, n_steps: int) -> bool:
    """Return True for the first and the last of n_steps and about 64 between."""
    return step in (1, n_steps) or step % max(1, n_steps // RECORDED) == 0


def records(
    run: Training, source: Source, n_steps: int, test: Callable[[Model, Source], float] = tested_loss
) -> Iterator[tuple[Step, Record | None]]:
    """Yield each step of a run of n_steps; some carry a record."""
    losses = list[float]()
    for step in run.steps:
        losses.append(step.loss)
        if not is_recorded(step.step, n_steps):
            yield step, None
            continue
        yield step, Record(step.step, sum(losses) / len(losses), test(run.model, source), step.gradient_norm)
        losses.clear()
