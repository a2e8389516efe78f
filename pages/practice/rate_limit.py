"""The rate limit of a student: a moment between two runs, a pause after endless loops in a row; and of an address."""

import time
from dataclasses import dataclass
from functools import partial

import streamlit as st

from pages.exercises.exercise import Case
from pages.exercises.grading.report import Report
from pages.exercises.runner.service import PATIENCE, n_slots
from pages.exercises.submission import BUSY, run
from pages.server.give_way import Line, wait_for
from pages.server.shares import visitor

PROGRAMS, CHECKS = Line(n_slots(), "a program"), Line(what="a check of hand-ins")
ENDLESS = Line(n_slots() // 2, "programs that loop")
BETWEEN, LOOPS, AFTER_LOOPS = 1.0, 3, 10.0  # seconds, time-outs in a row, seconds
APART, CREDIT = 0.1, 3.0  # seconds between programs of an address, and how many of them it may have saved
TURNS: dict[str, float] = {}  # when the last program of an address began, or is to begin


@dataclass
class RateLimit:
    """When a student may run code again, in the time of a monotonic clock."""

    free_at: float = 0.0
    loops: int = 0
    endless: bool = False  # whether a run did not end: from then on its runs wait for each other, and others do not

    def waiting(self) -> float:
        """Return the seconds until the next run is allowed."""
        return max(0.0, self.free_at - time.monotonic())

    def paused(self) -> bool:
        return self.waiting() > BETWEEN

    def run(self, source: str, exercise: str, own: Case | None = None) -> Report:
        """Run a program, after the moment that lies between two runs, and when it is this visitor's turn."""
        wait_for(partial(is_past, max(time.monotonic() + min(self.waiting(), BETWEEN), turn_of(visitor().address))))
        try:
            with (ENDLESS if self.endless else PROGRAMS).turn(partial(give_up, time.monotonic() + PATIENCE)):
                report = run(source, exercise, own=own)
        except TimeoutError:
            report = Report("busy", BUSY)
        self.over(report.status)
        return report

    def over(self, status: str) -> None:
        self.loops = self.loops + 1 if status == "timeout" else 0
        self.endless |= status in ("timeout", "stalled")
        self.free_at = time.monotonic() + (AFTER_LOOPS if self.loops == LOOPS else BETWEEN)
        self.loops %= LOOPS


def turn_of(address: str) -> float:
    """Return when an address may run its next program: a class has some at once, and forty tabs ten a second."""
    now = time.monotonic()
    for each in [each for each, turn in TURNS.items() if turn < now - CREDIT]:
        TURNS.pop(each, None)
    TURNS[address] = min(max(now - CREDIT, TURNS.get(address, 0.0)) + APART, now + PATIENCE)
    return TURNS[address]


def is_past(moment: float, patience: float) -> bool:
    time.sleep(max(0.0, min(patience, moment - time.monotonic())))
    return time.monotonic() >= moment


def give_up(until: float, _: int) -> None:
    if time.monotonic() > until:
        raise TimeoutError


def rate_limit() -> RateLimit:
    return st.session_state.setdefault("exercises_rate_limit", RateLimit())
