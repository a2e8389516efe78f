"""train: what a run computes, whatever its turns and pauses, and what it holds."""

import gc
import logging
import time
import weakref

import numpy as np
import pytest

from attention_core.shipped.runs import start_training
from pages.tiny_lm.train import queue, turns
from pages.tiny_lm.train.job import ENDED, Job
from pages.tiny_lm.train.memory import bytes_of
from tests.app.tiny_lm.runs import SMALL, SOURCE, ended, job, timed, wait_for, without_threads, work


def end_of(clock, state):
    """Return a run that has ended in a state, and weak references to what only its steps needed."""
    here, seen = {"ada"}, []
    scheduler = without_threads(clock, here.__contains__)

    def now():
        if not seen:
            seen.extend(map(weakref.ref, (one.run.model, one.run.optimizer, one.trainer)))
        if one.step == 3:
            if state == "failed":
                raise RuntimeError("no rows")
            if state == "stopped":
                scheduler.stop(one)
            if state == "left":
                here.clear()
                clock.now += queue.ALONE + 1
            if state == "diverged":
                one.run.model.flat[:] = np.nan

    one = timed(clock, "ada", each_step=now)
    scheduler.start(one)
    work(scheduler)
    return one, seen


def test_a_run_ends_with_the_numbers_that_its_plan_decides(scheduler):
    one = job(seed=5)
    assert scheduler.start(one)
    ended(one)
    alone = start_training(one.plan, SOURCE)
    losses = [step.loss for step in alone.steps]
    assert one.state == "done"
    assert one.step == len(losses) == 37
    np.testing.assert_array_equal(one.moments[-1].model.flat, alone.model.flat)
    assert one.records[-1].step == 37
    assert one.records[0].learned == losses[0]
    assert sum(record.learned for record in one.records) == pytest.approx(sum(losses))  # a record a step here


def test_copies_are_kept_at_five_moments_and_nobody_can_write_into_them(scheduler):
    one = job(steps=64)
    scheduler.start(one)
    ended(one)
    assert [moment.step for moment in one.moments] == [0, 4, 16, 32, 64]
    for moment in one.moments:
        with pytest.raises(ValueError, match="read-only"):
            moment.model.flat[0] = 1
    assert bytes_of([one]) == 5 * one.moments[0].model.flat.nbytes


def test_pausing_changes_nothing_but_the_time(scheduler):
    one, other = job(steps=200), job(steps=200)
    scheduler.start(one)
    wait_for(lambda: one.step > 5)
    scheduler.pause(one)
    wait_for(lambda: one.state == "paused")
    at = one.step
    time.sleep(0.1)
    assert one.step == at
    assert scheduler.n_threads == 0  # it does not keep its place
    scheduler.resume(one)
    ended(one)
    scheduler.start(other)
    ended(other)
    np.testing.assert_array_equal(one.moments[-1].model.flat, other.moments[-1].model.flat)
    assert [record.tested for record in one.records] == [record.tested for record in other.records]


def test_a_stopped_run_keeps_what_it_has_learned(scheduler):
    one = job(steps=100_000)
    scheduler.start(one)
    wait_for(lambda: one.step > 5)
    scheduler.stop(one)
    ended(one)
    assert one.state == "stopped"
    assert one.moments[-1].step == one.step
    alone = start_training(one.plan, SOURCE)
    for _ in range(one.step):
        next(alone.steps)
    np.testing.assert_array_equal(one.moments[-1].model.flat, alone.model.flat)


def test_a_stop_in_the_step_at_which_a_run_pauses_by_itself_ends_it(clock):
    scheduler = without_threads(clock)

    def now():
        if one.step == 1:
            scheduler.stop(one)

    one = timed(clock, each_step=now)
    one.until, one.slow = 2, True
    scheduler.start(one)
    work(scheduler)
    assert (one.state, one.step) == ("stopped", 2)


def test_a_run_pauses_at_its_step_and_goes_on_from_there(clock):
    scheduler = without_threads(clock)
    one = timed(clock)
    one.until = 3
    scheduler.start(one)
    work(scheduler)
    assert (one.state, one.step, one.latest.step, one.wish) == ("paused", 3, 3, "go on")
    one.until = None
    scheduler.resume(one)
    work(scheduler)
    assert (one.state, one.step) == ("done", 8)


def test_a_run_that_diverges_says_so(scheduler):
    one = Job(SMALL._replace(learning_rate=1e28, steps=50), SOURCE)
    scheduler.start(one)
    ended(one)
    assert one.state == "diverged"


@pytest.mark.parametrize("config", [{}, {"positions": "learned", "n_layers": 2}, {"dropout": 0.1, "norm": "post"}])
def test_turns_change_no_number(clock, monkeypatch, config):
    monkeypatch.setattr(turns, "TURN", 1.0)
    scheduler, log = without_threads(clock), []
    one, other, alone = (timed(clock, name, log, **config) for name in "abc")
    scheduler.start(one)
    scheduler.start(other)
    work(scheduler)
    assert log == ["a", "b"] * 8
    scheduler.start(alone)
    work(scheduler)
    for run in (one, other):
        assert run.records == alone.records
        assert [moment.step for moment in run.moments] == [moment.step for moment in alone.moments]
        for moment, same in zip(run.moments, alone.moments, strict=True):
            np.testing.assert_array_equal(moment.model.flat, same.model.flat)


def test_between_two_turns_a_run_holds_its_model_and_its_optimizer_and_no_gradients(clock):
    scheduler = without_threads(clock)
    held = []

    def look():
        held.append([waiting.trainer for waiting in scheduler.queue if waiting.step])

    one, other = timed(clock, "a", each_step=look), timed(clock, "b", each_step=look)
    scheduler.start(one)
    scheduler.start(other)
    work(scheduler)
    assert [None] in held
    assert all(trainer is None for trainers in held for trainer in trainers)


@pytest.mark.parametrize("state", ENDED)
def test_a_run_that_has_ended_lets_go_of_its_trainer(clock, state, monkeypatch):
    monkeypatch.setattr(logging.getLogger(queue.__name__), "disabled", True)  # a kept record holds the frames
    one, seen = end_of(clock, state)
    gc.collect()
    assert one.state == state
    assert (one.run, one.steps, one.trainer) == (None, None, None)
    assert len(seen) == 3
    assert [thing() for thing in seen] == [None, None, None]
    assert sum(array.nbytes for array in one.arrays()) <= 6 * one.moments[0].model.flat.nbytes


def test_only_the_scheduler_says_how_a_run_stands(clock):
    one = timed(clock)
    assert one.work(lambda: one.step < 4) is None
    assert one.work(lambda: True) == "done"
    assert (one.state, one.step) == ("waiting", 8)


def test_what_a_run_holds_is_no_more_than_it_was_given_room_for(clock):
    scheduler, most = without_threads(clock), []
    one = timed(clock, "a", each_step=lambda: most.append(bytes_of([one])))
    scheduler.start(one)
    work(scheduler)
    assert one.needs / 2 < max(most) <= one.needs
