"""Tasks before free code: judged without running anything, and in agreement with what the tests say."""

import re

import numpy as np
import pytest

from pages.exercises import run
from pages.exercises.catalogue import EXERCISES, LESSONS, TASKS, exercise, exercises_of, tasks_of
from pages.exercises.lessons import causal_mask
from pages.exercises.tasks import Blank, Lines, Prediction

BLANKS = [task for task in TASKS if isinstance(task, Blank)]
ORDERS = [task for task in TASKS if isinstance(task, Lines)]


def test_every_lesson_has_exercises_and_one_task_of_each_kind():
    for lesson in LESSONS:
        name = lesson.__name__.rpartition(".")[2]
        assert exercises_of(name)
        assert {type(task) for task in tasks_of(name)} == {Prediction, Blank, Lines}
    assert len({task.id for task in TASKS}) == len(TASKS)


def test_the_points_of_the_tutorial_stand():
    assert EXERCISES["attention_weights"].points == 15
    assert EXERCISES["causal_attention"].points == 20


def test_no_program_needs_a_mask_before_the_lesson_on_masks():
    before = [one for lesson in LESSONS[: LESSONS.index(causal_mask)] for one in lesson.EXERCISES]
    assert len(before) > 5
    assert [one.id for one in before if re.search(r"triu|tril|mask|\binf\b", one.solution)] == []


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.__name__)
def test_a_task_belongs_to_an_exercise_of_its_lesson(lesson):
    assert {exercise(task.exercise).lesson for task in lesson.TASKS} == {lesson.__name__.rpartition(".")[2]}


@pytest.mark.parametrize("task", BLANKS, ids=lambda task: task.id)
def test_an_expression_is_judged_as_the_tests_judge_the_program(task):
    for given in range(len(task.question.options)):
        assert "____" not in task.filled(given)
        passed = run(task.filled(given), task.exercise).status == "passed"
        assert passed == task.question.judge(given).right


@pytest.mark.parametrize("task", ORDERS, ids=lambda task: task.id)
def test_lines_in_order_pass_and_others_do_not(task):
    for order in task.orders:
        assert task.judge(order).right
        assert run(task.source(order), task.exercise).status == "passed"
    for seed in range(3):
        order = task.shuffled(seed)
        assert sorted(order) == list(range(len(task.lines)))
        assert not task.judge(order).right
        assert run(task.source(order), task.exercise).status != "passed"


def test_the_judge_of_lines_says_how_far_they_are_right():
    task = ORDERS[0]
    assert "Another line comes first" in task.judge((1, 0, 2, 3, 4)).text
    assert "The first line is right" in task.judge((0, 2, 1, 3, 4)).text
    assert "The first 3 lines are right" in task.judge((0, 1, 2, 4, 3)).text
    (other,) = [one for one in ORDERS if one.also]  # the nearest of its right orders counts
    assert "The first 3 lines are right" in other.judge((0, 2, 1, 4, 3)).text


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_has_all_its_parts(name):
    found = EXERCISES[name]
    assert found.id == name
    assert len(found.hints) == 3
    assert f"def {found.entry}(" in found.starter
    assert f"def {found.entry}(" in found.solution
    assert found.entry in found.prompt
    texts = [found.prompt, found.title, *found.hints]
    assert not any("!" in text for text in texts)
    assert not any(line and line in hint for hint in found.hints for line in found.solution.split("\n"))


ASKED = {  # what a prompt or a hint says of a program, and whether its reference does so
    "causal_mask": ("True where the key comes after the query", lambda f: f(2).ravel().tolist() == [0, 1, 0, 0]),
    "rope": ("Rotate each pair anticlockwise", lambda f: f(np.array([[1.0, 0.0]] * 2))[1, 1] > 0.8),
    "next_token": ("whose cumulative probability is above `u`", lambda f: f(np.log([0.2, 0.5, 0.3]), 1.0, 3, 0.6) == 2),
    "induction_score": ("to the token **after** its first copy", lambda f: f(np.eye(4)[[0, 1, 1, 2]], 2) == 1),
    "scores": ("the last number of the shape of K", lambda f: np.allclose(f(np.ones((1, 4)), np.ones((9, 4))), 2)),
    "join_heads": ("Start with the first head", lambda f: (np.diff(f(np.arange(4.0).reshape(2, 1, 2))) == 1).all()),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_program_is_asked_for_what_its_reference_does(name):
    (words, does), found = ASKED[name], EXERCISES[name]
    assert words in " ".join([found.prompt, *found.hints])
    assert does(found.reference)
