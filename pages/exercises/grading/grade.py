"""From what came back to what the student is told."""

import signal
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from attention_core.arrays import Array
from pages.exercises.exercise import Case, Exercise
from pages.exercises.faults.sentences import MISTAKES
from pages.exercises.grading.compare import compare, expected, nested, part_to_grade
from pages.exercises.grading.diagnose import Played, diagnose
from pages.exercises.grading.exceptions import explain
from pages.exercises.grading.report import Nested, Report, Shown, Status, TestOutcome
from pages.exercises.runner import protocol
from pages.exercises.runner.slots import Answer
from pages.exercises.sandbox import lockdown

HAS_CLOCKS = hasattr(signal, "setitimer")  # else a run has no limit but the server's patience
OUT_OF_TIME = {-signal.SIGXCPU, -signal.SIGPROF} if HAS_CLOCKS else set()
STARVED = -signal.SIGALRM if HAS_CLOCKS else None

LOOPING = "Your code was still running after half a second of computing{}. Does one of its loops never end?"
STALLED = "This server is too busy to finish your run. Your text is safe, so press Run again in a few seconds."
MEMORY_LIMIT = f"{lockdown.EXTRA_MEMORY >> 20} MB"
MEMORY = f"{{}} for more memory than a run may use ({MEMORY_LIMIT}). Is one of the shapes far larger than you meant?"
CRASHED = "Python stopped while it ran your code. Other students are not affected."


class Tale(NamedTuple):
    """A run as its messages tell it."""

    values: list[protocol.Value]
    last: dict[str, Any]  # the message with which it ended; {"event": "end"} if it never came to that
    other: dict[str, Any] | None  # an error before any test, or the names of functions where the right one is missing


def tell(answer: Answer) -> Tale:
    """Return what the messages say, or raise Odd."""
    values: list[protocol.Value] = []
    other = None
    for message in protocol.messages(answer.data):
        event = message["event"]
        if event == "value":
            values.append(protocol.value(message.get("value")))
        elif event == "raised":
            values.append(protocol.raised(message))
        elif event in ("error", "missing"):
            other = message
        elif event in ("done", "timeout", "memory", "refused"):
            return Tale(values, message, other)
        elif event != "start":
            raise protocol.Odd
    return Tale(values, {"event": "end"}, other)


def report(exercise: Exercise, cases: tuple[Case, ...], answer: Answer, own: Case | None = None) -> Report:
    """Return the report of a run; whatever no honest run sends is a crash.

    The student's own inputs come after the tests, and then the tests once more, where an exercise repeats them.
    """
    try:
        tale = tell(answer)
        every = cases if own is None else (*cases, own)
        found = build_report(exercise, every, answer, tale)
        if own is None or len(tale.values) < len(every):
            return found
        return replace(found, own=show(played_case(exercise, own, tale.values[len(cases)])))
    except protocol.Odd:
        return Report("crashed", CRASHED)


def build_report(exercise: Exercise, cases: tuple[Case, ...], answer: Answer, tale: Tale) -> Report:
    """Return the report of a run whose messages could be read; raise Odd where they make no sense."""
    if len(tale.values) > len(cases) + exercise.repeats:
        raise protocol.Odd
    played = [played_case(exercise, case, value) for case, value in zip(cases, tale.values, strict=False)]
    tests = tuple(compare(exercise, test.case, test.value, test.want) for test in played)
    event = tale.last["event"]
    prints = protocol.words(tale.last.get("prints", ""), protocol.MAX_PRINTS)
    warned = protocol.warnings(tale.last.get("warnings", []))
    line = protocol.line(tale.last.get("line", 0))
    shown = choose_shown(exercise, played, tests)
    seen: dict[str, Any] = {"tests": tests, "prints": prints, "warnings": warned, "shown": shown}
    if event == "end":
        return Report(*explain_end(answer), **seen)
    if event == "refused":
        return Report("refused", protocol.words(tale.last.get("message")), line)
    if event == "timeout":
        at = f" (it was on line {line})" if line else ""
        return Report("timeout", LOOPING.format(at), line, **seen)
    if event == "memory":
        return Report("memory", MEMORY.format(f"Line {line} asks" if line else "Your code asks"), line, **seen)
    if tale.other is not None:
        return Report(*explain_error(exercise, tale.other), **seen)
    if len(tests) < len(cases):
        raise protocol.Odd
    again = zip(cases, tale.values[len(cases) :], strict=False)
    return report_of_tests(exercise, played, [played_case(exercise, case, value) for case, value in again], seen)


def played_case(exercise: Exercise, case: Case, value: protocol.Value) -> Played:
    """Return one test with what came back and what was expected."""
    want = expected(exercise, case)
    first, second = part_to_grade(exercise, value, want)
    return Played(case, first, second, want)


def report_of_tests(exercise: Exercise, played: list[Played], repeated: list[Played], seen: dict[str, Any]) -> Report:
    """Return the report of a run that came through all its tests."""
    tests = seen["tests"]
    failed = [test for test in tests if not test.ok]
    if not failed:
        return Report("passed", f"All {len(tests)} tests pass.", **seen)
    mistakes = diagnose(exercise, played, repeated)
    raised = next((test.value for test in played if isinstance(test.value, protocol.Raised)), None)
    line = raised.line if raised else 0
    unknown = f"{failed[0].name.capitalize()}: {failed[0].problem}"
    message = MISTAKES[mistakes[0]] if mistakes else about_exception(raised) or unknown
    return Report("failed", message, line, mistakes=mistakes, **seen)


def about_exception(raised: protocol.Raised | None) -> str:
    """Return what an exception means, with the line, or nothing."""
    told = explain(raised) if raised else ""
    return f"Line {raised.line}: {told[0].lower()}{told[1:]}" if raised and told and raised.line else told


def explain_error(exercise: Exercise, message: dict[str, Any]) -> tuple[Status, str, int]:
    """Return the status, the message and the line of a run that came to no test."""
    if message["event"] == "error":
        raised = protocol.raised(message)
        at = f" on line {raised.line}" if raised.line else ""
        words = f"{raised.type}{at}: {raised.words}" if raised.words else f"{raised.type}{at}."
        told = explain(raised)
        return "error", f"{words}. {told}" if told else words, raised.line
    defined = protocol.names(message.get("defined"))
    others = f" You defined: {', '.join(defined)}." if defined else ""
    return "error", f"Define a function called `{exercise.entry}`.{others}", 0


def explain_end(answer: Answer) -> tuple[Status, str]:
    """Return the status and the message of a run that was ended from outside."""
    if answer.code in OUT_OF_TIME or (answer.late and not HAS_CLOCKS):
        return "timeout", LOOPING.format("")
    if answer.late or answer.code == STARVED:  # computing alone would have ended long before
        return "stalled", STALLED
    if answer.code == lockdown.OUT_OF_MEMORY:
        return "memory", MEMORY.format("Your code asks")
    return "crashed", CRASHED


def choose_shown(exercise: Exercise, played: list[Played], tests: tuple[TestOutcome, ...]) -> Shown | None:
    """Return the test to draw: the first that failed, with its inputs, else the first of all."""
    if not played:
        return None
    failed = [test for test, outcome in zip(played, tests, strict=True) if not outcome.ok]
    if not failed:
        return show(played[0])
    return replace(show(failed[0]), inputs=inputs(exercise, failed[0].case))


def show(test: Played) -> Shown:
    """Return what a test gave and should have given, to be drawn."""
    name, rows, columns, axes, told = (
        getattr(test.case, field) for field in ("name", "rows", "columns", "axes", "told")
    )
    return Shown(name, cells(test.value), cells(test.want), cells(test.second), rows, columns, axes, told)


def inputs(exercise: Exercise, case: Case) -> str:
    """Return the call of a test as a program, so that it can be tried elsewhere."""
    names = exercise.signature.partition("(")[2].rstrip(")").split(", ")
    lines = [f"{name} = {written(given)}" for name, given in zip(names, case.arguments, strict=True)]
    return "\n".join([*lines, f"print({exercise.signature})"])


def written(given: object) -> str:
    """Return an argument as Python writes it."""
    if not isinstance(given, np.ndarray):
        return repr(given)
    rows = np.array2string(given, separator=", ", max_line_width=110, threshold=10**6, floatmode="unique")
    return "np.array(" + rows.replace("\n", "\n" + " " * 9) + ")"


def cells(value: protocol.Value | Array | None) -> Nested | None:
    """Return an array as nested tuples, and None for all else, also without a cell; a single number as a row of one."""
    if not isinstance(value, np.ndarray) or not value.size:
        return None
    found = nested(value)
    return found if isinstance(found, tuple) else (found,)
