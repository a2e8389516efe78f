"""How far a student has come with the exercises, kept for this visit alone."""

import time
from dataclasses import dataclass

import streamlit as st

from pages.exercises.exercise import Exercise
from pages.exercises.pace import Pace
from pages.exercises.points import Solved, earned
from pages.exercises.report import Report

TRIES = 3  # after so many the solution is offered


@dataclass
class Work:
    """What a student did on one exercise."""

    text: str
    version: int = 0  # of the text that the editor was given
    hints: int = 0
    solution: bool = False
    tries: int = 0
    report: Report | None = None
    ran: str = ""  # the text that the report is about


def works() -> dict[str, Work]:
    """Return the work on every exercise that was begun."""
    return st.session_state.setdefault("exercises", {})


def work_on(exercise: Exercise) -> Work:
    """Return the work on an exercise; it begins with the starter."""
    return works().setdefault(exercise.id, Work(exercise.starter))


def solved() -> dict[str, Solved]:
    """Return the exercises that passed, with the points they brought."""
    return st.session_state.setdefault("exercises_solved", {})


def note(exercise: Exercise, work: Work, text: str, report: Report) -> None:
    """Keep what came of a run; points stay as they were at the first success, unless they grew."""
    work.report, work.ran = report, text
    if report.status not in ("busy", "unavailable"):
        work.tries += 1
    ran(report)
    if report.status == "passed" and exercise.id not in solved():
        points = earned(exercise.points, work.hints, work.solution)
        solved()[exercise.id] = Solved(exercise.id, points, report.seed)


def ran(report: Report) -> None:
    """Note that a run has ended, which decides when the next may begin."""
    st.session_state["exercises_pace"] = pace().after(report.status, time.monotonic())


def pace() -> Pace:
    """Return when this student may run code again."""
    return st.session_state.get("exercises_pace", Pace())


def waiting() -> float:
    """Return how many seconds this student still has to wait before the next run."""
    return pace().wait(time.monotonic())
