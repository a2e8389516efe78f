"""The steps of a training run, taken in a process of its own: the same numbers to the last bit, a few steps at a time.

The process keeps the run of the turn; after every few steps its state is here as well, from which a run goes on.
"""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, NamedTuple

from attention_core.arrays import Array
from attention_core.model.config import Config
from attention_core.model.optimizer import AdamW
from attention_core.model.parameters import Model
from attention_core.model.train import Step
from attention_core.shipped.runs import Plan, Training, is_recorded, resume_training, tested_loss
from attention_core.text.corpora import SOURCES, Source, own_text, source_of
from pages.server.apart import Apart
from pages.server.messages import Gone

AT_ONCE = 0.1  # seconds of steps between two answers

Origin = tuple[str, ...]  # by which the other process makes a source: a name, or a text and its unit


class StepsApart:
    """Iterates over the steps of a run. Model and optimizer are as after the last step when it is not `ahead`."""

    def __init__(self, apart: Apart, plan: Plan, source: Source, origin: Origin, run: Training, stops: frozenset[int]):
        self.apart, self.plan, self.source, self.origin, self.run, self.stops = apart, plan, source, origin, run, stops
        self.here: Training | None = None  # where there is no process
        self.taken: deque[Step] = deque()
        self.tested: float | None = None  # the validation loss of the model as it is
        self.begun = False

    def __iter__(self) -> "StepsApart":
        return self

    def __next__(self) -> Step:
        if not self.taken and self.here is None:
            if self.run.optimizer.step >= self.plan.steps:
                raise StopIteration
            try:
                self.take_some()
            except Gone:  # the run is as it was after the last answer
                self.here = resume_training(self.plan, self.source, self.run.model, self.run.optimizer)
        if self.taken:
            return self.taken.popleft()
        assert self.here is not None
        self.tested = None
        return next(self.here.steps)

    @property
    def ahead(self) -> bool:
        """Whether the model is as after a later step than the last that was returned."""
        return bool(self.taken)

    @property
    def is_here(self) -> bool:
        """Whether the steps are taken in this process after all."""
        return self.here is not None

    def take_some(self) -> None:
        """Have some steps taken, at most up to the next at which the model is looked at."""
        if not self.begun:
            plan = self.plan._asdict() | {"config": asdict(self.plan.config)}
            self.apart.call(begin, plan, self.origin, self.source.vocabulary.tokens, *state_of(self.run))
            self.begun = True
        until = self.run.optimizer.step + 1
        while until < self.plan.steps and not is_recorded(until, self.plan.steps) and until not in self.stops:
            until += 1
        steps, self.tested, self.run.optimizer.step, *arrays = self.apart.call(take, until, AT_ONCE)
        for array, found in zip(arrays_of(self.run), arrays, strict=True):
            array[:] = found
        self.taken.extend(Step(*step) for step in steps)


def origin_of(source: Source) -> Origin | None:
    """Return how another process can make this very source; None if it cannot."""
    if source.name in SOURCES and source_of(source.name) is source:
        return (source.name,)
    return (source.text, source.unit) if source.text else None


class Turn(NamedTuple):
    """What the other process works on."""

    run: Training
    plan: Plan
    source: Source


turn: list[Turn] = []  # there: one


def arrays_of(run: Training) -> tuple[Array, Array, Array]:
    """Return the arrays that are the state of a run, with the number of its steps."""
    return run.model.flat, run.optimizer.mean, run.optimizer.square


def state_of(run: Training) -> tuple[int, Array, Array, Array]:
    return run.optimizer.step, *arrays_of(run)


def begin(
    plan: dict[str, Any], origin: Origin, tokens: Sequence[str], step: int, flat: Array, mean: Array, square: Array
) -> None:
    """Go on with a run, there. Raises Gone if its text is read otherwise than here."""
    source = made(*origin)
    if list(source.vocabulary.tokens) != list(tokens):
        raise Gone("the source is another one")
    own = Plan(**plan | {"config": Config(**plan["config"])})
    model, optimizer = Model.of(own.config, flat.copy()), AdamW(mean.copy(), square.copy(), step)
    turn[:] = [Turn(resume_training(own, source, model, optimizer), own, source)]


def take(until: int, seconds: float) -> tuple[Any, ...]:
    """Take steps up to one of them, there, or until the time is over.

    Return them, the validation loss where a record needs it, and the state after them.
    """
    (run, plan, source), steps, end = turn[0], list[Step](), time.monotonic() + seconds
    while not steps or (steps[-1].step < until and time.monotonic() < end):
        steps.append(next(run.steps))
    tested = tested_loss(run.model, source) if is_recorded(steps[-1].step, plan.steps) else None
    return steps, tested, *state_of(run)


@lru_cache(maxsize=1)
def made(*origin: str) -> Source:
    """Return the source of an origin."""
    if len(origin) == 1:
        return source_of(origin[0])
    text, unit = origin
    return own_text(text, "word" if unit == "word" else "character")
