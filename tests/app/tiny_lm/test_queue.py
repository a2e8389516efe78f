"""train: runs wait, are worked on, and end."""

import gc
import threading
import time
import tracemalloc

import pytest

from pages.tiny_lm.train import queue
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.queue import LONGEST_QUEUE, Scheduler
from tests.app.tiny_lm.runs import SMALL, SOURCE, ended, job, timed, wait_for, without_threads, work
from tests.tiers import first


def threads():
    return [thread for thread in threading.enumerate() if thread.name == "training"]


def test_a_run_can_be_resumed_before_it_has_left_its_place(scheduler):
    one = job(steps=300)
    scheduler.start(one)
    wait_for(lambda: one.step > 5)
    for _ in range(20):
        scheduler.pause(one)
        scheduler.resume(one)
    ended(one)
    assert (one.state, one.step) == ("done", 300)


def test_runs_are_served_in_the_order_in_which_they_came(scheduler):
    first, *others = jobs = [job(seed, steps=400 if seed == 0 else 20) for seed in range(4)]
    for one in jobs:
        assert scheduler.start(one)
    wait_for(lambda: first.state == "working")
    assert [scheduler.place(one) for one in others] == [0, 1, 2]
    assert {one.state for one in others} == {"waiting"}
    scheduler.pause(others[0])
    assert others[0].state == "paused"
    assert [scheduler.place(one) for one in others[1:]] == [0, 1]
    scheduler.resume(others[0])
    assert [scheduler.place(one) for one in others] == [2, 0, 1]
    scheduler.stop(others[1])
    assert others[1].state == "stopped"
    ended(*jobs)
    assert [one.state for one in jobs] == ["done", "done", "stopped", "done"]


def test_at_most_so_many_runs_are_worked_on_at_once():
    scheduler = Scheduler(2, present=lambda owner: True)
    jobs = [job(seed, steps=80) for seed in range(4)]
    for one in jobs:
        scheduler.start(one)
    most = 0
    while not all(one.ended for one in jobs):
        most = max(most, sum(one.state == "working" for one in jobs))
        assert scheduler.n_threads <= 2
        time.sleep(0.002)
    assert most == 2
    wait_for(lambda: scheduler.n_threads == 0)


def test_the_queue_has_an_end(scheduler):
    jobs = [job(steps=100_000)] + [job(steps=5) for _ in range(LONGEST_QUEUE)]
    scheduler.start(jobs[0])
    wait_for(lambda: jobs[0].state == "working")
    assert all(scheduler.start(one) for one in jobs[1:])
    assert not scheduler.start(job())
    for one in jobs:
        scheduler.stop(one)
    ended(*jobs)


def test_a_run_that_fails_takes_nobody_with_it(scheduler, caplog):
    def broken(rng, n_rows, length):
        raise RuntimeError("no rows")

    one, other = Job(SMALL, SOURCE._replace(draw=broken)), job()
    scheduler.start(one)
    scheduler.start(other)
    ended(one, other)
    assert (one.state, other.state) == ("failed", "done")
    assert "a training run failed" in caplog.text


def test_a_run_that_nobody_sees_ends(monkeypatch):
    monkeypatch.setattr(queue, "ALONE", 0.2)
    scheduler = Scheduler(1)
    one, waiting, paused = job(steps=10**6), job(), job()
    for run in (one, waiting, paused):
        scheduler.start(run)
    scheduler.pause(paused)
    ended(one, waiting)
    assert (one.state, waiting.state) == ("left", "left")
    scheduler.start(job())
    assert paused.state == "left"
    wait_for(lambda: scheduler.n_threads == 0)


def test_a_run_goes_on_while_its_owner_is_there(monkeypatch):
    monkeypatch.setattr(queue, "ALONE", 0.05)
    scheduler = Scheduler(1, present={"ada"}.__contains__)
    one = job(steps=200, owner="ada")
    scheduler.start(one)
    ended(one)
    assert one.state == "done"


def test_whoever_knows_the_token_of_a_run_left_alone_takes_it_over_and_nobody_else():
    here = {"ada", "eve"}
    scheduler = Scheduler(1, present=here.__contains__)
    one = job(owner="ada")
    scheduler.start(one)
    ended(one)
    assert scheduler.found(one.token, "eve") is None  # ada is still there
    assert scheduler.found("another", "eve") is None
    assert scheduler.found(one.token, "ada") is one
    here.remove("ada")
    assert scheduler.found(one.token, "eve") is one
    assert one.owner == "eve"
    here.add("ada")
    assert scheduler.found(one.token, "ada") is None
    assert len({job().token for _ in range(100)}) == 100


@pytest.mark.parametrize("n_runs", first(1, [30, 200]))
def test_runs_started_and_left_leave_no_thread_and_no_memory(n_runs, monkeypatch):
    monkeypatch.setattr(queue, "ALONE", 0.02)
    scheduler = Scheduler(2)

    def start_and_leave(count):
        for seed in range(count):
            assert scheduler.start(job(seed, steps=10**6))
            if seed % 20 == 19:
                time.sleep(0.05)
        wait_for(lambda: scheduler.n_threads == 0)

    start_and_leave(10)
    gc.collect()
    tracemalloc.start()
    try:
        start_and_leave(n_runs)
        gc.collect()
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    scheduler.clear_up()
    assert threads() == []
    assert not list(scheduler.jobs)
    assert not scheduler.queue
    assert left < 2 << 20


def test_the_scheduler_learns_how_fast_the_server_is(scheduler):
    one = job()
    one.expected = 1e-3
    scheduler.start(one)
    ended(one)
    wait_for(lambda: scheduler.n_threads == 0)
    assert scheduler.pace == pytest.approx((1 + one.worked / 1e-3) / 2)


def test_one_tab_has_one_run(clock):
    scheduler = without_threads(clock)
    runs = [timed(clock, "ada") for _ in range(9)]
    other = timed(clock, "eve")
    scheduler.start(other)
    for run in runs:
        assert scheduler.start(run)
    assert list(scheduler.queue) == [other, runs[-1]]
    assert {run.state for run in runs[:-1]} == {"stopped"}
    work(scheduler)
    assert (runs[-1].state, other.state) == ("done", "done")


def test_a_run_that_is_worked_on_ends_when_its_tab_starts_another(clock):
    scheduler = without_threads(clock)
    second = timed(clock, "ada")
    first = timed(clock, "ada", each_step=lambda: scheduler.start(second) if first.step == 2 else None)
    scheduler.start(first)
    work(scheduler)
    assert (first.state, first.step, first.moments[-1].step) == ("stopped", 3, 3)
    assert second.state == "done"


def test_the_scheduler_learns_nothing_from_steps_that_are_taken_one_by_one(clock):
    scheduler = without_threads(clock)
    one = timed(clock)
    one.plan = one.plan._replace(steps=40)
    one.expected, one.until = 1e-3, 30
    scheduler.start(one)
    work(scheduler)
    assert (one.state, one.step, scheduler.pace) == ("paused", 30, 1.0)
    one.until = None
    scheduler.resume(one)
    work(scheduler)
    assert one.state == "done"
    assert scheduler.pace > 1
