"""order: what another order does to the outputs, without positions and with them."""

from functools import partial

import numpy as np
import pytest

from pages.look.html import number
from pages.positional_encoding.order import EXAMPLE, orders_of
from tests.app.positional_encoding.scene import VARIANTS
from tests.app.steps import step
from tests.app.visits import domain, heatmap

show = partial(step, "positional_encoding", "order")
WORDS = EXAMPLE.split()
ORDERS = [*orders_of(WORDS)]


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("other", ORDERS)
def test_only_with_positions_another_order_changes_the_outputs(other, told):
    seen = show(other=other, told=str(told).lower())
    assert [heatmap(chart).rows for chart in seen.charts[:2]] == [WORDS, other.split()]
    assert seen.charts[1].data["moved"].to_numpy().reshape(3, -1).any(axis=1).all() == told
    assert seen.charts[1].data["moved"].any() == told
    assert domain(seen.charts[0]) == domain(seen.charts[1]) == [-4, 4]


@pytest.mark.parametrize("other", ORDERS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_question_is_about_a_word_that_moves_and_its_row_is_blank(variant, other):
    seen = show(unanswered="all", variants={"order": variant}, other=other)
    question = seen.question("order")
    row, _ = question.place
    assert other.split()[row] != WORDS[row]
    data = seen.charts[1].data
    assert np.isnan(data["output"]).all()
    assert data[data["text"] == "?"]["i"].unique().tolist() == [row]


@pytest.mark.parametrize(
    ("typed", "labels"),
    [
        ("the cat the", ["the₁", "cat", "the₃"]),
        ("x", WORDS),
        ("", WORDS),
        ("a b c d e f g h", [*"abcdef"]),
        ("a b", ["a", "b"]),
    ],
)
def test_words_of_ones_own_are_put_in_another_order(typed, labels):
    seen = show(three=typed)
    assert [heatmap(chart).rows for chart in seen.charts[:2]] == [labels, labels[::-1]]
    assert not seen.charts[1].data["moved"].any()


def test_a_number_that_looks_the_same_is_not_outlined_as_another():
    left, right = (chart.data.set_index(["query", "entry"]) for chart in show(three="ha ha ha", told="true").charts[:2])
    differ = left["output"].map(number).loc[right.index] != right["output"].map(number)
    assert right["moved"].tolist() == differ.tolist()
    assert right["moved"].sum() == 6
