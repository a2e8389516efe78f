"""softmax, closely: the formula as it stands, and with the maximum of the row subtracted."""

from functools import partial

import numpy as np
import pytest

from tests.app.qkv.scene import close, computed, each_kind, shares
from tests.app.steps import step

show = partial(step, "qkv", "softmax")


@each_kind
@pytest.mark.parametrize("times", [1, 10, 100])
@pytest.mark.promise("qkv 4")
def test_both_formulas_agree_while_the_powers_are_small(link, times):
    row = computed(**link).masked[1] * times
    both = show(times=times, q="cat", **link).result("both_ways")
    close(both.scores, row)
    close(both.plain_shares, shares(row))
    close(both.shifted, np.exp(row - row.max()))
    close(both.shares, shares(row))


@pytest.mark.promise("tutorial 4")
def test_a_thousandfold_the_plain_formula_breaks_and_the_stable_one_does_not():
    row = computed().scaled[1] * 1000
    both = show(times="1000", q="cat", weights="random").result("both_ways")
    assert (row > 710).any()
    np.testing.assert_array_equal(np.isinf(both.plain), row > 710)
    np.testing.assert_array_equal(np.isnan(both.plain_shares), row > 710)
    close(both.shares, shares(row))
