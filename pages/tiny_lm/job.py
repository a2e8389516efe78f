"""A training run as the page sees it: it can be worked on for a while, paused, resumed and stopped, by any thread."""

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import numpy as np

from attention_core.model.parameters import Model
from attention_core.model.train import Step
from attention_core.shipped.runs import Plan, Record, Training, records, training
from attention_core.text.corpora import Source
from pages.server.give_way import let_pages_pass

State = Literal["waiting", "working", "paused", "done", "stopped", "left", "diverged", "failed"]
ENDED = ("done", "stopped", "left", "diverged", "failed")
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
        self.token = secrets.token_urlsafe(12)  # whoever knows it may take the run over once it is alone
        self.state: State = "waiting"
        self.records: list[Record] = []
        self.moments: list[Moment] = []
        self.latest: Moment | None = None
        self.step = 0
        self.worked = 0.0  # seconds
        self.seen = time.monotonic()
        self.wish: Literal["go on", "pause", "stop"] = "go on"
        self.lock = threading.Lock()
        self.run: Training | None = None
        self.steps: Iterator[tuple[Step, Record | None]] | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen to this run."""
        return self.state in ENDED

    @property
    def seconds_left(self) -> float | None:
        """How long it will still take at the pace so far, once it has a pace."""
        return (self.plan.steps - self.step) * self.worked / self.step if self.step else None

    @property
    def kept_at(self) -> frozenset[int]:
        """The steps after which a copy is kept."""
        return frozenset(round(share * self.plan.steps) for share in SHARES)

    @property
    def size(self) -> int:
        """How many bytes its copies take."""
        return sum(moment.model.flat.nbytes for moment in self.moments)

    def work(self, may_go_on: Callable[[], bool]) -> None:
        """Take steps until the last, or a wish, or until it may not go on."""
        with self.lock:  # of two threads the second waits until the first has left the run
            self.take_steps(may_go_on)

    def take_steps(self, may_go_on: Callable[[], bool]) -> None:
        """Take the steps themselves."""
        if self.run is None or self.steps is None:
            self.run = training(self.plan, self.source)
            self.steps = records(self.run, self.source, self.plan.steps)
            self.keep()
        copied = time.monotonic()
        while self.step < self.plan.steps and self.wish == "go on" and may_go_on():
            began = time.monotonic()
            step, record = next(self.steps)
            self.step = step.step
            if not np.isfinite(step.loss):
                self.state = "diverged"
                return
            if record:
                self.records.append(record)
            if self.step in self.kept_at:
                self.keep()
            elif began - copied > FRESH:
                self.latest, copied = Moment(self.step, copy_of(self.run.model)), began
            took = time.monotonic() - began
            self.worked += took
            time.sleep(max(0.0005, REST * took))
            let_pages_pass()
        if self.step == self.plan.steps:
            self.state = "done"

    def keep(self) -> None:
        """Keep a copy of the model as it stands."""
        if self.run and (not self.moments or self.moments[-1].step < self.step):
            self.latest = Moment(self.step, copy_of(self.run.model))
            self.moments.append(self.latest)


def copy_of(model: Model) -> Model:
    """Return a copy that nobody can write into."""
    flat = model.flat.copy()
    flat.flags.writeable = False
    return Model.of(model.config, flat)
