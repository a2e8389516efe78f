"""Exercises as a student meets them: tasks, hints, runs, what is said of them, and points on the home page."""

import json
import re

import numpy as np
import pytest

from attention_core.experiments.english_heads import grammar_model
from attention_core.model.forward import logits
from attention_core.model.generate import choose
from attention_core.text.word_vectors import word_vectors
from pages.exercises import Report, TestOutcome
from pages.exercises.catalogue import EXERCISES, exercise, exercises_of, tasks_of
from pages.exercises.grading.points import Solved, line_for_teacher, read_line
from pages.exercises.runner.writing import N_NEW, SEED, write_on
from pages.exercises.tasks import TASK_POINTS, Blank, Lines, Prediction
from pages.page.course import LESSONS
from pages.practice import exercise_page, feedback
from pages.practice.progress import Work, solved
from tests.app.visits import (
    charts,
    exercises_offered,
    heatmap,
    nodes,
    opened,
    press,
    report,
    rerun,
    said,
    sent_to,
    shared,
    visit,
)
from tests.tiers import first

WRONG = "def compute_attention_weights(Q, K):\n    return Q @ K.T\n"
NAMES = [lesson.name for lesson in LESSONS]


def at(lesson, exercise, **link):
    return visit(lesson, ask="no", exercise=exercise, **link)


def typed(app, exercise, text):
    """Type a program, as the editor reports it."""
    app.session_state["exercises"][exercise].text = text
    return app


def ordered(app, order, check=True):
    """Put lines in order, as the browser reports it, and have them judged."""
    (drawn,) = sent_to(app, "attention_line_order")
    report(app, drawn, "order", order)
    assert json.loads(sent_to(app, "attention_line_order")[0].json)["order"] == order
    return press(app, "Check") if check else app


def solve(app, exercise):
    """Type the solution of an exercise and run it."""
    typed(app, exercise, EXERCISES[exercise].solution)
    return press(app, "Run")


@pytest.mark.parametrize("lesson", NAMES)
def test_every_lesson_ends_with_tasks_and_exercises(lesson):
    app = visit(lesson, ask="no")
    labels = exercises_offered(app)
    for one in exercises_of(lesson):
        assert any(one.title in label.replace("\\", "") for label in labels), one.title
    assert sum(label.startswith("Task ") for label in labels) == len(tasks_of(lesson)) >= 3


@pytest.mark.parametrize("name", first(3, EXERCISES))
@pytest.mark.promise("tutorial 32")
def test_the_solution_of_an_exercise_passes_and_brings_what_is_left_of_its_points(name):
    exercise = EXERCISES[name]
    app = at(exercise.lesson, name)
    assert str(exercise.points) in said(app)
    press(app, "Show a hint (3 left)")
    solve(app, name)
    assert "✓ All tests pass." in said(app)
    assert app.session_state["exercises_solved"][name].points == int(0.9 * exercise.points + 1e-9)


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


def test_what_was_typed_and_found_stays_when_a_student_comes_back():
    app = opened("qkv", {"qkv_ask": "no", "qkv_exercise": "attention_weights"}, "streamlit_app.py")
    typed(app, "attention_weights", WRONG)
    press(app, "Run")
    app.switch_page("pages/2_scaling.py").run()
    app.switch_page("pages/1_qkv.py")
    app.query_params = {"qkv_exercise": "attention_weights"}
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


@pytest.mark.parametrize("lesson", NAMES)
def test_every_task_can_be_opened_by_a_link(lesson):
    for number, task in enumerate(tasks_of(lesson)):
        app = visit(lesson, exercise=f"task{number + 1}", ask="no")
        if isinstance(task, Lines):
            ordered(app, list(task.orders[0]))
            assert "In order" in said(app), task.orders[0]
            assert app.session_state["exercises_solved"][task.id].points == TASK_POINTS
        elif isinstance(task, Blank):
            assert any("____" in code.value for code in app.code) or any(
                task.filled(0).strip() in code.value for code in app.code
            )
        else:
            assert isinstance(task, Prediction)


def test_a_task_that_was_answered_rightly_is_ticked_and_counts_and_a_wrong_one_can_be_tried_again():
    (place, task) = next((i, task) for i, task in enumerate(tasks_of("qkv")) if isinstance(task, Blank))
    app = visit("qkv", exercise=f"task{place + 1}", ask="no")
    field = f"qkv_{task.question.name}_given"
    wrong = next(i for i in range(4) if i not in task.question.right)
    app.radio(key=field).set_value(wrong)
    press(app, f"FormSubmitter:qkv_{task.question.name}_form-Check")
    assert task.id not in app.session_state["exercises_solved"]
    assert f"Task {place + 1}" in exercises_offered(app)
    press(app, "Try again")
    app.radio(key=field).set_value(task.question.right[0])
    press(app, f"FormSubmitter:qkv_{task.question.name}_form-Check")
    assert app.session_state["exercises_solved"][task.id].points == 1
    assert f":material/check: Task {place + 1}" in exercises_offered(app)


@pytest.mark.parametrize("lesson", NAMES)
def test_each_exercise_stands_at_its_step(lesson):
    app = visit(lesson, ask="no")
    steps = list(nodes(app))
    for one in exercises_of(lesson):
        assert one.step in steps, one.id


def test_what_belongs_to_the_step_in_view_comes_first():
    app = visit("tiny_lm", ask="no", step="copy")
    titles = [label.partition(" · ")[0] for label in exercises_offered(app)]
    assert titles[:2] == [exercise(name).title for name in ("induction_score", "induction_head")]
    assert len(titles) == len(exercises_of("tiny_lm")) + len(tasks_of("tiny_lm"))


def test_a_second_click_on_an_exercise_closes_it():
    app = visit("qkv", ask="no", step="softmax")
    label = next(label for label in exercises_offered(app) if label.startswith("Attention weights"))
    assert shared(press(app, label), "exercise")["qkv_exercise"] == "attention_weights"
    assert [row.value for row in app.pills if "_exercises_" in row.key] == [label, None]
    press(app, "Task 3")
    assert [row.value for row in app.pills if "_exercises_" in row.key] == [None, "Task 3"]
    press(app, "Task 3")
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


def test_a_wrong_order_says_how_far_it_is_right():
    (number,) = [i for i, task in enumerate(tasks_of("qkv")) if isinstance(task, Lines)]
    task = tasks_of("qkv")[number]
    app = visit("qkv", exercise=f"task{number + 1}", ask="no")
    ordered(app, [0, 1, *range(len(task.lines) - 1, 1, -1)])
    assert "The first 2 lines are right" in said(app)
    ordered(app, [0, 2, 1, *range(3, len(task.lines))], check=False)
    assert "lines are right" not in said(app)  # it was said of another order
    ordered(app, list(task.orders[0]))
    assert app.session_state["exercises_solved"][task.id].points == 1  # at the second attempt


def test_a_program_put_together_runs_on_the_tests_of_its_exercise():
    (number,) = [i for i, task in enumerate(tasks_of("qkv")) if isinstance(task, Lines)]
    task = tasks_of("qkv")[number]
    app = visit("qkv", exercise=f"task{number + 1}", ask="no")
    ordered(app, list(task.orders[0]))
    press(app, "Run it on the tests")
    assert "All tests pass" in said(app)


@pytest.mark.promise("tutorial 32")
def test_the_practice_exercise_draws_every_head_of_a_students_words():
    app = at("multi_head", "multi_head", own_words="one two three", own_heads="4")
    solve(app, "multi_head")
    heads = [shown for shown in charts(app) if set(shown.data.columns) == {"query", "key", "weight", "i", "j"}]
    own = [shown for shown in heads if "your code returned" in shown.alt]
    assert len(own) == 4
    for shown in own:
        weights = shown.data.pivot_table(index="i", columns="j", values="weight").to_numpy()
        assert weights.shape == (3, 3)
        assert abs(weights.sum(axis=1) - 1).max() < 1e-9


@pytest.mark.parametrize(
    "name",
    [
        *("attention_weights", "attention", "softmax", "scores", "causal_attention", "causal_mask", "kv_cache"),
        "bigram_step",
    ],
)
def test_a_students_function_draws_its_map_of_the_students_own_sentence(name):
    exercise = EXERCISES[name]
    words = "the cat saw a dog and it slept"
    app = solve(at(exercise.lesson, name, own_words=words), name)
    own = exercise.own(words.split(), 8, 2)
    shown = heatmap(charts(app)[-1])
    assert shown.rows == [*own.rows]
    assert shown.columns == [*own.columns]
    right = exercise.reference(*own.arguments)
    right = right[1] if isinstance(right, tuple) else right
    np.testing.assert_allclose(shown.values, np.asarray(right, dtype=float).reshape(shown.values.shape), atol=1e-9)


def test_the_trained_head_finds_the_noun_with_a_students_own_code():
    app = solve(at("qkv", "attention_weights", own_words="the cat saw a kite and it slept"), "attention_weights")
    shown = heatmap(charts(app)[-1])
    assert shown.columns[shown.values[shown.rows.index("it")].argmax()] == "cat"


def test_a_hand_made_induction_head_is_drawn_over_ones_own_words():
    app = solve(at("tiny_lm", "induction_head", step="copy", own_words="red dog red"), "induction_head")
    shown = heatmap(charts(app)[-1])
    assert shown.rows == ["start", "red₁", "dog", "red₃"]
    np.testing.assert_allclose(shown.values[3], [0, 0, 1, 0], atol=1e-9)


def test_the_positions_of_ones_own_words_are_drawn():
    app = solve(at("positional_encoding", "positions", own_words="one two three"), "positions")
    shown = heatmap(charts(app)[-1])
    assert shown.rows == ["one", "two", "three"]
    np.testing.assert_allclose(shown.values, EXERCISES["positions"].reference(3, 8), atol=1e-9)


def test_one_step_of_training_raises_the_pairs_of_ones_own_words():
    app = solve(at("tiny_lm", "bigram_step", step="gradient", own_words="red dog red cat"), "bigram_step")
    shown = heatmap(charts(app)[-1])
    assert shown.rows == shown.columns == ["red", "dog", "cat"]
    np.testing.assert_allclose(shown.values, [[-2 / 3, 1 / 3, 1 / 3], [2 / 3, -1 / 3, -1 / 3], [0, 0, 0]], atol=1e-9)


def test_the_loss_of_ones_own_words_is_said():
    words = ["the", "cat", "saw", "a", "dog"]
    app = solve(at("tiny_lm", "cross_entropy", step="loss", own_words=" ".join(words)), "cross_entropy")
    model, vocabulary = grammar_model()
    ids = vocabulary.encode(words)
    rows = logits(model, ids[:-1]).astype(float)
    loss = np.mean(np.log(np.exp(rows).sum(axis=-1)) - rows[np.arange(4), ids[1:]])
    assert f"Your function returned {loss:.4f}." in said(app)


@pytest.mark.parametrize("name", ["split_heads", "join_heads"])
def test_the_vectors_of_ones_own_words_are_split_and_joined(name):
    app = solve(at("multi_head", name, own_words="one two three", own_width="12", own_heads="3"), name)
    whole = word_vectors(["one", "two", "three"], 12, 0)
    drawn = [shown for shown in map(heatmap, charts(app)) if shown.rows == ["one", "two", "three"]]
    pieces = [whole] if name == "join_heads" else [whole[:, start : start + 4] for start in (0, 4, 8)]
    for shown, piece in zip(drawn, pieces, strict=True):
        np.testing.assert_allclose(shown.values, piece, atol=1e-9)


def test_a_model_writes_with_a_students_own_sampler():
    app = at("tiny_lm", "next_token", own_words="the cat saw")
    typed(app, "next_token", "def next_token(logits, temperature, top_k, u):\n    return np.argmax(logits)\n")
    assert "writes with your code" not in said(press(app, "Run"))
    solve(app, "next_token")
    written = app.session_state["exercises"]["next_token"].wrote
    model, vocabulary = grammar_model()
    tokens, rng = list(vocabulary.encode(["the", "cat", "saw"])), np.random.default_rng(SEED)
    for word in written.new:
        last = logits(model, np.array(tokens))[-1].astype(float)
        token = choose(last, written.temperature, written.top_k, None, float(rng.random()), 0).token
        assert vocabulary.decode([token]) == [word]
        tokens.append(token)
    assert len(written.new) == N_NEW
    assert " ".join(written.new) in said(app)


def test_what_a_sampler_returns_outside_of_the_vocabulary_ends_the_text():
    for returned in ("-1", "10**9", "0.5", "float('nan')", "None", "'a'", "np.zeros(3)"):
        source = f"import numpy as np\ndef next_token(*_):\n    return {returned}\n"
        assert write_on(source, "next_token", ["the", "cat"]) is None, returned


def test_widths_that_heads_do_not_divide_are_said_and_run_all_the_same():
    app = at("multi_head", "multi_head", own_heads="3")
    solve(app, "multi_head")
    assert "cannot be split into 3 equal heads" in said(app)
    assert "All tests pass" in said(app)


def test_a_shared_link_opens_the_exercise_and_can_lock_it():
    app = at("qkv", "attention")
    link = shared(app, "exercise")
    assert link["qkv_exercise"] == "attention"
    locked = opened("qkv", link)
    rows = [row for row in locked.pills if "_exercises_" in row.key]
    assert rows
    assert all(row.disabled for row in rows)


@pytest.mark.promise("home 2")
def test_points_stand_on_the_home_page_with_a_line_that_a_teacher_can_check():
    app = opened("qkv", {"qkv_ask": "no", "qkv_exercise": "attention_weights"}, "streamlit_app.py")
    solve(app, "attention_weights")
    app.switch_page("streamlit_app.py").run()
    assert any("Your points: 15 of" in one.label for one in app.expander)
    app.session_state["home_points"] = True
    rerun(app)
    app.text_input(key="home_points_name").set_value("Ada <b>")
    rerun(app)
    (line,) = [code.value for code in app.code if code.value.startswith("Attention, from scratch")]
    claim = read_line(line)
    assert (claim.name, claim.points, claim.problem) == ("Ada <b>", 15, "")
    app.text_input(key="home_points_line").set_value(line)
    rerun(app)
    assert "✓ Ada <b>: 15 points." in said(app)
    app.text_input(key="home_points_line").set_value(line.replace("15", "14"))
    rerun(app)
    assert "✕" in said(app)


def test_a_line_with_points_brings_them_back_to_another_visit_and_takes_none_away():
    line = line_for_teacher("Ada", [Solved("attention_weights", 12, 7), Solved("exercise_weight", 1, 0)])
    app = opened("qkv", {"qkv_ask": "no", "qkv_exercise": "attention_weights"}, "streamlit_app.py")
    solve(app, "attention_weights")
    app.switch_page("streamlit_app.py").run()
    app.session_state["home_points"] = True
    app.session_state["home_points_line"] = line.replace("Ada", "Bob")
    rerun(app)
    assert "Take these points over" not in [button.label for button in app.button]  # changed, so not taken
    app.text_input(key="home_points_line").set_value(line)
    rerun(app)
    press(app, "Take these points over")
    assert any("Your points: 16 of" in one.label for one in app.expander)  # 15 here are more than 12
    assert app.text_input(key="home_points_name").value == "Ada"
    assert "Take these points over" not in [button.label for button in app.button]


def test_points_are_not_lost_by_another_run():
    app = at("scaling", "softmax")
    solve(app, "softmax")
    before = app.session_state["exercises_solved"]["softmax"]
    press(app, "Show a hint (3 left)")
    typed(app, "softmax", "def softmax(x):\n    return x\n")
    press(app, "Run")
    assert app.session_state["exercises_solved"]["softmax"] == before


def test_a_report_of_any_kind_can_be_shown(monkeypatch):
    strange = TestOutcome(
        "odd <i>", False, "it returned <b>text</b>", (2,), (3, 4), ((0, 1), float("nan"), 0.5), None, 1.0
    )
    for status in ("failed", "refused", "error", "timeout", "memory", "crashed", "busy", "unavailable"):
        report = Report(status, "A <script>sentence</script>.", 3, (strange,), "x" * 50, ("nonsense",), ((1, "<u>"),))
        app = at("qkv", "attention")
        app.session_state["exercises"]["attention"] = Work("x", tries=1, report=report, ran="y")
        rerun(app)
        assert "A <script>sentence</script>." in said(app)
        assert "You changed the text" in said(app)


LEAST = "np.finfo(float).min"
ODD = {
    "the smallest number as a mask": ("causal_mask", f"np.triu(np.full((n, n), {LEAST}), 1)", 3),
    "the smallest number as a score": ("softmax", f"x * 0 + {LEAST}", 3),
    "a billion rows of nothing": ("softmax", "np.zeros((10**9, 0))", 1),
    "no column": ("scores", "(Q @ K.T)[:, :0]", 1),
    "no column of one's own words": ("multi_head", "X[:, :0]", 1),
    "weights without a square": ("multi_head", "(X @ W_O, np.zeros((n_heads, 5, 3)))", 3),
    "weights without a cell": ("multi_head", "(X @ W_O, np.zeros((n_heads, 0, 0)))", 3),
    "infinities": ("scores", "Q @ K.T * np.inf", 3),
}


@pytest.mark.parametrize("kind", ODD)
def test_a_report_of_odd_numbers_is_drawn_and_the_page_stands_at_every_rerun(kind):
    name, returned, n_charts = ODD[kind]
    exercise = EXERCISES[name]
    app = at(exercise.lesson, name)
    before = len(charts(app))
    typed(app, name, f"import numpy as np\ndef {exercise.signature}:\n    return {returned}\n")
    press(app, "Run")
    rerun(app)
    assert "✕ Not yet." in said(app)
    assert len(charts(app)) - before == n_charts


@pytest.mark.promise("tutorial 32")
def test_a_report_that_cannot_be_drawn_takes_nothing_else_with_it(monkeypatch, caplog):
    def fail(*_, **__):
        raise OverflowError("too large to draw")

    app = opened("qkv", {"qkv_ask": "no", "qkv_exercise": "attention_weights"}, "streamlit_app.py")
    links, names = len(app.get("page_link")), {button.label for button in app.button}
    monkeypatch.setattr(feedback, "matrices", fail)
    typed(app, "attention_weights", WRONG)
    app.button(key="qkv_run").click()
    app.run()
    assert not app.exception
    assert feedback.UNDRAWN in said(app)
    assert "✕ Not yet." in said(app)
    assert [record.exc_info[0] for record in caplog.records if record.name == feedback.__name__] == [OverflowError]
    assert len(app.get("page_link")) == links
    assert {button.label for button in app.button} >= names
    assert {"Download", "Code behind this view"} <= {part.label for part in app.expander}


def test_nothing_was_solved_in_a_bare_run():
    assert solved() == {}
