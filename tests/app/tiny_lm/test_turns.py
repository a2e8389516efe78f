"""train: whose turn it is."""

import numpy as np

from pages.tiny_lm.train import turns
from pages.tiny_lm.train.turns import size_class
from tests.app.tiny_lm.runs import timed, without_threads, work


def test_a_run_gives_up_its_place_after_a_turn_while_others_wait_and_keeps_it_alone(clock):
    scheduler, log = without_threads(clock), []
    one, other = timed(clock, "a", log), timed(clock, "b", log)
    other.plan = other.plan._replace(steps=4)
    scheduler.start(one)
    scheduler.start(other)
    work(scheduler)
    turn = int(turns.TURN)
    assert log == ["a"] * turn + ["b"] * turn + ["a"] * turn + ["b"] * (4 - turn) + ["a"] * (8 - 2 * turn)
    assert (one.state, other.state) == ("done", "done")


def test_a_new_run_begins_at_once_however_many_take_turns(clock):
    scheduler, log = without_threads(clock), []
    new, turn = timed(clock, "new", log), int(turns.TURN)

    def come():
        if len(set(log)) == 20 and new not in scheduler.queue and not new.step:
            log.append("here")
            scheduler.start(new)

    for number in range(20):
        scheduler.start(timed(clock, str(number), log, come))
    work(scheduler)
    after = log[log.index("here") + 1 :]
    assert after.index("new") <= 2 * turn
    assert after[after.index("new") :][:turn] == ["new"] * turn
    assert new.state == "done"


def test_turns_are_shorter_the_more_runs_wait(clock):
    scheduler = without_threads(clock)
    first, later = [scheduler.turn(True)], [scheduler.turn(False)]
    for number in range(70):
        scheduler.start(timed(clock, str(number)))
        first.append(scheduler.turn(True))
        later.append(scheduler.turn(False))
    assert first[0] == later[0] == np.inf
    assert first[1] == later[1] == turns.TURN
    assert first[8] == turns.BEGINNING / 8
    assert later[20] == turns.ROUND / 20
    assert first[70] == later[70] == turns.SHORT_TURN
    for one in scheduler.queue:
        one.run = True  # they have begun, and do not hurry one that has not
    assert scheduler.turn(True) == turns.TURN


def test_new_runs_do_not_keep_others_from_their_turns(clock):
    scheduler, log = without_threads(clock), []

    def another():
        if len(log) < 40:
            scheduler.start(timed(clock, f"new {len(log)}", log, another))

    scheduler.start(timed(clock, "old", log, another))
    work(scheduler)
    assert log[:40].count("old") == 8


def test_large_runs_wait_for_memory_and_small_ones_do_not(clock, monkeypatch):
    scheduler, log = without_threads(clock), []
    large = [timed(clock, name, log, d_model=72) for name in "ABC"]
    assert size_class(large[0]) > size_class(timed(clock))
    monkeypatch.setattr(turns, "ROOM", 2 * large[0].needs)
    for run in large:
        scheduler.start(run)
    small = timed(clock, "small", log)
    scheduler.start(small)
    assert [scheduler.lacks_room(run) for run in (*large, small)] == [False, False, True, False]
    assert [scheduler.place(run) for run in (*large, small)] == [0, 1, 3, 2]
    work(scheduler)
    assert {run.state for run in (*large, small)} == {"done"}
    first_end = min(len(log) - 1 - log[::-1].index(name) for name in "AB")
    assert log.index("small") < first_end < log.index("C")


def test_a_paused_run_does_not_keep_another_from_beginning(clock, monkeypatch):
    scheduler = without_threads(clock)
    one, other = timed(clock, "a", each_step=lambda: scheduler.pause(one)), timed(clock, "b")
    monkeypatch.setattr(turns, "ROOM", one.needs)
    scheduler.start(one)
    scheduler.start(other)
    assert scheduler.lacks_room(other)
    work(scheduler)
    assert (one.state, other.state) == ("paused", "done")
