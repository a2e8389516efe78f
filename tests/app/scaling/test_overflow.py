"""overflow: overflow and saturation, and the remedy of each."""

from functools import partial

import numpy as np
import pytest

from pages.scaling.overflow import kind_of
from tests.app.scaling.scene import products, softmaxed, step
from tests.app.visits import heatmap

show = partial(step, "scaling", "overflow")
OVERFLOW, SATURATED, OPEN = range(3)


def outcomes(**link):
    """Return the row under neither remedy, each, and both."""
    return show(**link).result("found")


@pytest.mark.parametrize(
    ("link", "kinds"),
    [
        ({}, [OVERFLOW, OVERFLOW, SATURATED, OPEN]),
        ({"add": 0}, [SATURATED, OPEN, SATURATED, OPEN]),
        ({"add": -150}, [OVERFLOW, OVERFLOW, SATURATED, OPEN]),  # where all powers round to 0
        ({"d_k": 1}, [OVERFLOW, OVERFLOW, OPEN, OPEN]),  # a short key overflows without being saturated
    ],
)
def test_each_switch_fixes_its_own_trouble(link, kinds):
    found = outcomes(**link)
    assert [kind_of(outcome) for outcome in found] == kinds
    scores = products(link.get("d_k", 64))[0]
    for outcome, by in zip(found, (1, np.sqrt(link.get("d_k", 64))) * 2, strict=True):
        if not outcome.overflowed:
            np.testing.assert_allclose(outcome.weights, softmaxed(scores / by), atol=2e-5)  # of 32 bits
    assert found[0].exponentials.any() == (link.get("add") != -150)


@pytest.mark.parametrize("number", range(4))
def test_the_number_in_view_is_that_of_the_chosen_switches(number):
    link = {"divided": str(number % 2 == 1).lower(), "subtract": str(number > 1).lower()}
    assert show(**link).page.view.number[0] == f"found.{outcomes()._fields[number]}.weights"


def test_a_sum_of_powers_may_overflow_where_no_power_does():
    found = outcomes(d_k=512, length=16, seed=4, q=11, add=70)[0]
    assert np.isfinite(found.exponentials).all()
    assert kind_of(found) == OVERFLOW


def test_the_picture_shows_the_row_under_each_remedy_and_marks_what_is_right():
    chart, bars = show().charts
    found = outcomes()
    np.testing.assert_array_equal(heatmap(chart).values, np.nan_to_num([one.weights for one in found]))
    assert [row[-1] for row in heatmap(chart).rows] == ["✓" if kind_of(one) == OPEN else "✕" for one in found]
    np.testing.assert_array_equal(bars.data["value"], found[0].scores)
