"""train: which models are let go of when memory is needed."""

import gc

from pages.tiny_lm.train import memory
from pages.tiny_lm.train.live import own_of
from pages.tiny_lm.train.memory import bytes_of
from tests.app.tiny_lm.runs import ended_run, timed, without_threads, work


def test_models_go_when_they_take_too_much_memory_those_of_closed_tabs_first_then_the_largest(clock, monkeypatch):
    here = {"ada", "ben", "eve", "sue"}
    scheduler = without_threads(clock, here.__contains__)
    runs = {
        name: ended_run(scheduler, clock, name, d_model=16 if name == "eve" else 8) for name in ("ada", "ben", "eve")
    }
    own = own_of(runs["ada"])
    own.owner = "ada"
    scheduler.hold(own)
    here.remove("ben")
    small, large = bytes_of([runs["ada"]]), bytes_of([runs["eve"]])
    assert bytes_of([runs["ada"], own]) == small  # they hold the same

    monkeypatch.setattr(memory, "MOST_KEPT", small + large + small)
    last = ended_run(scheduler, clock, "sue")
    assert [name for name, run in runs.items() if not run.moments] == ["ben"]

    monkeypatch.setattr(memory, "MOST_KEPT", small + large)
    scheduler.hold(own)
    assert [name for name, run in runs.items() if not run.moments] == ["ben", "eve"]
    monkeypatch.setattr(memory, "MOST_KEPT", small)
    scheduler.hold(own)
    assert (runs["ada"].moments, own.models, runs["ada"].latest) == ([], (), None)  # as large, and longer there
    assert last.moments


def test_what_sessions_have_let_go_of_no_longer_counts(clock):
    scheduler = without_threads(clock)
    one = ended_run(scheduler, clock, "ada")
    assert (list(scheduler.jobs.values()), list(scheduler.holders)) == ([one], [one])
    del one
    gc.collect()
    assert (list(scheduler.jobs), list(scheduler.holders)) == ([], [])


def test_a_paused_run_is_ended_when_the_memory_is_needed(clock, monkeypatch):
    scheduler = without_threads(clock)
    one = timed(clock, "ada", each_step=lambda: scheduler.pause(one))
    scheduler.start(one)
    work(scheduler)
    assert (one.state, one.step) == ("paused", 1)
    monkeypatch.setattr(memory, "MOST_KEPT", bytes_of([one]) - 1)
    ended_run(scheduler, clock, "eve")
    assert (one.state, one.arrays()) == ("stopped", [])
    scheduler.resume(one)
    assert not scheduler.queue
