"""The report of a run: plain values alone, so that it can be kept and compared."""

from dataclasses import dataclass
from typing import Any, Literal

Status = Literal[
    "passed", "failed", "refused", "error", "timeout", "memory", "crashed", "stalled", "busy", "unavailable"
]
NO_VERDICT = ("stalled", "busy", "unavailable")  # these say nothing of the program
Scalar = bool | int | float | str
Nested = tuple[Any, ...]  # of the cells of an array


@dataclass(frozen=True)
class TestOutcome:
    """One test, and where the numbers differ."""

    __test__ = False  # pytest takes it for a test by its name

    name: str
    ok: bool
    problem: str = ""
    first: tuple[tuple[int, ...], Scalar, Scalar] | None = None  # (index, got, expected) of the first that differs
    row_sums: tuple[Scalar, ...] | None = None  # only where rows must sum to 1 and do not


@dataclass(frozen=True)
class Shown:
    """The outputs of one test as nested tuples, to be drawn: the first that failed, else the first of all."""

    name: str
    got: Nested | None
    want: Nested | None
    weights: Nested | None = None  # where the student's function returned them too
    rows: tuple[str, ...] = ()  # the words beside its rows and over its columns
    columns: tuple[str, ...] = ()
    axes: tuple[str, str, str] | tuple[()] = ()  # what rows, columns and numbers are, where they are no attention
    told: str = ""  # what they are, as a sentence
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
