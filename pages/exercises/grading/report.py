"""The report of a run: what a student is told, and the arrays that are drawn."""

from dataclasses import dataclass
from typing import Literal

from attention_core.arrays import Array
from pages.exercises.exercise import Case

Status = Literal[
    "passed", "failed", "refused", "error", "timeout", "memory", "crashed", "stalled", "busy", "unavailable"
]
NO_VERDICT = ("stalled", "busy", "unavailable")  # these say nothing of the program


@dataclass(frozen=True)
class TestOutcome:
    """One test, and what is wrong with what came back."""

    __test__ = False  # pytest takes it for a test by its name

    name: str
    ok: bool
    problem: str = ""
    numbers: bool = False  # whether only numbers differ: kind and shape are right


@dataclass(frozen=True, eq=False)
class Shown:
    """The outputs of one test, to be drawn: the first that failed, else the first of all."""

    case: Case
    got: Array | None
    want: Array | None
    weights: Array | None = None  # where the student's function returned them too
    inputs: str = ""  # the call of a test that failed, as a program


@dataclass(frozen=True)
class Report:
    """A run: its outcome, in a sentence and in numbers."""

    status: Status
    message: str  # one sentence for the student, plain text
    line: int = 0  # 0 when unknown
    tests: tuple[TestOutcome, ...] = ()
    prints: str = ""
    mistakes: tuple[str, ...] = ()  # ids, the simplest explanation first
    warnings: tuple[tuple[int, str], ...] = ()
    shown: Shown | None = None
    own: Shown | None = None  # of the student's own inputs, where they were given
