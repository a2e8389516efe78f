"""Numbers as they are written: one minus sign, one sign between thousands, on every step of every lesson."""

import re

import pytest

from pages.page.links.course import LESSONS
from tests.app.steps import step
from tests.app.visits import said
from tests.lessons import steps_of

STEPS = [(lesson.name, name) for lesson in LESSONS for name in steps_of(lesson.name)]
HYPHEN = r"(?<![\w.\-–—])-\d"  # for a minus sign
# Thousands parted by a space, or not at all.
THOUSANDS = r"(?<![\w-])\d{1,3}[ \u00a0\u2009\u202f]\d{3}\b(?! ×)|(?<![\d.,#])\d{5,}(?![\d.]*\w)"


@pytest.mark.parametrize(("lesson", "name"), STEPS)
def test_a_step_writes_minus_signs_and_thousands_in_one_way(lesson, name):
    seen = step(lesson, name)
    texts = [said(seen), *(chart.alt for chart in seen.charts)]
    texts += [text for question in seen.page.asked for text in (question.text, question.why)]
    found = [text[max(0, match.start() - 30) : match.end() + 10] for text in texts for match in found_in(text)]
    assert found == []


def found_in(text):
    plain = re.sub(r"<pre.*?</pre>|<code>.*?</code>|<[^>]*>", " ", text)
    return [*re.finditer(HYPHEN, plain), *re.finditer(THOUSANDS, plain)]


def test_what_is_written_another_way_is_found():
    assert found_in("it is -3")
    assert found_in("1 024 tokens")
    assert found_in("10000 tokens")
    assert not found_in("−3 of 1,024 tokens, seed 9999, 0.12345, 10⁻³ and a–b")
