"""Right answers pass, however they are written."""

import re
from pathlib import Path

import numpy as np
import pytest

from pages.exercises import run
from pages.exercises.catalogue import EXERCISES

TEXT = Path(__file__).with_name("right_answers.txt").read_text(encoding="utf-8")
_, *PARTS = re.split(r"^\[(\w+)\]\n", TEXT, flags=re.MULTILINE)  # the name of an exercise, and a program
STYLES = list(zip(PARTS[::2], PARTS[1::2], strict=True))


def test_there_are_many_styles():
    assert len(STYLES) >= 40
    assert {name for name, _ in STYLES} == set(EXERCISES)


@pytest.mark.parametrize(("name", "source"), STYLES)
def test_a_right_answer_passes(name, source):
    report = run(source, name)
    assert report.status == "passed", report
    assert report.failed is None
    assert report.mistakes == ()


@pytest.mark.parametrize("source", [source for name, source in STYLES if name == "next_token"])
def test_right_answers_choose_the_same_token_whatever_was_drawn(source):
    """A tie, or a running sum that meets the random number, would make one right answer differ from another."""
    exercise, names = EXERCISES["next_token"], {}
    exec(source, names)
    for seed in range(40):
        for case in exercise.cases(np.random.default_rng(seed)):
            assert names["next_token"](*case.arguments) == exercise.reference(*case.arguments), (seed, case)


@pytest.mark.parametrize("name", EXERCISES)
def test_the_solution_passes_on_any_seed_and_the_starter_on_none(name):
    for seed in range(5):
        assert run(EXERCISES[name].solution, name, seed=seed).status == "passed"
    started = run(EXERCISES[name].starter, name)
    assert (started.status, started.mistakes) == ("failed", ("none",))


def test_what_must_not_overflow_is_in_the_tests_and_would_overflow():
    said = {name: re.search(r"of ([\d,]+) must not overflow", one.prompt) for name, one in EXERCISES.items()}
    large = {name: float(found[1].replace(",", "")) for name, found in said.items() if found}
    assert set(large) == {"softmax", "cross_entropy"}
    for name, number in large.items():
        (case,) = [case for case in EXERCISES[name].cases(np.random.default_rng(5)) if case.large]
        assert np.log(np.finfo(float).max) < number == pytest.approx(case.arguments[0].max(), rel=0.01)


def test_lines_may_end_as_on_windows():
    assert run(EXERCISES["softmax"].solution.replace("\n", "\r\n"), "softmax").status == "passed"


def test_the_maps_of_the_induction_score_are_those_of_causal_heads():
    for seed in range(5):
        for case in EXERCISES["induction_score"].cases(np.random.default_rng(seed)):
            weights, n = case.arguments
            assert weights.shape == (2 * n, 2 * n)
            assert not np.triu(weights, k=1).any()
            assert (weights >= 0).all()
            np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
