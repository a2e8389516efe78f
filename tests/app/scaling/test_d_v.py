"""d_v: divided by the root of the wrong width."""

import math

import pytest

from tests.app.scaling.scene import close, products, softmaxed, step
from tests.app.visits import heatmap


@pytest.mark.parametrize("d_v", [4, 64, 512])
def test_dividing_by_the_wrong_width_hides_while_both_are_equal(d_v):
    seen = step("scaling", "d_v", d_v=d_v)
    good, bad = seen.charts
    close(heatmap(good).values, softmaxed(products() / 8))
    close(heatmap(bad).values, softmaxed(products() / math.sqrt(d_v)))
    assert (heatmap(good).values == heatmap(bad).values).all() == (d_v == 64)


def test_the_first_view_shows_the_wrong_width_fail():
    good, bad = step("scaling", "d_v").charts
    assert not (heatmap(good).values == heatmap(bad).values).any()
