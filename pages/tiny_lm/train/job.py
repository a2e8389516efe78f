"""A training run as the page sees it: it takes its steps in turns, and can be paused, resumed and stopped."""

import secrets
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.model.parameters import Model, n_parameters
from attention_core.model.train import Step
from attention_core.shipped.runs import Plan, Record, Training, records, resume_training, start_training, tested_loss
from attention_core.text.corpora import Source, baseline_losses, overlap
from attention_core.text.n_grams import Baselines
from pages.server.apart import Apart
from pages.server.give_way import let_pages_pass
from pages.server.steps_apart import StepsApart, origin_of

State = Literal["waiting", "working", "paused", "done", "stopped", "left", "diverged", "failed"]
ENDED = ("done", "stopped", "left", "diverged", "failed")
GOOD = ("done", "stopped", "left")  # what was learned may be looked at and kept
SHARES = (0, 1 / 16, 1 / 4, 1 / 2, 1)  # of all steps: when a copy of the model is kept
FRESH = 0.3  # seconds between two copies that only show how it stands
REST = 0.1  # of the time of a step: the others on this server get at least so much in between


class Moment(NamedTuple):
    """A model as it was after some steps; nothing writes into it any more."""

    step: int
    model: Model


class Job:
    """One run. Its numbers depend on its plan and its source alone, however often it is paused."""

    def __init__(self, plan: Plan, source: Source, owner: str = "", expected: float = 1.0) -> None:
        self.plan, self.source, self.owner = plan, source, owner
        self.expected = expected  # seconds, at the nominal pace
        self.token = secrets.token_urlsafe(12)  # in the address: it finds the run once the tab that had it is closed
        # Who writes `state`: the scheduler alone, under its lock; the first is "waiting". A turn sets "working". After
        # the turn it is "waiting" again, "paused", or one of ENDED, which never changes. The page reads it.
        self.state: State = "waiting"
        self.wish: Literal["go on", "pause", "stop"] = "go on"  # of the student; heeded between two steps
        self.until: int | None = None  # the step at which it pauses by itself
        self.slow = False  # each look of its page lets it take a few steps
        self.batch_loss = float("nan")  # of the last step
        self.log: dict[int, str] = {}  # what the model wrote, by the step
        self.records: list[Record] = []
        self.moments: list[Moment] = []
        self.latest: Moment | None = None
        self.step = 0
        self.worked = 0.0  # seconds
        self.since = self.seen = 0.0  # by the clock of the scheduler: when it came, and when its page was last there
        self.run: Training | None = None  # from the first turn until it has ended
        self.steps: Iterator[tuple[Step, Record | None]] | None = None
        self.trainer: Iterator[Step] | None = None  # during a turn: gradients and caches are made anew for each

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen to this run."""
        return self.state in ENDED

    @property
    def rests(self) -> bool:
        """Whether it waits for its student; a slow run waits only for the next look of its page."""
        return self.state == "paused" and not self.slow

    @property
    def seconds_left(self) -> float | None:
        """How long it will still take at the pace so far, once it has a pace."""
        return (self.plan.steps - self.step) * self.worked / self.step if self.step else None

    @cached_property
    def baselines(self) -> Baselines:
        """The validation losses of models that only count, on the text of this run."""
        return baseline_losses(self.source, self.plan.config.max_len)

    @cached_property
    def again(self) -> float:
        """How much of the held-out part of a text of one's own is in the training part too."""
        return overlap(self.source.text, self.source.unit) if self.source.text else 0.0

    @property
    def kept_at(self) -> frozenset[int]:
        """The steps after which a copy is kept."""
        return frozenset(round(share * self.plan.steps) for share in SHARES)

    @property
    def good(self) -> bool:
        """Whether it rests or has ended with a model that is worth a look."""
        return (self.state in GOOD or self.rests) and bool(self.moments)

    @property
    def needs(self) -> int:
        """The most bytes that it holds between two turns: its model, the optimizer's two, and copies."""
        return 4 * n_parameters(self.plan.config) * (3 + len(SHARES) + 1)

    def arrays(self) -> list[Array]:
        """Return what it holds now, while it has no turn."""
        moments = [*self.moments, self.latest] if self.latest else self.moments
        own = [self.run.model.flat, self.run.optimizer.mean, self.run.optimizer.square] if self.run else []
        return [*own, *(moment.model.flat for moment in moments)]

    def work(self, may_go_on: Callable[[], bool], apart: Apart | None = None) -> Literal["done", "diverged"] | None:
        """Take a turn: steps until the last, or a wish, or until it may not go on; return how the run ended, if so.

        The steps are taken in a process of its own, where there is one, and it can make the source.
        """
        if self.run is None:
            self.run = start_training(self.plan, self.source)._replace(steps=self.steps_of_all_turns())
            self.steps = records(self.run, self.source, self.plan.steps, self.test)
            self.keep()
        origin = origin_of(self.source) if apart and self.until is None else None  # apart, steps come several at a time
        if apart and origin:
            self.trainer = StepsApart(apart, self.plan, self.source, origin, self.run, self.kept_at)
        else:
            self.trainer = resume_training(self.plan, self.source, self.run.model, self.run.optimizer).steps
        try:
            return self.take_steps(may_go_on)
        finally:
            self.trainer = None

    def steps_of_all_turns(self) -> Iterator[Step]:
        """Yield the steps of one run, each from the trainer of its turn."""
        while self.trainer:
            yield next(self.trainer)

    def test(self, model: Model, source: Source) -> float:
        """Return the validation loss, which may have come with the step."""
        tested = self.trainer.tested if isinstance(self.trainer, StepsApart) else None
        return tested_loss(model, source) if tested is None else tested

    @property
    def ahead(self) -> bool:
        """Whether the model is already as after a later step."""
        return isinstance(self.trainer, StepsApart) and self.trainer.ahead

    @property
    def goes_on(self) -> bool:
        """Whether neither its student nor its number of steps wants it to pause here."""
        return self.wish == "go on" and self.step != self.until

    def rest(self, took: float) -> None:
        """Let pages go first; steps in this process also leave its other threads some time."""
        if self.ahead:
            return
        if not isinstance(self.trainer, StepsApart) or self.trainer.is_here:
            time.sleep(max(0.0005, REST * took))
        let_pages_pass()

    def take_steps(self, may_go_on: Callable[[], bool]) -> Literal["done", "diverged"] | None:
        """Take the steps of a turn."""
        assert self.run is not None
        assert self.steps is not None
        copied = time.monotonic()
        while self.step < self.plan.steps and (self.ahead or (self.goes_on and may_go_on())):
            began = time.monotonic()
            step, record = next(self.steps)
            self.step, self.batch_loss = step.step, step.loss
            if not np.isfinite(step.loss):
                return "diverged"
            if record:
                self.records.append(record)
            if self.step in self.kept_at:
                self.keep()
            elif began - copied > FRESH and not self.ahead:
                self.latest, copied = Moment(self.step, copy_of(self.run.model)), began
            if self.step == self.until:
                self.latest = Moment(self.step, copy_of(self.run.model))
            took = time.monotonic() - began
            self.worked += took
            self.rest(took)
        return "done" if self.step == self.plan.steps else None

    def keep(self) -> None:
        """Keep a copy of the model as it stands."""
        if self.run and (not self.moments or self.moments[-1].step < self.step):
            self.latest = Moment(self.step, copy_of(self.run.model))
            self.moments.append(self.latest)

    def release(self) -> None:
        """Let go of what only further steps would need."""
        self.run = self.steps = None

    def drop(self) -> None:
        """Let go of the copies too."""
        self.moments, self.latest = [], None


def copy_of(model: Model) -> Model:
    """Return a copy that nobody can write into."""
    flat = model.flat.copy()
    flat.flags.writeable = False
    return Model.of(model.config, flat)
