"""What a step shows in short: the words of labels, axes and columns, and its numbers, each in one way."""

import html
import re

import pytest

from pages.charts.chart import Chart
from pages.links.course import LESSONS
from pages.reproduce.files import table
from tests.app.charts import titles_in
from tests.app.steps import step
from tests.lessons import steps_of
from tests.words import Said, words_not_said

HYPHEN = r"(?<![\w.\-–—])-\d"  # for a minus sign
# Thousands parted by a space, or not at all.
THOUSANDS = r"(?<![\w-])\d{1,3}[ \u00a0\u2009\u202f]\d{3}\b(?! ×)|(?<![\d.,#])\d{5,}(?![\d.]*\w)"


@pytest.mark.parametrize(("lesson", "name"), [(one.name, name) for one in LESSONS for name in steps_of(one.name)])
def test_a_step_says_the_words_of_the_field_and_writes_its_numbers_in_one_way(lesson, name):
    seen = step(lesson, name)
    shown = [block for block in seen.page.shown if isinstance(block, Chart)]
    names = [control.label for control in seen.page.controls.made.values()]
    names += [chart.name for chart in shown]
    names += [column for chart in shown for column in table(chart).columns]
    names += [title for chart in shown for title in titles_in(chart.specification)]
    assert [line for text in names for line in words_not_said(Said(name, 0, str(text)))] == []
    texts = [" ".join(seen.html), *(chart.alt for chart in seen.charts)]
    texts += [text for question in seen.page.asked for text in (question.text, question.why)]
    assert [text[max(0, at.start() - 30) : at.end() + 10] for text in texts for at in found_in(text)] == []


def found_in(text):
    plain = html.unescape(re.sub(r"<pre.*?</pre>|<code>.*?</code>|<[^>]*>", " ", text))
    return [*re.finditer(HYPHEN, plain), *re.finditer(THOUSANDS, plain)]


def test_what_is_written_another_way_is_found():
    assert found_in("it is -3")
    assert found_in("1 024 tokens")
    assert found_in("10000 tokens")
    assert not found_in("−3 of 1,024 tokens, seed 9999, 0.12345, 10⁻³ and a–b")
