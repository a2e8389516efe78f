"""Facts: the largest, the equal and the changed are decided on the numbers as they are shown."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.look import facts
from pages.look.html import number

FINITE = st.floats(-1e6, 1e6).map(lambda value: value + 0.0)
SENTENCES = {"none": "0", "one": "{names} {value}", "several": "{count} of {total}: {names}", "all": "each {value}"}


@given(FINITE, st.integers(0, 6))
def test_a_number_counts_as_it_is_shown(value, digits):
    assert number(float(facts.as_shown(value, digits)), digits) == number(value, digits)


@pytest.mark.parametrize(
    ("values", "kind", "places", "told"),
    [
        ([0.4, 0.202, 0.398], "several", (0, 2), "2 of 3: “\u2068a\u2069” and “\u2068c\u2069”"),
        ([0.1, 0.7, 0.2], "one", (1,), "“\u2068b\u2069” 0.70"),
        ([0.333, 0.3331, 0.3329], "all", (0, 1, 2), "each 0.33"),
        ([0.004, 0.0, 0.0], "none", (0, 1, 2), "0"),
        ([0.125, 0.12499999999999997, 0.1], "several", (0, 1), "2 of 3: “\u2068a\u2069” and “\u2068b\u2069”"),
        ([np.nan, -2.0, -3.0], "one", (1,), "“\u2068b\u2069” −2.00"),
    ],
)
def test_the_largest_are_none_one_several_or_all(values, kind, places, told):
    found = facts.largest(values)
    assert (found.kind, found.places, found.tell("abc", **SENTENCES)) == (kind, places, told)


def test_of_no_number_none_is_the_largest():
    assert facts.largest([]).tell(**SENTENCES) == "0"


def test_a_cell_is_the_first_of_equal_ones_and_furthest_counts_both_signs():
    values = np.array([[0.0, -2.0], [2.001, 1.0]])
    assert facts.furthest(values).cell == (0, 1)
    assert facts.largest(values).cell == (1, 0)
    assert facts.smallest(values).shown == "−2.00"
    assert facts.nearest(values, 1.2).first == 3


@given(st.lists(FINITE, min_size=1, max_size=9), st.integers(0, 2**32 - 1))
def test_rounding_changes_no_order(values, seed):
    shaken = np.array(values) * (1 + 1e-15 * np.random.default_rng(seed).choice([-1, 1], len(values)))
    halves = np.abs(np.abs(np.array(values)) * 100 % 1 - 0.5) < 1e-5  # what the digits themselves decide by chance
    if not halves.any():
        assert facts.ordered(shaken) == facts.ordered(values)
    assert sorted(facts.ordered(values)) == list(range(len(values)))


def test_equal_numbers_stay_in_order():
    assert facts.ordered([0.301, 0.5, 0.299, 0.5]) == [1, 3, 0, 2]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [(1.514, 1.506, "stays at 1.51"), (1.514, 1.504, "from 1.51 down to 1.50"), (-0.001, 0.02, "from 0.00 up to 0.02")],
)
def test_what_looks_the_same_neither_falls_nor_rises(before, after, told):
    ways = {
        "falls": "from {before} down to {after}",
        "stays": "stays at {after}",
        "rises": "from {before} up to {after}",
    }
    assert facts.tell_change(before, after, **ways) == told


def test_what_rounding_changed_is_no_change():
    before = np.array([0.0, 1.0, 1e6, np.inf, np.nan, -np.inf, 1.0])
    after = np.array([1e-10, 1 + 1e-8, 1e6 + 1e-4, np.inf, np.nan, np.inf, np.inf])
    assert facts.differs(before, after).tolist() == [False, True, False, False, False, True, True]


def test_names_and_counts_are_read_aloud():
    assert [facts.listed("abcdefgh"[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert facts.listed("abcdefg") == "a, b, c and 4 more"
    assert [facts.several(n, "row") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert facts.several(2, "query", "queries") == "2 queries"
    told = [facts.of_several(n, total, "row") for n, total in ((0, 0), (0, 1), (1, 1), (0, 3), (2, 3), (3, 3))]
    assert told == ["no row", "no row", "the only row", "none of 3 rows", "2 of 3 rows", "all 3 rows"]
