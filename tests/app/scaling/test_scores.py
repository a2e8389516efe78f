"""scores: the histogram of many draws, and the weights of the first."""

import math
import re
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.random_scores import DIVISORS, divisor
from tests.app.scaling.scene import close, page, products, shares, written
from tests.app.steps import step
from tests.app.visits import click, heatmap, said, shared

show = partial(step, "scaling", "scores")


@pytest.mark.parametrize("named", DIVISORS)
@pytest.mark.parametrize("d_k", [1, 64, 512])
@pytest.mark.promise("scaling 3", "tutorial 33")
def test_the_histogram_counts_scores_and_the_map_is_their_softmax(d_k, named):
    histogram, weights = show(d_k=d_k, divide=named).charts
    close(heatmap(weights).values, shares(products(d_k) / divisor(named, d_k)))
    bars = histogram.data
    counted = bars[bars["kind"] == "bin"]
    assert counted["share"].sum() == pytest.approx(1)
    assert (counted["start"].min(), counted["end"].max()) == (-60, 60)
    middles = (counted["start"] + counted["end"]) / 2
    deviation = math.sqrt(d_k) / divisor(named, d_k)
    if 1 <= deviation < 10:
        assert math.sqrt((counted["share"] * middles**2).sum()) == pytest.approx(deviation, rel=0.1)
    theory = bars[bars["kind"] == "theory"]
    peak = 1 / (deviation * math.sqrt(2 * math.pi))
    assert theory["share"].max() == pytest.approx(peak)  # bins are 1 wide, so a density is a share


def test_the_card_of_a_weight_goes_from_product_to_share():
    text = said(show(q=3, k=5))
    score = products()[2] / 8
    assert f"How q₃ → k₅ became {written(shares(score)[4])}" in re.sub(r"\s+", " ", text)
    for value in (products()[2, 4], score[4], math.exp(score[4]), np.exp(score).sum()):
        assert written(value) in text


def test_a_click_chooses_the_weight_of_the_card():
    app = page(step="scores")
    click(app, 2, 4)
    assert shared(app) == {"scaling_step": "scores", "scaling_q": "3", "scaling_k": "5"}
    assert "How q₃ → k₅ became" in re.sub(r"\s+", " ", said(app))
