"""Where tasks and exercises are offered, opened by a link and closed again."""

import pytest

from pages.exercises.catalogue import exercise, exercises_of, tasks_of
from pages.links.course import LESSONS
from pages.page.steps import NOW
from pages.practice.exercise_page import offers_of
from tests.app.practice.exercising import at
from tests.app.visits import exercises_offered, opened, press, rerun, shared, stage, stages, to_step, visit
from tests.lessons import names_of, path_of

NAMES = [lesson.name for lesson in LESSONS]


@pytest.mark.parametrize("lesson", NAMES)
def test_every_lesson_ends_with_tasks_and_exercises(lesson):
    path = path_of(lesson)
    ends = [name for name in path if name.startswith(NOW) or name == path[-1]]
    labels = [label for name in ends for label in exercises_offered(visit(lesson, ask="no", step=name))]
    for one in exercises_of(lesson):
        assert any(one.title in label.replace("\\", "") for label in labels), one.title
        assert one.step in names_of(lesson), one.id
    assert sum(label.startswith("Task ") for label in labels) == len(tasks_of(lesson)) >= 3


@pytest.mark.parametrize("lesson", [NAMES[0], *(pytest.param(name, marks=pytest.mark.nightly) for name in NAMES[1:])])
def test_a_link_that_names_a_task_or_a_program_and_no_step_opens_at_its_step(lesson):
    for offer in offers_of(lesson):
        app = visit(lesson, ask="no", exercise=offer.name)
        assert stage(app) == offer.step, offer.name
        (here, *_) = [row for row in app.pills if "_exercises" in row.key]
        assert (here.label, here.value is not None) == ("For this step", True)
    first = stages(app)[0]
    assert stage(visit(lesson, ask="no", exercise="task1", step=first)) == first  # which it named


def test_an_exercise_is_closed_again_on_another_step():
    app = to_step(visit("qkv", ask="no", exercise="attention_weights"), "mix")
    assert stage(rerun(app)) == "mix"
    assert "qkv_exercise" not in shared(app)


def test_a_step_offers_what_practises_it_and_the_last_one_everything():
    app = visit("tiny_lm", ask="no", step="copy")
    titles = [label.partition(" · ")[0] for label in exercises_offered(app)]
    assert titles == [exercise(name).title for name in ("induction_score", "induction_head")]
    assert exercises_offered(visit("qkv", ask="no", step="x")) == []
    assert len(exercises_offered(visit("qkv", step="now"))) == len(exercises_of("qkv")) + len(tasks_of("qkv"))


def test_a_second_click_on_an_exercise_closes_it():
    app = visit("qkv", ask="no", step="softmax")
    label = next(label for label in exercises_offered(app) if label.startswith("Attention weights"))
    assert shared(press(app, label), "exercise")["qkv_exercise"] == "attention_weights"
    assert [row.value for row in app.pills if "_exercises" in row.key] == [label]
    press(app, "Task 2")
    assert [row.value for row in app.pills if "_exercises" in row.key] == ["Task 2"]
    press(app, "Task 2")
    assert "qkv_exercise" not in shared(app)


def test_a_shared_link_opens_the_exercise_and_a_link_can_lock_it():
    link = shared(at("qkv", "attention"))
    assert link["qkv_exercise"] == "attention"
    locked = opened("qkv", link | {"qkv_lock": "exercise"})
    rows = [row for row in locked.pills if "_exercises" in row.key]
    assert rows
    assert all(row.disabled for row in rows)
