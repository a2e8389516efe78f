"""Small training runs: given to a scheduler, some by a clock that goes on with each step, or begun on the page."""

import time
from dataclasses import replace
from functools import cache

from attention_core.model.train import Batch
from attention_core.shipped.plans import PRONOUN
from attention_core.text.corpora import source_of
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.queue import Scheduler
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


def job(seed=0, steps=37, owner=""):
    return Job(SMALL._replace(seed=seed, steps=steps), SOURCE, owner)


def wait_for(condition, seconds=30):
    """Wait until something is so; a test that waits in vain says for what."""
    for _ in range(int(seconds / 0.01)):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError(f"waited {seconds} s in vain")


def ended(*jobs):
    wait_for(lambda: all(one.ended for one in jobs))


class Clock:
    """A clock that goes on when it is told to."""

    now = 0.0

    def __call__(self):
        return self.now


def timed(clock, name="", log=None, each_step=lambda: None, **sizes):
    """Return a run whose every step takes a second of a clock, and writes its name into a log."""
    plan = SMALL._replace(config=replace(SMALL.config, **{"d_model": 8} | sizes), steps=8)

    def draw(rng, n_rows, length):
        clock.now += 1
        if log is not None:
            log.append(name)
        each_step()
        return SOURCE.draw(rng, n_rows, length)

    return Job(plan, SOURCE._replace(draw=draw), name)


def without_threads(clock, here=lambda owner: True):
    return Scheduler(0, here, clock)


def work(scheduler):
    """Give every run its turns in this thread, until none waits."""
    assert scheduler.claim_place()
    scheduler.serve()


def ended_run(scheduler, clock, owner, **sizes):
    one = timed(clock, owner, **sizes)
    scheduler.start(one)
    work(scheduler)
    return one


LINK = {"sizes": "true", "width": "16", "heads": "2", "layers": "1", "length": "16", "steps": "50", "batch": "4"}


def at_training(**link):
    return visit("tiny_lm", step="train", ask="no", **link)


def trained(app, label="Train it"):
    """Press the button and come back when the run has ended."""
    press(app, label)
    ended(app.session_state["tiny_lm_training"])
    return rerun(app)


def progress(app):
    """Return what stands over the progress bar."""
    return app.get("progress")[0].proto.text
