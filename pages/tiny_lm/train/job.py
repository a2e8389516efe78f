"""A training run: what it is to do, what it has learned so far, and the steps of its turns."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from threading import Event
from typing import Literal, NamedTuple

import numpy as np

from attention_core.model.optimizer import AdamW
from attention_core.model.parameters import Model, n_parameters
from attention_core.shipped.models import Curve
from attention_core.shipped.runs import Plan, Record, first_model
from attention_core.text.corpora import Source, baseline_losses, overlap
from attention_core.text.n_grams import Baselines
from pages.server.give_way import let_pages_pass
from pages.server.shares import MODELS, NOBODY, Visitor, visitor
from pages.server.training_worker import WorkerSteps
from pages.server.worker_process import Worker

FULL = "This server keeps as many models of this size as it can. Those of closed pages go in a few minutes."
LARGE = 512 << 10  # bytes of a model’s parameters: larger ones are let in while there is half of the room
State = Literal["waiting", "running", "paused", "done"]
End = Literal["finished", "stopped", "diverged", "failed"]
SHARES = (0, 1 / 16, 1 / 4, 1 / 2, 1)  # of all steps: when a copy of the model is kept
FRESH = 0.7  # seconds between two copies that only show how it stands
REST = 0.1  # of the time of a step: the others on this server get at least so much in between


class Moment(NamedTuple):
    """A model as it was after some steps; nothing writes into it any more."""

    step: int
    model: Model


@dataclass(eq=False)
class Job:
    """One run. Its numbers depend on its plan and its source alone, whatever its turns and pauses.

    Its queue alone writes `state` and `end`; a turn writes all else; the page reads.
    """

    plan: Plan
    source: Source
    who: Visitor = NOBODY
    expected: float = 1.0  # seconds, at the nominal pace
    state: State = "waiting"
    end: End | None = None
    leave: Event = field(default_factory=Event)  # set to have it leave its worker after the step
    seen: float = 0.0  # by the clock of the queue: when its session was last there
    step: int = 0
    worked: float = 0.0  # seconds
    losses: list[float] = field(default_factory=list)  # since the last record
    records: list[Record] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    latest: Moment | None = None
    samples: dict[int, str] = field(default_factory=dict)  # what the page showed of its moments, by the step
    shown: State | None = None  # the last state that its page followed
    trained: tuple[Model, AdamW] | None = None  # from the first turn until it is done

    def __post_init__(self) -> None:
        MODELS.things[self] = self.who

    @property
    def to_come(self) -> int:
        """How many bytes of parameters it may take before it is done, the optimizer’s two and the latest among them."""
        return (self.state != "done") * (len(SHARES) + 4 - len(self.moments)) * nbytes(self.plan)

    @property
    def rests(self) -> bool:
        """Whether it takes no step unless its student wants it to."""
        return self.state in ("paused", "done")

    @property
    def good(self) -> bool:
        """Whether it rests or has ended with a model that is worth a look."""
        return self.rests and self.end in (None, "finished", "stopped") and bool(self.moments)

    @property
    def curve(self) -> Curve:
        """The records so far as columns."""
        columns = list(zip(*self.records, strict=True)) or [(), (), (), ()]
        return Curve(np.array(columns[0], int), *(np.array(column, float) for column in columns[1:]))

    @cached_property
    def baselines(self) -> Baselines:
        """The validation losses of models that only count, on the text of this run."""
        return baseline_losses(self.source, self.plan.config.max_len)

    @cached_property
    def again(self) -> float:
        """How much of the held-out part of a text of one's own is in the training part too."""
        return overlap(self.source.text, self.source.unit) if self.source.text else 0.0

    def work(self, goes_on: Callable[[], bool], process: Worker | None = None) -> End | None:
        """Take steps until the last, or until it does not go on; return how the run ended, if it has."""
        if self.trained is None:
            model = first_model(self.plan)
            self.trained = model, AdamW.of(model)
            self.keep()
        stops = {round(share * self.plan.steps) for share in SHARES}
        trainer, copied = WorkerSteps(process, self.plan, self.source, *self.trained), time.monotonic()
        while self.step < self.plan.steps and goes_on():
            began = time.monotonic()
            steps, tested = trainer.take(stops)
            for step in steps:
                self.step = step.step
                self.losses.append(step.loss)
                if not np.isfinite(step.loss):
                    return "diverged"
            if tested is not None:
                mean = sum(self.losses) / len(self.losses)
                self.records.append(Record(self.step, mean, tested, steps[-1].gradient_norm))
                self.losses.clear()
            if self.step in stops:
                self.keep()
            elif began - copied > FRESH:
                self.latest, copied = self.moment(), began
            took = time.monotonic() - began
            self.worked += took
            if trainer.here:  # beside the other threads of this process
                time.sleep(max(0.0005, REST * took))
            let_pages_pass()
        return "finished" if self.step == self.plan.steps else None

    def moment(self) -> Moment:
        """Return the model as it stands, in a copy that nobody can write into."""
        assert self.trained
        flat = self.trained[0].flat.copy()
        flat.flags.writeable = False
        moment = Moment(self.step, Model.of(self.plan.config, flat))
        MODELS.things[moment.model] = self.who
        return moment

    def keep(self) -> None:
        if self.trained and (not self.moments or self.moments[-1].step < self.step):
            self.latest = self.moment()
            self.moments.append(self.latest)


def nbytes(plan: Plan) -> int:
    return 4 * n_parameters(plan.config)


def is_full(size: int) -> bool:
    """Return whether there is no room for one more model of so many bytes, once all that was begun is done."""
    return MODELS.is_full(visitor(), 1.0 if size <= LARGE else 0.5)
