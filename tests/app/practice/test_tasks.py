"""Tasks as a student meets them: an answer, lines in order, points at the first and the second try."""

import pytest

from pages.exercises.catalogue import tasks_of
from pages.exercises.tasks import TASK_POINTS, Blank, Lines, Prediction
from pages.links.course import LESSONS
from tests.app.practice.exercising import answered, at_task, ordered
from tests.app.visits import exercises_offered, press, said, visit

NAMES = [lesson.name for lesson in LESSONS]


@pytest.mark.nightly
@pytest.mark.parametrize("lesson", NAMES)
def test_every_task_can_be_opened_by_a_link(lesson):
    for number, task in enumerate(tasks_of(lesson)):
        app = visit(lesson, exercise=f"task{number + 1}", ask="no")
        if isinstance(task, Lines):
            ordered(app, list(task.orders[0]))
            assert "In order" in said(app), task.orders[0]
            assert app.session_state["exercises_solved"][task.id] == TASK_POINTS
        elif isinstance(task, Blank):
            assert any("____" in code.value for code in app.code)
            assert len(task.excerpt.splitlines()) < len(task.program.splitlines())  # it is no solution
        else:
            assert isinstance(task, Prediction)


def test_a_task_that_was_answered_rightly_is_ticked_and_counts_and_a_wrong_one_can_be_tried_again():
    app, task, label = at_task(Blank)
    for last in (False, True):
        answered(app, task, right=False, last=last)
    assert task.id not in app.session_state["exercises_solved"]
    told = press(at_task(Blank)[0], "Just show me")
    assert "All tests pass" in said(press(told, "Run it on the tests"))
    assert label in exercises_offered(app)
    answered(press(app, "Try again"), task, right=True)
    assert app.session_state["exercises_solved"][task.id] == 1
    assert f":material/check: {label}" in exercises_offered(app)


@pytest.mark.parametrize(("tries", "points"), [([True], TASK_POINTS), ([False, True], 1)])
def test_an_answer_at_the_second_try_gives_one_point(tries, points):
    app, task, _ = at_task(Blank)
    for right in tries:
        answered(app, task, right)
    assert app.session_state["exercises_solved"][task.id] == points


def test_a_wrong_order_says_how_far_it_is_right_and_a_right_one_runs_on_the_tests_of_its_exercise():
    app, task, _ = at_task(Lines)
    ordered(app, [0, 1, *range(len(task.lines) - 1, 1, -1)])
    assert "The first 2 lines are right" in said(app)
    ordered(app, [0, 2, 1, *range(3, len(task.lines))], check=False)
    assert "lines are right" not in said(app)  # it was said of another order
    ordered(app, list(task.orders[0]))
    assert app.session_state["exercises_solved"][task.id] == 1  # at the second attempt
    assert "All tests pass" in said(press(app, "Run it on the tests"))
