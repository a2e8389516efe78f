"""What a student does with an exercise."""

import json

from pages.exercises.catalogue import EXERCISES
from tests.app.visits import press, report, sent_to, visit

WRONG = "def compute_attention_weights(Q, K):\n    return Q @ K.T\n"


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
