"""The report of a run: what a student is told, and the arrays that are drawn."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from attention_core.arrays import Array
from pages.exercises.exercise import Case
from pages.exercises.runner.protocol import Value

Status = Literal[
    "passed", "failed", "refused", "error", "timeout", "memory", "crashed", "stalled", "busy", "unavailable"
]
NO_VERDICT = ("stalled", "busy", "unavailable")  # these say nothing of the program


class Outcome(NamedTuple):
    """One test: what came back, what was expected, and what is wrong with it."""

    case: Case
    value: Value
    second: Array | None  # the weights, where they came with the output
    want: Array
    problem: str = ""
    numbers: bool = False  # whether only numbers differ: kind and shape are right


@dataclass(frozen=True, eq=False)
class Report:
    """A run: what became of it, in a sentence and test by test."""

    status: Status
    message: str  # one sentence for the student, plain text
    tests: tuple[Outcome, ...] = ()
    prints: str = ""
    mistakes: tuple[str, ...] = ()  # ids, the simplest explanation first
    warnings: tuple[tuple[int, str], ...] = ()
    own: Outcome | None = None  # of the student's own inputs, where they were given

    @property
    def failed(self) -> Outcome | None:
        return next((test for test in self.tests if test.problem), None)
