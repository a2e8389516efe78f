"""From what came back to what the student is told."""

import signal
from dataclasses import replace
from typing import Any

from pages.exercises.exercise import Case, Exercise
from pages.exercises.faults.sentences import MISTAKES
from pages.exercises.grading.compare import judge
from pages.exercises.grading.diagnose import diagnose
from pages.exercises.grading.exceptions import explain
from pages.exercises.grading.report import Outcome, Report, Status
from pages.exercises.runner import protocol
from pages.exercises.runner.slots import Output
from pages.exercises.sandbox import lockdown

HAS_CLOCKS = hasattr(signal, "setitimer")  # else a run has no limit but the server's patience
OUT_OF_TIME = {-signal.SIGXCPU, -signal.SIGPROF} if HAS_CLOCKS else set()
STARVED = -signal.SIGALRM if HAS_CLOCKS else None

LOOPING = "Your code was still running after half a second of computing{}. Does one of its loops never end?"
STALLED = "This server is too busy to finish your run. Your text is safe, so press Run again in a few seconds."
MEMORY_LIMIT = f"{lockdown.EXTRA_MEMORY >> 20} MB"
MEMORY = f"{{}} for more memory than a run may use ({MEMORY_LIMIT}). Is one of the shapes far larger than you meant?"
CRASHED = "Python stopped while it ran your code. Other students are not affected."


def report(exercise: Exercise, cases: tuple[Case, ...], answer: Output, own: Case | None = None) -> Report:
    """Return the report of a run; whatever no honest run sends is a crash.

    The student's own inputs come after the tests, and then the tests once more, where an exercise repeats them.
    """
    try:
        every = cases if own is None else (*cases, own)
        found = build_report(exercise, every, answer, protocol.tell(answer.data))
        return replace(found, own=next(iter(found.tests[len(cases) :]), None))
    except protocol.Odd:
        return Report("crashed", CRASHED)


def build_report(exercise: Exercise, cases: tuple[Case, ...], answer: Output, tale: protocol.Tale) -> Report:
    """Return the report of a run whose messages could be read; raise Odd where they make no sense."""
    if len(tale.values) > len(cases) + exercise.repeats:
        raise protocol.Odd
    tests = tuple(judge(exercise, case, value) for case, value in zip(cases, tale.values, strict=False))
    event = tale.last["event"]
    prints = protocol.words(tale.last.get("prints", ""), protocol.MAX_PRINTS)
    warned = protocol.warnings(tale.last.get("warnings", []))
    line = protocol.line(tale.last.get("line", 0))
    seen: dict[str, Any] = {"tests": tests, "prints": prints, "warnings": warned}
    if event == "end":
        return Report(*explain_end(answer), **seen)
    if event == "refused":
        return Report("refused", protocol.words(tale.last.get("message")))
    if event == "timeout":
        at = f" (it was on line {line})" if line else ""
        return Report("timeout", LOOPING.format(at), **seen)
    if event == "memory":
        return Report("memory", MEMORY.format(f"Line {line} asks" if line else "Your code asks"), **seen)
    if tale.other is not None:
        return Report(*explain_error(exercise, tale.other), **seen)
    if len(tests) < len(cases):
        raise protocol.Odd
    again = zip(cases, tale.values[len(cases) :], strict=False)
    return report_of_tests(exercise, tests, [judge(exercise, case, value) for case, value in again], seen)


def report_of_tests(
    exercise: Exercise, tests: tuple[Outcome, ...], repeated: list[Outcome], seen: dict[str, Any]
) -> Report:
    """Return the report of a run that came through all its tests."""
    failed = next((test for test in tests if test.problem), None)
    if failed is None:
        return Report("passed", f"All {len(tests)} tests pass.", **seen)
    mistakes = diagnose(exercise, tests, repeated)
    raised = next((test.value for test in tests if isinstance(test.value, protocol.Raised)), None)
    unknown = f"{failed.case.name.capitalize()}: {failed.problem}"
    message = MISTAKES[mistakes[0]] if mistakes else about_exception(raised) or unknown
    return Report("failed", message, mistakes=mistakes, **seen)


def about_exception(raised: protocol.Raised | None) -> str:
    """Return what an exception means, with the line, or nothing."""
    told = explain(raised) if raised else ""
    return f"Line {raised.line}: {told[0].lower()}{told[1:]}" if raised and told and raised.line else told


def explain_error(exercise: Exercise, message: dict[str, Any]) -> tuple[Status, str]:
    """Return the status and the message of a run that came to no test."""
    if message["event"] == "error":
        raised = protocol.raised(message)
        at = f" on line {raised.line}" if raised.line else ""
        words = f"{raised.type}{at}: {raised.words}" if raised.words else f"{raised.type}{at}."
        told = explain(raised)
        return "error", f"{words}. {told}" if told else words
    defined = protocol.names(message.get("defined"))
    others = f" You defined: {', '.join(defined)}." if defined else ""
    return "error", f"Define a function called `{exercise.entry}`.{others}"


def explain_end(answer: Output) -> tuple[Status, str]:
    """Return the status and the message of a run that was ended from outside."""
    if answer.code in OUT_OF_TIME or (answer.late and not HAS_CLOCKS):
        return "timeout", LOOPING.format("")
    if answer.late or answer.code == STARVED:  # computing alone would have ended long before
        return "stalled", STALLED
    if answer.code == lockdown.OUT_OF_MEMORY:
        return "memory", MEMORY.format("Your code asks")
    return "crashed", CRASHED
