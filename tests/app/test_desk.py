"""Runs in line: who is served when, what pausing leaves alone, and that nothing is left of those that nobody sees."""

import gc
import threading
import time
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from attention_core.shipped.models import PRONOUN
from attention_core.shipped.runs import training
from attention_core.text.corpora import source_of
from pages.tiny_lm import desk as desk_module
from pages.tiny_lm.desk import LONGEST_LINE, Desk
from pages.tiny_lm.job import Job

SOURCE = source_of("pronoun")
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


def threads():
    return [thread for thread in threading.enumerate() if thread.name == "training"]


@pytest.fixture
def desk():
    found = Desk(1, present=lambda owner: True)
    yield found
    for one in list(found.jobs.values()):
        found.stop(one)
    wait_for(lambda: found.n_threads == 0)


def test_a_run_ends_with_the_numbers_that_its_plan_decides(desk):
    one = job(seed=5)
    assert desk.start(one)
    ended(one)
    alone = training(one.plan, SOURCE)
    losses = [step.loss for step in alone.steps]
    assert one.state == "done"
    assert one.step == len(losses) == 37
    np.testing.assert_array_equal(one.moments[-1].model.flat, alone.model.flat)
    assert one.records[-1].step == 37
    assert one.records[0].learned == losses[0]
    assert sum(record.learned for record in one.records) == pytest.approx(sum(losses))  # a record a step here


def test_copies_are_kept_at_five_moments_and_nobody_can_write_into_them(desk):
    one = job(steps=64)
    desk.start(one)
    ended(one)
    assert [moment.step for moment in one.moments] == [0, 4, 16, 32, 64]
    for moment in one.moments:
        with pytest.raises(ValueError, match="read-only"):
            moment.model.flat[0] = 1
    assert one.size == 5 * one.moments[0].model.flat.nbytes


def test_pausing_changes_nothing_but_the_time(desk):
    one, other = job(steps=200), job(steps=200)
    desk.start(one)
    wait_for(lambda: one.step > 5)
    desk.pause(one)
    wait_for(lambda: one.state == "paused")
    at = one.step
    time.sleep(0.1)
    assert one.step == at
    assert desk.n_threads == 0  # it does not keep its place
    desk.resume(one)
    ended(one)
    desk.start(other)
    ended(other)
    np.testing.assert_array_equal(one.moments[-1].model.flat, other.moments[-1].model.flat)
    assert [record.tested for record in one.records] == [record.tested for record in other.records]


def test_a_run_can_be_resumed_before_it_has_left_its_place(desk):
    one = job(steps=300)
    desk.start(one)
    wait_for(lambda: one.step > 5)
    for _ in range(20):
        desk.pause(one)
        desk.resume(one)
    ended(one)
    assert (one.state, one.step) == ("done", 300)


def test_a_stopped_run_keeps_what_it_has_learned(desk):
    one = job(steps=100_000)
    desk.start(one)
    wait_for(lambda: one.step > 5)
    desk.stop(one)
    ended(one)
    assert one.state == "stopped"
    assert one.moments[-1].step == one.step
    alone = training(one.plan, SOURCE)
    for _ in range(one.step):
        next(alone.steps)
    np.testing.assert_array_equal(one.moments[-1].model.flat, alone.model.flat)


def test_runs_are_served_in_the_order_in_which_they_came(desk):
    first, *others = jobs = [job(seed, steps=400 if seed == 0 else 20) for seed in range(4)]
    for one in jobs:
        assert desk.start(one)
    wait_for(lambda: first.state == "working")
    assert [desk.place(one) for one in others] == [0, 1, 2]
    assert {one.state for one in others} == {"waiting"}
    desk.pause(others[0])
    assert others[0].state == "paused"
    assert [desk.place(one) for one in others[1:]] == [0, 1]
    desk.resume(others[0])
    assert [desk.place(one) for one in others] == [2, 0, 1]
    desk.stop(others[1])
    assert others[1].state == "stopped"
    ended(*jobs)
    assert [one.state for one in jobs] == ["done", "done", "stopped", "done"]


def test_at_most_so_many_runs_are_worked_on_at_once():
    desk = Desk(2, present=lambda owner: True)
    jobs = [job(seed, steps=150) for seed in range(5)]
    for one in jobs:
        desk.start(one)
    most = 0
    while not all(one.ended for one in jobs):
        most = max(most, sum(one.state == "working" for one in jobs))
        assert desk.n_threads <= 2
        time.sleep(0.002)
    assert most == 2
    wait_for(lambda: desk.n_threads == 0)


def test_the_line_has_an_end(desk):
    jobs = [job(steps=100_000)] + [job(steps=5) for _ in range(LONGEST_LINE)]
    desk.start(jobs[0])
    wait_for(lambda: jobs[0].state == "working")
    assert all(desk.start(one) for one in jobs[1:])
    assert not desk.start(job())
    for one in jobs:
        desk.stop(one)
    ended(*jobs)


def test_a_run_that_diverges_says_so(desk):
    one = Job(SMALL._replace(learning_rate=1e28, steps=50), SOURCE)
    desk.start(one)
    ended(one)
    assert one.state == "diverged"


def test_a_run_that_fails_takes_nobody_with_it(desk, caplog):
    def broken(rng, n_rows, length):
        raise RuntimeError("no rows")

    one, other = Job(SMALL, SOURCE._replace(draw=broken)), job()
    desk.start(one)
    desk.start(other)
    ended(one, other)
    assert (one.state, other.state) == ("failed", "done")
    assert "a training run failed" in caplog.text


def test_a_run_that_nobody_sees_ends(monkeypatch):
    monkeypatch.setattr(desk_module, "ALONE", 0.2)
    desk = Desk(1)
    one, waiting, paused = job(steps=10**6), job(), job()
    for run in (one, waiting, paused):
        desk.start(run)
    desk.pause(paused)
    ended(one, waiting)
    assert (one.state, waiting.state) == ("left", "left")
    desk.start(job())
    assert paused.state == "left"
    wait_for(lambda: desk.n_threads == 0)


def test_a_run_goes_on_while_its_owner_is_there(monkeypatch):
    monkeypatch.setattr(desk_module, "ALONE", 0.05)
    desk = Desk(1, present={"ada"}.__contains__)
    one = job(steps=600, owner="ada")
    desk.start(one)
    ended(one)
    assert one.state == "done"


def test_whoever_knows_the_token_of_a_run_left_alone_takes_it_over_and_nobody_else():
    here = {"ada", "eve"}
    desk = Desk(1, present=here.__contains__)
    one = job(owner="ada")
    desk.start(one)
    ended(one)
    assert desk.found(one.token, "eve") is None  # ada is still there
    assert desk.found("another", "eve") is None
    assert desk.found(one.token, "ada") is one
    here.remove("ada")
    assert desk.found(one.token, "eve") is one
    assert one.owner == "eve"
    here.add("ada")
    assert desk.found(one.token, "ada") is None
    assert len({job().token for _ in range(100)}) == 100


def test_runs_that_ended_are_forgotten_when_they_take_too_much_room(monkeypatch):
    desk = Desk(1)
    jobs = [job(seed) for seed in range(4)]
    for one in jobs:
        desk.start(one)
        ended(one)
    jobs[0].seen += 40  # it was looked at last
    monkeypatch.setattr(desk_module, "MOST_KEPT", 2 * jobs[0].size)
    desk.clear_up()
    assert set(desk.jobs.values()) == {jobs[0], jobs[3]}


def test_two_hundred_runs_started_and_left_leave_no_thread_and_no_memory(monkeypatch):
    monkeypatch.setattr(desk_module, "ALONE", 0.02)
    desk = Desk(2)

    def start_and_leave(count):
        for seed in range(count):
            assert desk.start(job(seed, steps=10**6))
            if seed % 20 == 19:
                time.sleep(0.05)
        wait_for(lambda: desk.n_threads == 0)

    start_and_leave(20)
    gc.collect()
    tracemalloc.start()
    try:
        start_and_leave(200)
        gc.collect()
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    desk.clear_up()
    assert threads() == []
    assert desk.jobs == {}
    assert not desk.line
    assert left < 2 << 20


def test_the_desk_learns_how_fast_the_server_is(desk):
    one = job()
    one.expected = 1e-3
    desk.start(one)
    ended(one)
    wait_for(lambda: desk.n_threads == 0)
    assert desk.pace == pytest.approx((1 + one.worked / 1e-3) / 2)
