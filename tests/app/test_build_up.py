"""Pictures that are built up part by part where one walks to them; a link opens the whole."""

from importlib import import_module

import pytest

from pages.links.course import LESSONS
from pages.page.steps import BUILT
from tests.app.visits import press, reveal, said, to_step, visit
from tests.lessons import path_of

PATHS = {lesson.name: path_of(lesson.name) for lesson in LESSONS}
STEPS = {
    (lesson, name): import_module(f"pages.{lesson}.{name}").STEP for lesson, path in PATHS.items() for name in path
}
BUILT_UP = [place for place, said in STEPS.items() if BUILT in said.experiment.split()]


def more(app):
    return [button.label for button in app.button if button.label.startswith("Add part")]


@pytest.mark.parametrize(("lesson", "name"), BUILT_UP)
def test_each_press_adds_a_part_up_to_what_a_link_opens_and_only_once(lesson, name):
    other = PATHS[lesson][PATHS[lesson].index(name) - 1]
    app = to_step(visit(lesson, step=other), name)
    asks_first = not more(app)  # where what is built up would answer the question
    if asks_first:
        reveal(app)
    parts = [said(app)]
    while offered := more(app):
        parts.append(said(press(app, offered[0])))
    whole = visit(lesson, step=name)
    assert parts[-1] == said(reveal(whole) if asks_first else whole)
    assert len(set(parts)) == len(parts) > 2
    assert not more(to_step(to_step(app, other), name))
