"""A student's progress with the exercises, kept for this visit alone."""

import threading
from dataclasses import dataclass, field

import streamlit as st

from pages.exercises.catalogue import EXERCISES, POINTS
from pages.exercises.continuation import Written
from pages.exercises.exercise import Exercise
from pages.exercises.grading.report import NO_VERDICT, Report
from pages.exercises.sandbox.source_limits import MAX_CHARS
from pages.exercises.tasks import TASK_POINTS

HINT, SOLUTION = 0.1, 0.8  # the fractions of the points that they cost
TRIES = 3  # after this number of runs the solution is offered


@dataclass
class Work:
    text: str
    version: int = 0  # counts the texts that the page gave to the editor
    hints: list[int] = field(default_factory=list)  # in the order in which they were asked for
    solution: bool = False
    tries: int = 0
    report: Report | None = None
    ran: str = ""  # the text that the report is about
    asked: float = 0.0  # when the editor last asked for a run
    wrote: Written | None = None  # what a model wrote with it
    wanted: str | None = None  # the text that is to run
    running: threading.Lock = field(default_factory=threading.Lock)  # held while a text runs


@dataclass
class Ordering:
    """A student's work on lines that are to be put in order."""

    order: list[int]
    judged: list[int] = field(default_factory=list)  # the order that was judged last
    checks: int = 0


def works() -> dict[str, Work]:
    """Return the work on each exercise; after a reload, with the texts that the browser kept."""
    known: dict[str, Work] = st.session_state.setdefault("exercises", {})
    kept = st.session_state.pop("recalled_programs", {})
    texts = {name: text for name in EXERCISES if isinstance(text := kept.get(f"attention-exercise-{name}"), str)}
    known |= {name: Work(text[: MAX_CHARS + 1]) for name, text in texts.items() if name not in known}
    return known


def work_on(exercise: Exercise) -> Work:
    """Return the work on an exercise; it begins with the starter."""
    return works().setdefault(exercise.id, Work(exercise.starter))


def next_hint(exercise: Exercise, work: Work) -> int | None:
    """Return the next hint: the first that helps with what the last run did wrong, else the first of those left."""
    left = [i for i in range(len(exercise.hints)) if i not in work.hints]
    mistakes = work.report.mistakes if work.report else ()
    fitting = [i for one in mistakes for i in left if any(map(one.startswith, exercise.about[i].split()))]
    return next(iter(fitting + left), None)


def solved() -> dict[str, int]:
    """Return the points earned for each exercise that passed; after a reload, those that the browser kept."""
    state = st.session_state
    if "exercises_solved" not in state:
        kept = state.pop("recalled_solved", {})
        state["exercises_solved"] = {
            name: points for name, points in kept.items() if type(points) is int and 1 <= points <= POINTS.get(name, 0)
        }
    return state["exercises_solved"]


def earned(full: int, hints: int, solution: bool) -> int:
    """Return the points for an exercise: each hint costs 10 %, the solution leaves 20 %; never less than 1."""
    left = 1 - (SOLUTION if solution else HINT * hints)
    return max(1, int(full * left + 1e-9))


def note_task(name: str, first: bool) -> None:
    """Store that a task was done; at the first attempt it gives all its points."""
    if name not in solved():
        solved()[name] = TASK_POINTS if first else 1


def note(exercise: Exercise, work: Work, text: str, report: Report, done: dict[str, int]) -> None:
    """Store a run and, at the first success, the points in `done`.

    Nothing here asks Streamlit: if a student typed on meanwhile, it would end this run of the page.
    """
    work.report, work.ran = report, text
    if report.status not in NO_VERDICT:
        work.tries += 1
    if report.status == "passed" and exercise.id not in done:
        done[exercise.id] = earned(exercise.points, len(work.hints), work.solution)
