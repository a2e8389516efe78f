"""softmax, closely: what a constant does to the weights, and what the wrong axis does."""

from functools import partial

import numpy as np
import pytest

from tests.app.qkv.scene import close, computed, each_kind, shares
from tests.app.steps import step
from tests.app.visits import charts, domain, heatmap

show = partial(step, "qkv", "detail", weights="random")


def before_and_after(app):
    before, after = charts(app)[-2:]
    assert domain(before) == domain(after) == [0, 1]
    shape = heatmap(after).values.shape
    return heatmap(before).values, heatmap(after).values, after.data["moved"].to_numpy().reshape(shape)


@each_kind
def test_a_constant_on_a_row_moves_nothing(link):
    expected = computed(**link)
    app = show(experiment="add to a row", amount="-3.5", q="on", **link)
    before, after, outlined = before_and_after(app)
    close(before, expected.softmax)
    close(after, expected.softmax)
    assert not outlined.any()


@each_kind
def test_a_constant_on_a_column_moves_the_rows_that_see_it(link):
    expected = computed(**link)
    app = show(experiment="add to a column", amount="2", k="cat", **link)
    before, after, outlined = before_and_after(app)
    raised = expected.masked.copy()
    raised[:, 1] += 2
    close(before, expected.softmax)
    close(after, shares(raised))
    difference = np.abs(after - before)
    assert outlined[difference > 1e-6].all()
    assert not outlined[difference < 1e-12].any()
    assert outlined.any()


@each_kind
def test_softmax_over_columns_makes_no_weights_of_rows(link):
    expected = computed(**link)
    _, after, _ = before_and_after(show(experiment="wrong axis", **link))
    close(after, shares(expected.masked, axis=0))
    close(after.sum(axis=0), 1)
    assert np.abs(after.sum(axis=1) - 1).max() > 0.01


@pytest.mark.parametrize("variant", range(4))
def test_rows_and_columns_are_asked_in_turn_before_the_maps(variant):
    app = show(unanswered=("shift",), variants={"shift": variant})
    assert app.question("shift").right == ((2,) if variant % 2 else (0,))
    assert not charts(app)
    assert len(charts(show(variants={"shift": variant}))) == 2


def test_the_explanation_is_of_what_was_asked_whatever_the_map_shows():
    """It stands above the map of another experiment too."""
    why = show(experiment="wrong axis").question("shift").why
    assert "Every exponential of the row is multiplied by e" in why
