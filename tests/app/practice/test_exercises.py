"""Exercises as a student meets them: tasks, hints, runs, what is said of them, and points on the home page."""

import re
import time
from types import SimpleNamespace

import numpy as np
import pytest

from pages.exercises.catalogue import EXERCISES, exercise, exercises_of, tasks_of
from pages.exercises.sandbox.source_limits import MAX_CHARS
from pages.exercises.tasks import TASK_POINTS, Blank, Lines, Prediction
from pages.links.course import LESSONS
from pages.page.steps import NOW
from pages.practice import exercise_page, rate_limit
from pages.practice.exercise_page import offers_of
from pages.practice.progress import earned, solved
from tests.app.practice.exercising import WRONG, answered, at, at_task, ordered, solve, typed
from tests.app.visits import (
    charts,
    exercises_offered,
    forge,
    opened,
    press,
    rerun,
    said,
    shared,
    stage,
    stages,
    to_step,
    visit,
)
from tests.lessons import names_of, path_of
from tests.tiers import first

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


@pytest.mark.parametrize("name", first(3, EXERCISES))
def test_the_solution_of_an_exercise_passes_and_brings_what_is_left_of_its_points(name):
    exercise = EXERCISES[name]
    app = at(exercise.lesson, name)
    assert str(exercise.points) in said(app)
    press(app, "Show a hint (3 left)")
    solve(app, name)
    assert "✓ All tests pass." in said(app)
    assert app.session_state["exercises_solved"][name] == int(0.9 * exercise.points + 1e-9)
    assert "Each hint costs" not in said(app)
    labels = [button.label for button in app.button]
    assert "Show a solution" in labels
    assert not [label for label in labels if "hint" in label]


def test_what_all_tests_complain_of_is_said_once():
    app = typed(at("qkv", "attention_weights"), "attention_weights", EXERCISES["attention_weights"].starter)
    text = said(press(app, "Run"))
    assert text.count("✕") > 5
    assert text.count("did you forget return?") == 1


def test_hints_come_one_by_one_and_the_solution_on_request():
    exercise = EXERCISES["attention_weights"]
    app = at("qkv", exercise.id)
    plain = [re.sub(r"[`*]", "", hint)[:30] for hint in exercise.hints]
    for shown in range(4):
        text = said(app)
        assert [hint in text for hint in plain] == [i < shown for i in range(3)]
        if shown < 3:
            press(app, f"Show a hint ({3 - shown} left)")
    assert not any(exercise.solution in code.value for code in app.code)
    press(app, "Show a solution anyway")
    assert any(exercise.solution.strip() in code.value for code in app.code)


@pytest.mark.parametrize("source", [WRONG, "def compute_attention_weights(Q, K):\n    return Q @ K.T * 0 + 0.25\n"])
def test_a_failed_test_is_shown_and_its_numbers_said_once(source):
    app = typed(at("qkv", "attention_weights"), "attention_weights", source)
    press(app, "Run")
    text = said(app)
    assert "✕ Not yet." in text
    assert text.count("yours ") == text.count(", expected ") == 1
    yours, expected = (shown for shown in charts(app) if shown.data.columns[0] == "row")
    assert list(yours.data.columns[:3]) == ["row", "column", "value"]
    assert expected.data["value"].between(0, 1).all()
    assert len(yours.data) == len(expected.data)


@pytest.mark.parametrize(
    "source",
    [
        "import os\n",
        "def f(:",
        "def compute_attention_weights(Q, K):\n    print('<b>[x](y)')\n    return 1",
        "",
        "é" * 9000,
    ],
)
def test_whatever_is_typed_is_answered_kindly(source):
    app = typed(at("qkv", "attention_weights"), "attention_weights", source)
    press(app, "Run")
    assert "✕" in said(app) or "again" in said(app)
    assert "<b>[x]" not in " ".join(element.proto.body for element in app.get("html"))


FORGED = [
    *(True, 7, "x" * 99_999, "\ud800", [], {"0": 7, "1": "a"}, [7], [7, 8], [7, "a", "b"], ["a", "b"], [[7], "a"]),
    *([float("nan"), "a"], [float("inf"), "a"], [7, "x" * 99_999]),
]


@pytest.mark.parametrize("event", ["text", "run"])
def test_whatever_the_editor_is_made_to_say_is_a_text_of_limited_length_or_nothing(event):
    app = at("qkv", "attention_weights")
    work = app.session_state["exercises"]["attention_weights"]
    for forged in FORGED:
        before = work.text
        forge(app, "attention_editor", {event: forged})
        assert isinstance(work.text, str)
        assert len(work.text) <= MAX_CHARS + 1
        assert (work.text != before) <= (event == "text" and isinstance(forged, str))
        assert isinstance(work.asked, int | float)
        assert work.wanted is None
    assert (work.tries > 0) == (event == "run")
    for forged in ("text", 5, [["run", [1, "a"]]], None):
        forge(app, "attention_editor", forged)


def test_a_text_that_is_too_long_is_said_to_be_too_long_and_what_is_kept_of_it_is_short():
    app = at("qkv", "attention_weights")
    forge(app, "attention_editor", {"text": "x" * 10**5, "run": [1, "x" * 10**5]})
    work = app.session_state["exercises"]["attention_weights"]
    assert len(work.text) == len(work.ran) == MAX_CHARS + 1
    assert work.report.status == "refused"
    assert f"{MAX_CHARS:,}" in said(app)


def test_what_was_typed_and_found_stays_when_a_student_comes_back():
    app = opened("qkv", {"qkv_ask": "no", "qkv_exercise": "attention_weights"}, "streamlit_app.py")
    typed(app, "attention_weights", WRONG)
    press(app, "Run")
    app.switch_page("pages/2_scaling.py").run()
    app.switch_page("pages/1_qkv.py")
    app.query_params = {"qkv_exercise": "attention_weights", "qkv_step": "softmax"}
    rerun(app)
    assert app.session_state["exercises"]["attention_weights"].text == WRONG
    assert "✕ Not yet." in said(app)
    app.button(key="qkv_begin").click()
    rerun(app)
    assert app.session_state["exercises"]["attention_weights"].text == EXERCISES["attention_weights"].starter
    assert "✕ Not yet." not in said(app)


def test_where_code_cannot_run_the_tasks_remain_and_the_page_says_how_to_run_it_at_home(monkeypatch):
    monkeypatch.setattr(exercise_page, "mode", lambda: "none")
    app = at("qkv", "attention_weights")
    assert "Run" not in [button.label for button in app.button]
    assert "notebook" in said(app)
    assert any(code.value.startswith("import numpy as np") for code in app.code)
    app = at("qkv", "task1")
    press(app, "Just show me") if any(b.label == "Just show me" for b in app.button) else None
    assert not app.exception


def test_on_ones_own_computer_the_page_says_that_there_are_no_locks(monkeypatch):
    monkeypatch.setattr(exercise_page, "mode", lambda: "local")
    assert exercise_page.LOCAL in said(at("qkv", "attention"))


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
    for _ in range(2):
        answered(app, task, right=False)
    assert task.id not in app.session_state["exercises_solved"]
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


def test_the_first_hint_follows_the_diagnosis_and_the_inputs_of_the_failing_test_are_shown():
    exercise = EXERCISES["softmax"]
    app = typed(
        at("scaling", "softmax"),
        "softmax",
        "import numpy as np\ndef softmax(x):\n    e = np.exp(x)\n    return e / e.sum(-1)\n",
    )
    press(app, "Run")
    assert "loses that axis" in said(app)
    (inputs,) = [code.value for code in app.code if code.value.startswith("x = np.array(")]
    space = {"np": np}
    exec(inputs.rpartition("print(")[0], space)
    np.testing.assert_array_equal(space["x"], exercise.cases(np.random.default_rng(0))[0].arguments[0])
    press(app, "Show a hint (3 left)")
    assert "keep that axis" in said(app)
    assert "Take the exponential of every number" not in said(app)


def test_a_wrong_order_says_how_far_it_is_right_and_a_right_one_runs_on_the_tests_of_its_exercise():
    app, task, _ = at_task(Lines)
    ordered(app, [0, 1, *range(len(task.lines) - 1, 1, -1)])
    assert "The first 2 lines are right" in said(app)
    ordered(app, [0, 2, 1, *range(3, len(task.lines))], check=False)
    assert "lines are right" not in said(app)  # it was said of another order
    ordered(app, list(task.orders[0]))
    assert app.session_state["exercises_solved"][task.id] == 1  # at the second attempt
    assert "All tests pass" in said(press(app, "Run it on the tests"))


def test_a_shared_link_opens_the_exercise_and_a_link_can_lock_it():
    link = shared(at("qkv", "attention"))
    assert link["qkv_exercise"] == "attention"
    locked = opened("qkv", link | {"qkv_lock": "exercise"})
    rows = [row for row in locked.pills if "_exercises" in row.key]
    assert rows
    assert all(row.disabled for row in rows)


def test_points_stand_on_the_home_page_lesson_by_lesson():
    app = opened("qkv", {"qkv_ask": "no", "qkv_exercise": "attention_weights"}, "streamlit_app.py")
    solve(app, "attention_weights")
    app.switch_page("streamlit_app.py").run()
    assert any("Your points: 15 of" in one.label for one in app.expander)
    app.session_state["home_points"] = True
    assert "✓ 15" in said(rerun(app))


@pytest.mark.parametrize(
    ("full", "hints", "solution", "points"),
    [(15, 0, False, 15), (15, 1, False, 13), (15, 3, False, 10), (20, 2, True, 4), (30, 1, False, 27), (1, 3, True, 1)],
)
def test_help_costs_a_little_and_never_everything(full, hints, solution, points):
    assert earned(full, hints, solution) == points


def test_points_are_not_lost_by_another_run():
    app = at("scaling", "softmax")
    solve(app, "softmax")
    before = app.session_state["exercises_solved"]["softmax"]
    typed(app, "softmax", "def softmax(x):\n    return x\n")
    press(app, "Run")
    assert app.session_state["exercises_solved"]["softmax"] == before


def test_nothing_was_solved_in_a_bare_run():
    assert solved() == {}


def test_a_moment_lies_between_two_runs_of_a_program(monkeypatch):
    slept = []
    monkeypatch.setattr(rate_limit, "BETWEEN", 1.0)
    monkeypatch.setattr(rate_limit, "time", SimpleNamespace(monotonic=time.monotonic, sleep=slept.append))
    app = solve(at("qkv", "attention_weights"), "attention_weights")
    press(app, "Run")
    assert len(slept) == 2
    assert slept[0] == 0
    assert 0 < slept[1] <= 1
    assert "All tests pass" in said(app)
