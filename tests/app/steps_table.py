"""What a plan says of steps that this visit has not drawn: `python -m tests.app.steps_table` writes it down."""

import json
from importlib import import_module

from pages.links.course import LESSONS
from pages.teaching.plan import STEPS
from tests.app.every_page import quick
from tests.app.visits import opened
from tests.lessons import names_of

NO_LOCKS = {"step", "quiz", "exercise", "later"}


def found(lesson, step):
    """Return the label of a step, and those of its controls and questions by their words in a link."""
    app = opened(lesson, quick(lesson) | {f"{lesson}_step": step, f"{lesson}_ask": "no"})
    known = app.session_state[f"_{lesson}_known"]
    label = import_module(f"pages.{lesson}.{step}").STEP.label
    return [label, {name: one.label for name, one in known.items() if name not in NO_LOCKS}]


if __name__ == "__main__":
    every = {one.name: {step: found(one.name, step) for step in names_of(one.name)} for one in LESSONS}
    lines = json.dumps(every, ensure_ascii=False).replace("]], ", "]],\n")
    STEPS.write_text(lines.replace("}], ", "}],\n").replace("}]}, ", "}]},\n") + "\n", encoding="utf-8")
