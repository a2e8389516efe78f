"""How often one student may run code."""

from pages.exercises.runner.rate_limit import Pace


def test_a_moment_lies_between_two_runs():
    pace = Pace()
    assert pace.wait(0.0) == 0
    pace = pace.after("passed", 5.0)
    assert (pace.wait(5.0), pace.wait(5.5), pace.wait(7.0)) == (1.0, 0.5, 0.0)


def test_three_endless_loops_in_a_row_bring_a_pause_and_then_all_is_forgotten():
    pace = Pace()
    for status in ("timeout", "timeout", "failed", "timeout", "timeout"):
        pace = pace.after(status, 0.0)
        assert pace.wait(0.0) == 1.0
    pace = pace.after("timeout", 0.0)
    assert pace.wait(0.0) == 10.0
    assert pace.after("timeout", 10.0).wait(10.0) == 1.0
