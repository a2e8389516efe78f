"""Programs as a student writes them: hints, runs, what is said of them, and points on the home page."""

import re
import time

import numpy as np
import pytest

from pages.exercises.catalogue import EXERCISES
from pages.exercises.sandbox.source_limits import MAX_CHARS
from pages.practice import exercise_page, rate_limit
from pages.practice.progress import earned
from tests.app.practice.exercising import WRONG, at, solve, typed
from tests.app.visits import charts, forge, opened, press, rerun, said
from tests.tiers import first


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
    app.session_state["recalled_programs"] = {"attention-exercise-scores": "x" * 10**5}  # by a browser
    assert len(rerun(app).session_state["exercises"]["scores"].text) == MAX_CHARS + 1


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
    assert "code runs without the kernel’s locks" in said(at("qkv", "attention"))


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


def test_a_moment_lies_between_two_runs_of_a_program(monkeypatch):
    slept = []
    monkeypatch.setattr(rate_limit, "BETWEEN", 1.0)
    monkeypatch.setattr(rate_limit, "wait_for", lambda ready: slept.append(ready.args[0] - time.monotonic()))
    app = solve(at("qkv", "attention_weights"), "attention_weights")
    press(app, "Run")
    assert len(slept) == 2
    assert slept[0] <= 0
    assert 0 < slept[1] <= 1
    monkeypatch.setattr(rate_limit, "turn_of", lambda address: time.monotonic() + 9.0)
    press(app, "Run")
    assert slept[2] > 5
    assert "All tests pass" in said(app)
