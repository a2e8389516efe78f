"""The steps of a training run, taken in a process of its own: the same numbers to the last bit, a few steps at a time.

The process keeps the run of the turn; after every few steps its state is here as well, from which a run goes on.
"""

import time
from collections import deque
from functools import lru_cache
from typing import NamedTuple

from attention_core.arrays import Array
from attention_core.model.config import Config
from attention_core.model.optimizer import AdamW
from attention_core.model.parameters import Model
from attention_core.model.train import Step
from attention_core.shipped.runs import Plan, Training, is_recorded, resume_training, tested_loss
from attention_core.text.corpora import SOURCES, Source, own_text, source_of
from pages.server.apart import Apart, Gone

AT_ONCE = 0.1  # seconds of steps between two answers

Origin = tuple[str, ...]  # by which the other process makes a source: a name, or a text and its unit


class Taken(NamedTuple):
    """Steps that were taken, the state after them, and the validation loss where a record needs it."""

    steps: list[Step]
    flat: Array
    optimizer: AdamW
    tested: float | None


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
            model = self.run.model
            state = model.config, model.flat, self.run.optimizer
            self.apart.call(begin, self.plan, self.origin, self.source.vocabulary.tokens, *state)
            self.begun = True
        until = self.run.optimizer.step + 1
        while until < self.plan.steps and not is_recorded(until, self.plan.steps) and until not in self.stops:
            until += 1
        found = self.apart.call(take, until, AT_ONCE)
        self.run.model.flat[:] = found.flat
        self.run.optimizer.mean[:] = found.optimizer.mean
        self.run.optimizer.square[:] = found.optimizer.square
        self.run.optimizer.step = found.optimizer.step
        self.tested = found.tested
        self.taken.extend(found.steps)


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


def begin(plan: Plan, origin: Origin, tokens: tuple[str, ...], config: Config, flat: Array, optimizer: AdamW) -> None:
    """Go on with a run, there. Raises Gone if its text is read otherwise than here."""
    source = made(*origin)
    if source.vocabulary.tokens != tokens:
        raise Gone("the source is another one")
    turn[:] = [Turn(resume_training(plan, source, Model.of(config, flat), optimizer), plan, source)]


def take(until: int, seconds: float) -> Taken:
    """Take steps up to one of them, there, or until the time is over."""
    (run, plan, source), steps, end = turn[0], list[Step](), time.monotonic() + seconds
    while not steps or (steps[-1].step < until and time.monotonic() < end):
        steps.append(next(run.steps))
    tested = tested_loss(run.model, source) if is_recorded(steps[-1].step, plan.steps) else None
    return Taken(steps, run.model.flat, run.optimizer, tested)


@lru_cache(maxsize=1)
def made(*origin: str) -> Source:
    """Return the source of an origin."""
    if len(origin) == 1:
        return source_of(origin[0])
    text, unit = origin
    return own_text(text, "word" if unit == "word" else "character")
