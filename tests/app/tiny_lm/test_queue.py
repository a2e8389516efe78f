"""train: runs wait, take turns and end; what one computes depends on its plan and its source alone."""

import gc
import logging
import threading
import weakref

import numpy as np
import pytest

from attention_core.shipped.runs import records, start_training
from pages.tiny_lm.train import queue
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.queue import AWAY, TURN, Queue
from tests.app.tiny_lm.runs import SMALL, SOURCE, Class


@pytest.fixture
def students():
    return Class()


def assert_as_alone(job):
    """Compare a run with the steps of the core, taken up to where it stands."""
    alone = start_training(job.plan, SOURCE)
    found = records(alone, SOURCE, job.plan.steps)
    expected = [record for _, record in (next(found) for _ in range(job.step)) if record]
    assert job.records == expected
    assert job.moments[-1].step == job.step
    np.testing.assert_array_equal(job.moments[-1].model.flat, alone.model.flat)


@pytest.mark.parametrize("config", [{}, {"positions": "learned", "n_layers": 2}, {"dropout": 0.1, "norm": "post"}])
def test_turns_and_pauses_change_no_number(students, monkeypatch, config):
    monkeypatch.setattr(queue, "TURN", 1.0)
    jobs = [students.run(name, **config) for name in ("ada", "ben")]
    paused = students.run("eve", lambda: paused.step == 2 and students.pause(paused), **config)
    students.finish_all()
    assert students.log == ["ada", "ben", "eve"] * 3 + ["ada", "ben"] * 5
    assert (paused.state, paused.step, paused.good) == ("paused", 3, True)
    students.start(paused)
    students.finish_all()
    for job in (*jobs, paused):
        assert (job.state, job.end, job.step, job.trained) == ("done", "finished", 8, None)
        assert_as_alone(job)


def test_copies_are_kept_at_five_moments_and_nobody_can_write_into_them():
    job = Job(SMALL._replace(steps=64), SOURCE)
    assert job.work(lambda: True) == "finished"
    assert [moment.step for moment in job.moments] == [0, 4, 16, 32, 64]
    for moment in job.moments:
        with pytest.raises(ValueError, match="read-only"):
            moment.model.flat[0] = 1


def test_runs_are_served_in_the_order_in_which_they_came(students):
    ada, ben, eve = (students.run(name) for name in ("ada", "ben", "eve"))
    assert [students.number(job) for job in (ada, ben, eve)] == [1, 2, 3]
    students.pause(ben)
    assert (ben.state, students.number(eve)) == ("paused", 2)
    students.start(ben)
    assert [students.number(job) for job in (ada, eve, ben)] == [1, 2, 3]
    students.stop(eve)
    students.finish_all()
    assert (eve.state, eve.end, eve.good) == ("done", "stopped", False)
    assert list(dict.fromkeys(students.log)) == ["ada", "ben"]
    students.start(ada)
    assert not students.waiting


def test_a_run_gives_up_its_place_after_a_turn_while_others_wait_and_keeps_it_alone(students):
    for name in ("ada", "ben"):
        students.run(name)
    students.finish_all()
    turn = int(TURN)
    assert students.log == (["ada"] * turn + ["ben"] * turn) * 2 + ["ada"] * (8 - 2 * turn) + ["ben"] * (8 - 2 * turn)
    students.log.clear()
    students.run("eve")
    students.finish_all()
    assert students.log == ["eve"] * 8


def test_a_run_can_be_resumed_before_it_has_left_its_worker(students):
    def change_of_mind():
        students.pause(job)
        students.start(job)

    job = students.run("ada", change_of_mind)
    students.finish_all()
    assert (job.end, job.step) == ("finished", 8)


def test_a_stopped_run_keeps_what_it_has_learned_whatever_is_pressed_after(students):
    def stop():
        if job.step == 3:
            for press in (students.stop, students.start, students.pause):
                press(job)

    job = students.run("ada", stop)
    students.finish_all()
    assert (job.state, job.end, job.step, job.good) == ("done", "stopped", 4, True)
    assert_as_alone(job)
    paused = students.run("ben", lambda: students.pause(paused))
    students.finish_all()
    students.stop(paused)
    assert (paused.end, paused.step) == ("stopped", 1)
    assert_as_alone(paused)


@pytest.mark.parametrize("end", ["finished", "stopped", "diverged", "failed", "left"])
def test_a_run_that_has_ended_lets_go_of_its_optimizer_and_others_go_on(students, end, monkeypatch):
    monkeypatch.setattr(logging.getLogger(queue.__name__), "disabled", True)  # a kept record holds the frames
    seen = []

    def act():
        seen[:] = seen or map(weakref.ref, job.trained)
        if job.step == 3:
            if end == "failed":
                raise RuntimeError("no rows")
            if end == "stopped":
                students.stop(job)
            if end == "diverged":
                job.trained[0].flat[:] = np.nan
            if end == "left":
                students.here.remove("ada")
                students.clock.now += AWAY + 1

    job, other = students.run("ada", act), students.run("ben")
    students.finish_all()
    gc.collect()
    assert (job.state, job.end) == ("done", "stopped" if end == "left" else end)
    assert [thing() for thing in seen] == [None, None]
    assert job.good == (end not in ("diverged", "failed"))
    assert (other.end, other.step) == ("finished", 8)


def test_a_waiting_run_of_a_closed_session_takes_no_step(students):
    job = students.run("ada")
    students.here.clear()
    students.clock.now += AWAY + 1
    students.finish_all()
    assert (job.end, job.step) == ("stopped", 0)


def test_the_queue_learns_how_fast_the_server_is(students):
    job = students.run("ada", begin=False)
    job.expected = 1e-3
    students.start(job)
    students.finish_all()
    assert students.pace == pytest.approx((1 + job.worked / 1e-3) / 2)


def test_two_runs_are_worked_on_at_once_and_no_thread_is_left(monkeypatch):
    monkeypatch.setattr(queue, "TURN", np.inf)
    meet, waits = threading.Barrier(2, timeout=60), Queue(2, lambda owner: True)

    def draw(rng, n_rows, length):
        meet.wait()
        return SOURCE.draw(rng, n_rows, length)

    jobs = [Job(SMALL._replace(steps=3), SOURCE._replace(draw=draw)) for _ in range(4)]
    for job in jobs:
        waits.start(job)
    threads = [thread for thread in threading.enumerate() if thread.name == "training"]
    assert len(threads) <= 2
    for thread in threads:
        thread.join(60)
    assert {job.end for job in jobs} == {"finished"}
    assert (waits.n_busy, len(waits.waiting)) == (0, 0)
