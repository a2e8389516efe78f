"""The training desk: whose turn it is, what turns and pauses leave alone, and what is let go of."""

import gc
import logging
import threading
import time
import tracemalloc
import weakref
from dataclasses import replace

import numpy as np
import pytest

from attention_core.shipped.models import PRONOUN
from attention_core.shipped.runs import start_training
from attention_core.text.corpora import source_of
from pages.tiny_lm import desk as desk_module
from pages.tiny_lm import training as page_module
from pages.tiny_lm.desk import LONGEST_QUEUE, Desk, bytes_of, size_class
from pages.tiny_lm.job import ENDED, Job

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
    alone = start_training(one.plan, SOURCE)
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
    assert bytes_of([one]) == 5 * one.moments[0].model.flat.nbytes


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
    alone = start_training(one.plan, SOURCE)
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


def test_the_queue_has_an_end(desk):
    jobs = [job(steps=100_000)] + [job(steps=5) for _ in range(LONGEST_QUEUE)]
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
    assert not list(desk.jobs)
    assert not desk.queue
    assert left < 2 << 20


def test_the_desk_learns_how_fast_the_server_is(desk):
    one = job()
    one.expected = 1e-3
    desk.start(one)
    ended(one)
    wait_for(lambda: desk.n_threads == 0)
    assert desk.pace == pytest.approx((1 + one.worked / 1e-3) / 2)


class Clock:
    """A clock that goes on when it is told to."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


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
    return Desk(0, here, clock)


def work(desk):
    """Give every run its turns in this thread, until none waits."""
    assert desk.claim_place()
    desk.serve()


def test_a_run_gives_up_its_place_after_a_turn_while_others_wait_and_keeps_it_alone(clock):
    desk, log = without_threads(clock), []
    one, other = timed(clock, "a", log), timed(clock, "b", log)
    other.plan = other.plan._replace(steps=4)
    desk.start(one)
    desk.start(other)
    work(desk)
    turn = int(desk_module.TURN)
    assert log == ["a"] * turn + ["b"] * turn + ["a"] * turn + ["b"] * (4 - turn) + ["a"] * (8 - 2 * turn)
    assert (one.state, other.state) == ("done", "done")


@pytest.mark.parametrize("config", [{}, {"positions": "learned", "n_layers": 2}, {"dropout": 0.1, "norm": "post"}])
def test_turns_change_no_number(clock, monkeypatch, config):
    monkeypatch.setattr(desk_module, "TURN", 1.0)
    desk, log = without_threads(clock), []
    one, other, alone = (timed(clock, name, log, **config) for name in "abc")
    desk.start(one)
    desk.start(other)
    work(desk)
    assert log == ["a", "b"] * 8
    desk.start(alone)
    work(desk)
    for run in (one, other):
        assert run.records == alone.records
        assert [moment.step for moment in run.moments] == [moment.step for moment in alone.moments]
        for moment, same in zip(run.moments, alone.moments, strict=True):
            np.testing.assert_array_equal(moment.model.flat, same.model.flat)


def test_between_two_turns_a_run_holds_its_model_and_its_optimizer_and_no_gradients(clock):
    desk = without_threads(clock)
    held = []

    def look():
        held.append([waiting.trainer for waiting in desk.queue if waiting.step])

    one, other = timed(clock, "a", each_step=look), timed(clock, "b", each_step=look)
    desk.start(one)
    desk.start(other)
    work(desk)
    assert [None] in held
    assert all(trainer is None for trainers in held for trainer in trainers)


def test_a_new_run_begins_at_once_however_many_take_turns(clock):
    desk, log = without_threads(clock), []
    new, turn = timed(clock, "new", log), int(desk_module.TURN)

    def come():
        if len(set(log)) == 62 and new not in desk.queue and not new.step:
            log.append("here")
            desk.start(new)

    for number in range(62):
        desk.start(timed(clock, str(number), log, come))
    work(desk)
    after = log[log.index("here") + 1 :]
    assert after.index("new") <= 2 * turn
    assert after[after.index("new") :][:turn] == ["new"] * turn
    assert new.state == "done"


def test_turns_are_short_while_many_wait_to_begin(clock):
    desk = without_threads(clock)
    found = [desk.turn()]
    for number in range(50):
        desk.start(timed(clock, str(number)))
        found.append(desk.turn())
    assert found[0] == np.inf
    assert found[1] == desk_module.TURN > found[10] == desk_module.ALL_BEGUN / 10 > found[50] == desk_module.SHORT_TURN
    for one in desk.queue:
        one.run = True  # they have begun
    assert desk.turn() == desk_module.TURN


def test_new_runs_do_not_keep_others_from_their_turns(clock):
    desk, log = without_threads(clock), []

    def another():
        if len(log) < 40:
            desk.start(timed(clock, f"new {len(log)}", log, another))

    desk.start(timed(clock, "old", log, another))
    work(desk)
    assert log[:40].count("old") == 8


def test_one_tab_has_one_run(clock):
    desk = without_threads(clock)
    runs = [timed(clock, "ada") for _ in range(9)]
    other = timed(clock, "eve")
    desk.start(other)
    for run in runs:
        assert desk.start(run)
    assert list(desk.queue) == [other, runs[-1]]
    assert {run.state for run in runs[:-1]} == {"stopped"}
    work(desk)
    assert (runs[-1].state, other.state) == ("done", "done")


def test_a_run_that_is_worked_on_ends_when_its_tab_starts_another(clock):
    desk = without_threads(clock)
    second = timed(clock, "ada")
    first = timed(clock, "ada", each_step=lambda: desk.start(second) if first.step == 2 else None)
    desk.start(first)
    work(desk)
    assert (first.state, first.step, first.moments[-1].step) == ("stopped", 3, 3)
    assert second.state == "done"


def end_of(clock, state):
    """Return a run that has ended in a state, and weak references to what only its steps needed."""
    here, seen = {"ada"}, []
    desk = without_threads(clock, here.__contains__)

    def now():
        if not seen:
            seen.extend(map(weakref.ref, (one.run.model, one.run.optimizer, one.trainer)))
        if one.step == 3:
            if state == "failed":
                raise RuntimeError("no rows")
            if state == "stopped":
                desk.stop(one)
            if state == "left":
                here.clear()
                clock.now += desk_module.ALONE + 1
            if state == "diverged":
                one.run.model.flat[:] = np.nan

    one = timed(clock, "ada", each_step=now)
    desk.start(one)
    work(desk)
    return one, seen


@pytest.mark.parametrize("state", ENDED)
def test_a_run_that_has_ended_lets_go_of_its_trainer(clock, state, monkeypatch):
    monkeypatch.setattr(logging.getLogger(desk_module.__name__), "disabled", True)  # a kept record holds the frames
    one, seen = end_of(clock, state)
    gc.collect()
    assert one.state == state
    assert (one.run, one.steps, one.trainer) == (None, None, None)
    assert len(seen) == 3
    assert [thing() for thing in seen] == [None, None, None]
    assert sum(array.nbytes for array in one.arrays()) <= 6 * one.moments[0].model.flat.nbytes


def test_only_the_desk_says_how_a_run_stands(clock):
    one = timed(clock)
    assert one.work(lambda: one.step < 4) is None
    assert one.work(lambda: True) == "done"
    assert (one.state, one.step) == ("waiting", 8)


def ended_run(desk, clock, owner, **sizes):
    one = timed(clock, owner, **sizes)
    desk.start(one)
    work(desk)
    return one


def own_of(one):
    return page_module.own_of(one, one.moments)


def test_models_go_when_they_take_too_much_memory_those_of_closed_tabs_first_then_the_largest(clock, monkeypatch):
    here = {"ada", "ben", "eve", "sue"}
    desk = without_threads(clock, here.__contains__)
    runs = {name: ended_run(desk, clock, name, d_model=16 if name == "eve" else 8) for name in ("ada", "ben", "eve")}
    own = own_of(runs["ada"])
    own.owner = "ada"
    desk.hold(own)
    here.remove("ben")
    small, large = bytes_of([runs["ada"]]), bytes_of([runs["eve"]])
    assert bytes_of([runs["ada"], own]) == small  # they hold the same

    monkeypatch.setattr(desk_module, "MOST_KEPT", small + large + small)
    last = ended_run(desk, clock, "sue")
    assert [name for name, run in runs.items() if not run.moments] == ["ben"]

    monkeypatch.setattr(desk_module, "MOST_KEPT", small + large)
    desk.hold(own)
    assert [name for name, run in runs.items() if not run.moments] == ["ben", "eve"]
    monkeypatch.setattr(desk_module, "MOST_KEPT", small)
    desk.hold(own)
    assert (runs["ada"].moments, own.models, runs["ada"].latest) == ([], (), None)  # as large, and longer there
    assert last.moments


def test_what_sessions_have_let_go_of_no_longer_counts(clock):
    desk = without_threads(clock)
    one = ended_run(desk, clock, "ada")
    assert (list(desk.jobs.values()), list(desk.holders)) == ([one], [one])
    del one
    gc.collect()
    assert (list(desk.jobs), list(desk.holders)) == ([], [])


def test_a_paused_run_is_ended_when_the_memory_is_needed(clock, monkeypatch):
    desk = without_threads(clock)
    one = timed(clock, "ada", each_step=lambda: desk.pause(one))
    desk.start(one)
    work(desk)
    assert (one.state, one.step) == ("paused", 1)
    monkeypatch.setattr(desk_module, "MOST_KEPT", bytes_of([one]) - 1)
    ended_run(desk, clock, "eve")
    assert (one.state, one.arrays()) == ("stopped", [])
    desk.resume(one)
    assert not desk.queue


def test_large_runs_wait_for_memory_and_small_ones_do_not(clock, monkeypatch):
    desk, log = without_threads(clock), []
    large = [timed(clock, name, log, d_model=72) for name in "ABC"]
    assert size_class(large[0]) > size_class(timed(clock))
    monkeypatch.setattr(desk_module, "ROOM", 2 * large[0].needs)
    for run in large:
        desk.start(run)
    small = timed(clock, "small", log)
    desk.start(small)
    assert [desk.lacks_room(run) for run in (*large, small)] == [False, False, True, False]
    assert [desk.place(run) for run in (*large, small)] == [0, 1, 3, 2]
    work(desk)
    assert {run.state for run in (*large, small)} == {"done"}
    first_end = min(len(log) - 1 - log[::-1].index(name) for name in "AB")
    assert log.index("small") < first_end < log.index("C")


def test_a_paused_run_does_not_keep_another_from_beginning(clock, monkeypatch):
    desk = without_threads(clock)
    one, other = timed(clock, "a", each_step=lambda: desk.pause(one)), timed(clock, "b")
    monkeypatch.setattr(desk_module, "ROOM", one.needs)
    desk.start(one)
    desk.start(other)
    assert desk.lacks_room(other)
    work(desk)
    assert (one.state, other.state) == ("paused", "done")


def test_what_a_run_holds_is_no_more_than_it_was_given_room_for(clock):
    desk, most = without_threads(clock), []
    one = timed(clock, "a", each_step=lambda: most.append(bytes_of([one])))
    desk.start(one)
    work(desk)
    assert one.needs / 2 < max(most) <= one.needs
