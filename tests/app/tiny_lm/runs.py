"""Small training runs: worked on in the thread of the test, by a clock that goes on with each step, or on the page."""

from dataclasses import replace
from functools import cache

from attention_core.model.train import Batch
from attention_core.shipped.plans import PRONOUN
from attention_core.text.corpora import source_of
from pages.server.shares import Visitor
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.queue import QUEUE, Queue
from tests.app.visits import press, rerun, visit

FULL = source_of("pronoun")
pool = cache(FULL.held_out)


def drawn_quickly(rng, n_rows, length):
    rows, counted = pool(length)
    chosen = rng.integers(len(rows), size=n_rows)
    return Batch(rows[chosen], counted[chosen])


def few_held_out(length):
    rows, counted = pool(length)
    return Batch(rows[:8], counted[:8])


SOURCE = FULL._replace(draw=drawn_quickly, held_out=few_held_out)
SMALL = PRONOUN.plan._replace(
    config=replace(PRONOUN.plan.config, d_model=8, max_len=17), steps=37, batch_size=3, learning_rate=1e-3
)


class Clock:
    """A clock that goes on when it is told to."""

    now = 0.0

    def __call__(self):
        return self.now


class Class(Queue):
    """A queue without threads, the students that are there, and a log of the steps taken, each of a second."""

    def __init__(self, n_workers=0):
        self.here, self.log = {"ada", "ben", "eve"}, []
        super().__init__(n_workers, self.here.__contains__, Clock())

    def run(self, owner, each_step=lambda: None, begin=True, **sizes):
        """Return a run of eight steps that waits, unless it does not begin."""
        plan = SMALL._replace(config=replace(SMALL.config, **sizes), steps=8)

        def draw(rng, n_rows, length):
            self.clock.now += 1
            self.log.append(owner)
            each_step()
            return SOURCE.draw(rng, n_rows, length)

        job = Job(plan, SOURCE._replace(draw=draw), Visitor(tab=owner))
        if begin:
            self.start(job)
        return job

    def finish_all(self):
        """Give every run its turns in this thread, until none waits."""
        self.n_busy += 1
        self.work()


LINK = {"sizes": "true", "width": "16", "heads": "2", "layers": "1", "length": "16", "steps": "50", "batch": "4"}


def at_training(learn="Pronouns", **link):  # which take the least time
    return visit("tiny_lm", step="train", ask="no", learn=learn, **link)


def work():
    QUEUE.n_busy += 1
    QUEUE.work()


def trained(app):
    """Press the button and come back when the run has ended."""
    press(app, "Train it")
    work()
    return rerun(app)


def progress(app):
    """Return what stands over the progress bar."""
    return app.get("progress")[0].proto.text
