"""What a run may send and a report may cost is bounded, whatever a program or an enemy does."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pages.exercises import run
from pages.exercises.catalogue import EXERCISES
from pages.exercises.grading import exceptions
from pages.exercises.grading.compare import expected
from pages.exercises.grading.grade import report
from pages.exercises.runner import protocol, slots
from pages.exercises.runner.slots import Output
from pages.exercises.sandbox import lockdown
from tests.test_patterns import broken_off

DONE = {"event": "done", "prints": "", "warnings": []}


def hostile_words():
    """Return words of exceptions as long as they may be, that begin like those of NumPy."""
    begun = ["could not be broadcast together with shapes (", "cannot reshape array of size 1 into shape ("]
    again = ["1", "1 ", "1,", "(", "(1)", ")", "float", "1, (", *begun]
    return [(start + piece * protocol.MAX_WORDS)[: protocol.MAX_WORDS] for start in (*begun, "") for piece in again]


def test_whatever_an_exception_says_is_read_at_once_and_a_few_times_in_a_report(monkeypatch):
    exercise, reads = max(EXERCISES.values(), key=lambda one: len(one.variants)), Counter()
    cases = exercise.cases(np.random.default_rng(0))

    class Counted:
        def __init__(self, pattern):
            self.pattern = pattern

        def search(self, words):
            reads[words] += 1
            return self.pattern.search(words)

    monkeypatch.setattr(exceptions, "CLASHES", {kind: Counted(one) for kind, one in exceptions.CLASHES.items()})
    for words in hostile_words():
        reads.clear()
        raised = {"event": "raised", "type": "ValueError", "words": words + "1" * 9999, "line": 1}
        lines = [json.dumps(message).encode() for message in (*[raised] * (len(cases) + exercise.repeats), DONE)]
        with broken_off():
            found = report(exercise, cases, Output(b"\n".join(lines), 0))
        assert found.status == "failed"
        assert set(map(len, reads)) >= {protocol.MAX_WORDS}
        assert max(reads[one] for one in reads if len(one) == protocol.MAX_WORDS) <= len(exceptions.CLASHES) * 8
        assert len(found.message) + sum(len(test.problem) for test in found.tests) < 10_000


def test_a_report_compares_what_came_with_a_limited_number_of_known_mistakes():
    for exercise in EXERCISES.values():
        cases = exercise.cases(np.random.default_rng(0))
        assert len(exercise.variants) * (len(cases) + 1) <= 8200, exercise.id  # with one's own words
        assert sum(expected(exercise, case).size for case in cases) <= 4000, exercise.id


def test_the_readme_names_the_limits_that_hold():
    readme = " ".join((Path(__file__).parents[2] / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    assert f"reads {slots.MAX_REPLY >> 20} MiB and {protocol.MAX_MESSAGES} messages" in readme
    assert f"up to {protocol.MAX_AXES} axes and {protocol.MAX_ITEMS:,} cells" in readme
    assert (lockdown.CPU_SECONDS, lockdown.EXTRA_MEMORY) == (0.5, 128 << 20)
    assert "half a second of computing, 128 MB and one pipe" in readme


SIZES = ("(10**9, 0)", "(2, 10**6, 0)", "(64, 65)", "(1,) * 8", "(1,) * 9", "(1,) * 64", "(64, 64)", "64, 'g'")
SHAPES = [f"np.zeros({size})" for size in SIZES]
OTHERS = [
    *("[np.zeros(n) for n in range(64)]", "[np.zeros((9, n)) for n in range(64)]", "[[[{}] * 64] * 64] * 64"),
    *("[np.zeros((10**6, 0)), x]", "(x, (x, (x, x)))", "np.array(['a', 'b'])", "(lambda a: a.append(a) or a)([])"),
]


@pytest.mark.parametrize("source", [*SHAPES, *OTHERS])
def test_whatever_a_function_returns_is_told_by_its_shape_or_in_words(source):
    found = run(f"def softmax(x): return {source}", "softmax")
    assert (found.status, found.mistakes) == ("failed", ("shape",) if source in SHAPES else ())
    assert len(found.tests[0].problem) < 200


def test_the_most_that_a_run_may_send_is_less_than_the_server_reads():
    most = max(len(exercise.cases(np.random.default_rng(0))) for exercise in EXERCISES.values())
    exercise = next(one for one in EXERCISES.values() if len(one.cases(np.random.default_rng(0))) == most)
    large = "(np.zeros((64, 8)),) * 9"
    found = run(f"print('\\U0001f600' * 9999)\ndef {exercise.entry}(*_): return {large}", exercise.id)
    assert found.status == "failed"
    assert [test.problem.partition(",")[0] for test in found.tests] == ["Your function returned 9 things"] * most
    assert len(found.prints) > 4000
