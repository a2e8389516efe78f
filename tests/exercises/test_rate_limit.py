"""How often one student may run code."""

from types import SimpleNamespace

import pytest

from pages.practice import rate_limit
from pages.practice.rate_limit import RateLimit


@pytest.fixture
def now(monkeypatch):
    clock = [5.0]
    monkeypatch.setattr(rate_limit, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    return clock


def test_a_moment_lies_between_two_runs(now):
    turn = RateLimit()
    assert turn.waiting() == 0
    turn.over("passed")
    for now[0], left in ((5.0, 1.0), (5.5, 0.5), (7.0, 0.0)):
        assert turn.waiting() == left
        assert not turn.paused()


def test_three_endless_loops_in_a_row_bring_a_pause_and_then_all_is_forgotten(now):
    turn = RateLimit()
    for status in ("timeout", "timeout", "failed", "timeout", "timeout"):
        turn.over(status)
        assert turn.waiting() == 1.0
    turn.over("timeout")
    assert turn.waiting() == 10.0
    assert turn.paused()
    for waits in (1.0, 1.0, 10.0):
        turn.over("timeout")
        assert turn.waiting() == waits


def test_an_address_begins_many_programs_at_once_and_then_ten_a_second(now, monkeypatch):
    monkeypatch.setattr(rate_limit, "TURNS", {})
    waits = [rate_limit.turn_of("school") - now[0] for _ in range(200)]
    assert max(waits[:30]) <= 1e-9
    assert waits[30:40] == pytest.approx([0.1 * i for i in range(1, 11)])
    assert waits[-1] == 10
    assert rate_limit.turn_of("home") < now[0]
    now[0] += 20
    assert rate_limit.turn_of("school") < now[0]
    assert [*rate_limit.TURNS] == ["school"]


@pytest.mark.parametrize(
    ("status", "endless"), [("passed", False), ("busy", False), ("timeout", True), ("stalled", True)]
)
def test_the_runs_of_a_visit_in_which_one_did_not_end_are_kept_apart(status, endless, now):
    turn = RateLimit()
    for one in (status, "passed"):
        turn.over(one)
    assert turn.endless is endless
