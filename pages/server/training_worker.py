"""The steps of a training run, a few at a time, in a process of its own or here: the same numbers to the last bit.

The process keeps the run of the turn; after every few steps its state is here as well, from which a run goes on.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, NamedTuple

from attention_core.arrays import Array
from attention_core.model.config import Config
from attention_core.model.optimizer import AdamW
from attention_core.model.parameters import Model
from attention_core.model.train import Step
from attention_core.shipped.runs import Plan, Training, is_recorded, keep_memory, resume_training, tested_loss
from attention_core.text.corpora import SOURCES, Source, own_text, source_of
from pages.server.messages import Gone
from pages.server.worker_process import Worker

AT_ONCE = 0.1  # seconds of steps between two answers

Origin = tuple[str, ...]  # by which the other process makes a source: a name, or a text and its unit


class TrainingHere(NamedTuple):
    """A run whose steps are taken in this process."""

    run: Training
    plan: Plan
    source: Source

    def take(self, stops: Collection[int], seconds: float = 0.0) -> tuple[list[Step], float | None]:
        """Take steps for some seconds, one at least and none after a record or a stop.

        Return them, and the validation loss after them if the last one is recorded.
        """
        steps, end, last = [next(self.run.steps)], time.monotonic() + seconds, self.plan.steps
        while not (due := is_recorded(steps[-1].step, last)) and steps[-1].step not in stops and time.monotonic() < end:
            steps.append(next(self.run.steps))
        return steps, tested_loss(self.run.model, self.source) if due else None


class WorkerSteps:
    """Takes the steps of a run in a process, as long as there is one that can make the source; then here."""

    def __init__(self, process: Worker | None, plan: Plan, source: Source, model: Model, optimizer: AdamW) -> None:
        self.plan, self.source, self.model, self.optimizer = plan, source, model, optimizer
        self.origin = origin_of(source)
        self.process = process if self.origin else None
        self.begun = False
        self.here: TrainingHere | None = None

    def take(self, stops: Collection[int]) -> tuple[list[Step], float | None]:
        """Take some steps, after which the model and the optimizer stand; return what TrainingHere.take returns."""
        if self.process:
            try:
                return self.take_there(self.process, stops)
            except Gone:  # the run is as it was after the last answer
                self.process = None
        if self.here is None:
            run = resume_training(self.plan, self.source, self.model, self.optimizer)
            self.here = TrainingHere(run, self.plan, self.source)
        return self.here.take(stops)

    def take_there(self, process: Worker, stops: Collection[int]) -> tuple[list[Step], float | None]:
        """Have some steps taken in the process, and copy its state."""
        if not self.begun:
            plan = self.plan._asdict() | {"config": asdict(self.plan.config)}
            tokens = self.source.vocabulary.tokens
            process.call(begin, plan, self.origin, tokens, *state_of(self.model, self.optimizer))
            self.begun = True
        steps, tested, self.optimizer.step, *arrays = process.call(take, sorted(stops), AT_ONCE)
        for array, found in zip(state_of(self.model, self.optimizer)[1:], arrays, strict=True):
            array[:] = found
        return [Step(*step) for step in steps], tested


def origin_of(source: Source) -> Origin | None:
    """Return how another process can make this very source; None if it cannot."""
    if source.name in SOURCES and source_of(source.name) is source:
        return (source.name,)
    return (source.text, source.unit) if source.text else None


def state_of(model: Model, optimizer: AdamW) -> tuple[int, Array, Array, Array]:
    """Return all that decides the next steps of a run."""
    return optimizer.step, model.flat, optimizer.mean, optimizer.square


turn: list[TrainingHere] = []  # there: one


def begin(
    plan: dict[str, Any], origin: Origin, tokens: Sequence[str], step: int, flat: Array, mean: Array, square: Array
) -> None:
    """Go on with a run, there. Raises Gone if its text is read otherwise than here."""
    source = made(*origin)
    if list(source.vocabulary.tokens) != list(tokens):
        raise Gone("the source is another one")
    keep_memory()
    own = Plan(**plan | {"config": Config(**plan["config"])})
    model, optimizer = Model.of(own.config, flat.copy()), AdamW(mean.copy(), square.copy(), step)
    turn[:] = [TrainingHere(resume_training(own, source, model, optimizer), own, source)]


def take(stops: Collection[int], seconds: float) -> tuple[Any, ...]:
    """Take steps, there; return what TrainingHere.take returns, and the state after them."""
    steps, tested = turn[0].take(stops, seconds)
    return steps, tested, *state_of(turn[0].run.model, turn[0].run.optimizer)


@lru_cache(maxsize=1)
def made(*origin: str) -> Source:
    if len(origin) == 1:
        return source_of(origin[0])
    return own_text(origin[0], "word" if origin[1] == "word" else "character")
