"""overflow: overflow and saturation, and the remedy of each."""

import html
import math
import re
from functools import partial

import numpy as np
import pytest

from pages.scaling.overflow import LARGEST, STEP
from tests.app.scaling.scene import as_float, products, softmaxed, step, written

show = partial(step, "scaling", "overflow")
KINDS = OVERFLOW, UNDERFLOW, SATURATED, OPEN = ("overflow", "underflow", "saturated", "no problem")


def panels(seen):
    """Return what is said of the row under neither remedy, each, and both."""
    (board,) = [block for block in seen.html if "divide and subtract" in block]
    text = html.unescape(re.sub("<[^>]*>", " ", board))
    found = re.split(r"\b(?:neither|divide and subtract|divide|subtract)\b", text)[1:]
    return [" and ".join(kind for kind in KINDS if kind in part) for part in found]


@pytest.mark.promise("scaling 5", "tutorial 10")
def test_each_switch_fixes_its_own_trouble():
    assert panels(show()) == [OVERFLOW, OVERFLOW, SATURATED, OPEN]


def test_without_a_constant_nothing_overflows_and_saturation_stays():
    assert panels(show(add=0)) == [SATURATED, OPEN, SATURATED, OPEN]


def test_powers_that_round_to_0_have_not_overflowed():
    assert panels(show(add=-150))[:2] == [UNDERFLOW, UNDERFLOW]
    with np.errstate(under="ignore"):
        assert not np.exp((products()[0] - 150).astype(np.float32)).any()


def test_a_short_key_overflows_without_being_saturated():
    assert panels(show(d_k=1)) == [OVERFLOW, OVERFLOW, OPEN, OPEN]


@pytest.mark.parametrize("divide", [False, True])
@pytest.mark.parametrize("subtract", [False, True])
def test_the_table_shows_the_way_of_the_chosen_switches(divide, subtract):
    link = {name: "true" for name, on in (("divided", divide), ("subtract", subtract)) if on}
    (table,) = [block for block in show(**link).html if "score s" in block]
    scores = products()[0] / (8 if divide else 1) + 100
    for value in scores:
        assert f"{value:.4f}" in table
    assert ("NaN" in table) == (not subtract)
    if subtract:
        for share in softmaxed(scores):
            assert written(share) in table


def test_not_a_number_comes_of_infinity_over_infinity():
    with np.errstate(all="ignore"):
        power = np.exp(np.float32(LARGEST + 1))
        assert np.isinf(power)
        assert np.isnan(power / power)
        assert np.exp(np.float32(0)) / power == 0  # so the other weights are 0, not NaN
    assert "∞ ÷ ∞" in STEP.text


def test_a_sum_of_powers_that_overflows_is_told():
    link = {"d_k": 512, "length": 16, "seed": 4, "q": 11, "add": 70}
    with np.errstate(over="ignore"):
        powers = np.exp((products(512, 16, 4)[10] + 70).astype(np.float32))
        assert np.isfinite(powers).all()
        assert np.isinf(powers.sum())
    seen = show(**link)
    assert panels(seen)[0] == OVERFLOW
    assert any("the sum of the powers is ∞" in block for block in seen.html)


def test_the_largest_power_that_is_told_fits_and_the_next_does_not():
    with np.errstate(over="ignore"):
        assert np.isfinite(np.exp(np.float32(LARGEST)))
        assert np.isinf(np.exp(np.float32(LARGEST + 0.1)))


@pytest.mark.parametrize("divide", ["false", "true"])
def test_a_weight_checks_on_a_pocket_calculator(divide):
    (steps,) = [block for block in show(add=0, divided=divide).html if "score s" in block]
    rows = [re.findall('<td style="text-align:right">(.*?)</td>', row) for row in steps.split("<tr>")[2:]]
    *keys, (_, total, whole) = [[as_float(text) if text else 0 for text in row] for row in rows]
    assert whole == 1
    for score, power, weight in keys:
        assert math.exp(score) == pytest.approx(power, rel=0.06 if power >= 10_000 else 6e-4)
        assert power / total == pytest.approx(weight, abs=0.006 if total < 10_000 else 0.06)


def test_what_one_remedy_alone_makes_of_the_row_is_predicted():
    assert show().question("two").right == (0,)
    assert show(variants={"two": 1}).question("two").right == (1,)
    assert show(add=0).question("two").right == (2,)


def test_the_question_on_overflow_tells_the_order_by_which_it_does():
    text = show().question("two").text
    first, second = sorted(products()[0])[:-3:-1]
    assert f"are {written(first)} and {written(second)}" in re.sub("<[^>]*>", "", text)
    assert text.index("divided by") < text.index("100 is added")
    with np.errstate(over="ignore"):
        assert np.isinf(np.exp((products()[0] / 8 + 100).astype(np.float32))).any()
    assert np.isfinite(np.exp(((products()[0] + 100) / 8).astype(np.float32))).all()  # the other way round
