"""Any numbers at all, in matrices of any size: every chart is made of them, and so is every report of a run."""

import base64
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pages.charts.chart import LAST_RUNG, Chart, rung
from pages.exercises.catalogue import EXERCISES
from pages.exercises.exercise import Case
from pages.exercises.grading.grade import report
from pages.exercises.lessons.whole_layer import own_words
from pages.exercises.runner.slots import Output
from pages.practice.feedback import draw_report
from tests.charts.samples import BUILDERS, drawn

ENDS = [0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, np.finfo(float).max, np.finfo(float).min, 5e-324, -1e9]
NUMBERS = st.floats() | st.sampled_from(ENDS)
few = settings(max_examples=4)


def numbers(n_axes):
    """Return arrays of any numbers, also without any."""
    shapes = array_shapes(min_dims=n_axes, max_dims=n_axes, min_side=0, max_side=4)
    return arrays(np.float64, shapes, elements=NUMBERS)


@pytest.mark.parametrize("build", BUILDERS, ids=lambda build: build.__name__)
@few
@given(st.data())
def test_a_chart_can_be_made_and_drawn_of_any_numbers(build, data):
    values = data.draw(numbers(BUILDERS[build]))
    with np.errstate(all="ignore"):
        chart = build(values)
    assert isinstance(chart, Chart)
    svg = drawn(chart)
    assert not re.search(r' (?:d|x|y|x2|y2|width|height|transform|fill)="[^"]*(?:NaN|undefined)', svg)


@given(st.floats(min_value=0))
def test_a_rung_holds_its_number_and_twice_a_rung_is_still_a_number(number):
    found = rung(number)
    assert np.log2(found) in range(LAST_RUNG + 1)
    assert np.isfinite(2 * found)
    assert found >= number * (1 - 1e-8) or number > 2.0**LAST_RUNG
    assert found == 1 or found / 2 < number


class Written:
    """A page that keeps what was written and shown."""

    name = "multi_head"

    def __init__(self):
        self.html, self.charts = [], []

    def write(self, html, look=""):
        self.html.append(html)

    def show(self, chart, note=""):
        self.charts.append(chart)


def packed(array):
    data = base64.b64encode(array.astype("<f8").tobytes()).decode()
    return {"kind": "array", "dtype": "<f8", "shape": list(array.shape), "data": data}


@st.composite
def returned(draw, case, reference):
    """Draw what a function may return: numbers in the right shape or another, alone or with weights, or no numbers."""
    kind = draw(st.sampled_from(["right shape", "right shape", "other shape", "pair", "large", "none"]))
    if kind == "large":
        return {"kind": "large", "shape": draw(st.lists(st.integers(0, 2**62), max_size=64))}
    if kind == "none":
        return {"kind": "other", "type": "NoneType"}
    right = reference(*case.arguments)
    shape = np.shape(right[0] if isinstance(right, tuple) else right)
    output = draw(numbers(2)) if kind == "other shape" else draw(arrays(np.float64, shape, elements=NUMBERS))
    if kind == "pair":
        return {"kind": "parts", "parts": [packed(output), packed(draw(numbers(3)))]}
    return packed(output)


@pytest.mark.parametrize("name", EXERCISES)
@few
@given(st.data())
def test_every_report_can_be_drawn_whatever_numbers_came_back(name, data):
    exercise = EXERCISES[name]
    cases = exercise.cases(np.random.default_rng(3))[:3]
    own: Case | None = own_words(["a", "b", "c"], 4, 2) if name == "multi_head" else None
    values = [data.draw(returned(case, exercise.reference)) for case in [*cases, *([own] if own else [])]]
    sent = [*({"event": "value", "value": value} for value in values), {"event": "done"}]
    found = report(exercise, cases, Output(b"\n".join(json.dumps(message).encode() for message in sent), 0), own)
    page = Written()
    draw_report(page, exercise, found)
    assert found.status in ("failed", "passed")
    assert not re.search(r"[\d,]{25}", " ".join(page.html))  # 1e308 is not written out
    assert all(len(chart.data) for chart in page.charts)
