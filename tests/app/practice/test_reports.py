"""Whatever a run reports can be shown, and takes nothing else of the page with it."""

import numpy as np
import pytest

from pages.exercises import Outcome, Report
from pages.exercises.catalogue import EXERCISES
from pages.exercises.exercise import Case
from pages.exercises.grading.report import NO_VERDICT
from pages.practice import feedback
from pages.practice.progress import Work
from tests.app.practice.exercising import WRONG, at, typed
from tests.app.visits import charts, opened, press, rerun, said


def test_a_report_of_any_kind_can_be_shown(monkeypatch):
    inputs, shown = (np.eye(2),) * 3, np.array([[1.0, np.nan]])
    strange = Outcome(Case("odd <i>", inputs), shown, None, np.eye(2), "it returned <b>text</b>", numbers=True)
    for status in ("failed", "refused", "error", "timeout", "memory", "crashed", *NO_VERDICT):
        report = Report(status, "A <script>sentence</script>.", (strange,), "x" * 50, ("nonsense",), ((1, "<u>"),))
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
    assert name != "scores" or "attention map" not in said(app)  # scores of another shape lack no weights


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
