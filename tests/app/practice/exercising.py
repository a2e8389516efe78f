"""What a student does with an exercise."""

from pages.exercises.catalogue import EXERCISES, tasks_of
from tests.app.visits import press, report, sent, sent_to, visit

WRONG = "def compute_attention_weights(Q, K):\n    return Q @ K.T\n"


def at(lesson, exercise, **link):
    return visit(lesson, ask="no", exercise=exercise, **link)


def typed(app, exercise, text):
    """Type a program, as the editor reports it."""
    app.session_state["exercises"][exercise].text = text
    return app


def at_task(kind):
    """Open the task of a kind in the first lesson; return the page, the task and the label of its button."""
    ((number, task),) = [(i + 1, task) for i, task in enumerate(tasks_of("qkv")) if isinstance(task, kind)]
    return visit("qkv", ask="no", exercise=f"task{number}"), task, f"Task {number}"


def answered(app, task, right, last=False):
    """Choose the first right or wrong expression for a gap, or the last one."""
    given = [i for i in range(4) if (i in task.question.right) == right][-last]
    app.radio(key=f"qkv_{task.id}_given").set_value(given)
    return press(app, f"FormSubmitter:qkv_{task.id}_form-Check")


def ordered(app, order, check=True):
    """Put lines in order, as the browser reports it, and have them judged."""
    (drawn,) = sent_to(app, "attention_line_order")
    report(app, drawn, "order", order)
    assert sent(app, "attention_line_order")["order"] == order
    return press(app, "Check") if check else app


def solve(app, exercise):
    typed(app, exercise, EXERCISES[exercise].solution)
    return press(app, "Run")
