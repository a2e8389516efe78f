"""What short names say: labels of steps and controls, axes, and the columns of the tables that students keep."""

import pytest

from pages.charts.chart import Chart
from pages.page.links.course import LESSONS
from pages.reproduce.files import table
from tests.app.steps import step
from tests.lessons import steps_of
from tests.words import Said, words_not_said

STEPS = [(lesson.name, name) for lesson in LESSONS for name in steps_of(lesson.name)]


def titles_in(specification):
    """Yield the titles within a specification of Vega-Lite."""
    if isinstance(specification, dict):
        for key, value in specification.items():
            if key == "title" and isinstance(value, str):
                yield value
            else:
                yield from titles_in(value)
    elif isinstance(specification, list):
        for part in specification:
            yield from titles_in(part)


@pytest.mark.parametrize(("lesson", "name"), STEPS)
def test_labels_axes_and_columns_say_the_words_of_the_field(lesson, name):
    page = step(lesson, name).page
    shown = [block for block in page.shown if isinstance(block, Chart)]
    names = [control.label for control in page.controls.made.values()]
    names += [chart.name for chart in shown]
    names += [column for chart in shown for column in table(chart).columns]
    names += [title for chart in shown for title in titles_in(chart.specification)]
    assert names
    assert [line for text in names for line in words_not_said(Said(name, 0, str(text)))] == []
