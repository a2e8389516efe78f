"""Mistakes are recognised or left alone, and slips get a sentence that helps."""

import re

import numpy as np
import pytest

from pages.exercises import run
from pages.exercises.catalogue import EXERCISES
from pages.exercises.faults.sentences import MISTAKES
from tests.exercises.wrong_answers import SLIPS, WRONG

DIFFERS = r"(\d+) of (\d+) cells? differs?\. (.+) \(counted from 0\): yours (\S+), expected (\S+?)\.(?: |$)"


@pytest.mark.parametrize(("name", "source", "ids"), WRONG)
def test_a_mistake_gets_its_diagnosis(name, source, ids):
    report = run(source, name, seed=1)
    assert (report.status, report.mistakes) == ("failed", tuple(ids.split())), report
    assert report.message == (MISTAKES[report.mistakes[0]] if ids else report.message)
    for test in report.tests:
        if isinstance(test.value, np.ndarray) and test.value.shape == test.want.shape != ():
            see_that_it_is_true(test, EXERCISES[name].weights)


def see_that_it_is_true(test, are_weights):
    """See that a test says of its arrays what they are."""
    differs = ~np.isclose(test.value, test.want, rtol=1e-6, atol=1e-6)
    if test.want.dtype.kind == "f":
        assert bool(test.problem) == differs.any()
    if found := re.search(DIFFERS, test.problem.replace("−", "-")):
        first, (count, size, place, *told) = tuple(np.argwhere(differs)[0]), found.groups()
        places = tuple(map(int, re.findall(r"\d+", place)))
        assert (int(count), int(size), places) == (differs.sum(), differs.size, first)
        numbers = [eval(one, {"nan": np.nan, "inf": np.inf}) for one in told]
        np.testing.assert_allclose(numbers, [test.value[first], test.want[first]], rtol=1e-3)
        are_one = are_weights and np.allclose(test.value.sum(axis=-1), 1)
        assert ("and the rows sum to 1" in test.problem) == are_one
        assert ("do not sum to 1" in test.problem) == (are_weights and not are_one)


def test_a_hint_that_helps_with_a_mistake_names_it_rightly():
    for exercise in EXERCISES.values():
        known = {identity for variant in exercise.variants for identity in variant.ids}
        known |= {"unstable", "nan", "close", "float_size", "own_random"}
        for start in " ".join(exercise.about).split():
            assert any(identity.startswith(start) for identity in known), (exercise.id, start)
        assert all(exercise.about), exercise.id


@pytest.mark.parametrize("name", EXERCISES)
def test_the_inputs_of_a_failed_test_can_be_copied_into_a_program_that_runs(name):
    exercise = EXERCISES[name]
    report = run(exercise.starter, name, seed=3)
    case = exercise.cases(np.random.default_rng(3))[0]
    space: dict = {"np": np, exercise.entry: lambda *given: given, "print": lambda given: space.update(given=given)}
    exec(exercise.call(report.failed.case), space)
    for given, right in zip(space["given"], case.arguments, strict=True):
        np.testing.assert_array_equal(given, right)


@pytest.mark.parametrize(("name", "source", "said"), SLIPS)
def test_a_slip_gets_a_sentence_that_helps(name, source, said):
    report = run(source, name)
    assert report.status in ("refused", "error", "failed", "timeout", "memory")
    assert said in report.message + " ".join(test.problem for test in report.tests)


def test_every_mistake_that_is_known_has_a_sentence_and_no_sentence_is_left_over():
    known = {identity for exercise in EXERCISES.values() for variant in exercise.variants for identity in variant.ids}
    facts = {"unstable", "none", "nan", "close", "shape", "pair_swapped", "float_size", "own_random"}
    assert set(MISTAKES) == known | facts


def test_a_mistake_is_told_in_two_short_sentences_without_code():
    """It may be told beside another, so it does not say that the rest is right."""
    for sentence in MISTAKES.values():
        assert re.fullmatch(r"[^`=!(]{,118}[.?]", sentence)
        assert len(re.findall(r"[.?](?= |$)", sentence)) <= 2
        assert not re.search(r"np\.|(?<!nearly )\bright\b", sentence)


def test_what_two_ways_share_is_told_by_the_simpler_one():
    for exercise in EXERCISES.values():
        lengths = [len(variant.ids) for variant in exercise.variants]
        assert lengths == sorted(lengths)


OPPOSITES = [pair.split() for pair in ("before after", "first last", "most least", "largest smallest", "row column")]


@pytest.mark.parametrize("name", MISTAKES)
def test_what_is_to_be_done_is_not_what_was_done(name):
    """Who did it on one side is not told that side, unless another pair of opposites parts the two sentences."""
    did, do = (set(re.findall("[a-z]+", said.lower())) for said in MISTAKES[name].partition(". ")[::2])
    sides = [(one, other) for pair in OPPOSITES for one, other in (pair, pair[::-1])]
    same = any(one in did & do and other not in did | do for one, other in sides)
    assert not same or any(one in did and other in do for one, other in sides)
