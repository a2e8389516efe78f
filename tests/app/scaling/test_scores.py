"""scores: the histogram of many trials, and the weights of the first."""

import math
from functools import partial

import pytest

from attention_core.experiments.scaling.random_scores import DIVISORS, divisor
from tests.answers.view import numbers
from tests.app.scaling.scene import CHOSEN_AS, close, page, products, softmaxed, step
from tests.app.visits import click, heatmap, shared
from tests.tiers import first

show = partial(step, "scaling", "scores")


@pytest.mark.parametrize("named", DIVISORS)
@pytest.mark.parametrize("d_k", first(2, [64, 1, 4, 16, 512]))
def test_the_histogram_counts_scores_and_the_map_is_their_softmax(d_k, named):
    histogram, weights = show(d_k=d_k, divide=CHOSEN_AS[named]).charts
    close(heatmap(weights).values, softmaxed(products(d_k) / divisor(named, d_k)))
    bars = histogram.data
    counted = bars[bars["kind"] == "bin"]
    assert counted["fraction"].sum() == pytest.approx(1)
    deviation = math.sqrt(d_k) / divisor(named, d_k)
    room = 8 if deviation < 2.7 else 20 if deviation < 6.7 else 60
    assert (counted["start"].min(), counted["end"].max()) == (-room, room)
    middles, width = (counted["start"] + counted["end"]) / 2, room / 40
    if deviation > width:
        assert math.sqrt((counted["fraction"] * middles**2).sum()) == pytest.approx(deviation, rel=0.1)
    assert numbers(histogram.alt)[1] == pytest.approx(deviation, abs=0.0051)  # after that of the trials
    theory = bars[bars["kind"] == "theory"]
    peak = 1 / (deviation * math.sqrt(2 * math.pi))
    assert theory["fraction"].max() == pytest.approx(peak * width)  # of a bin, from a density


@pytest.mark.parametrize("named", DIVISORS)
@pytest.mark.parametrize("d_k", first(2, [512, 1, 2, 4, 16, 64]))
def test_the_histogram_is_neither_a_needle_nor_cut(named, d_k):
    histogram, _ = show(d_k=d_k, divide=CHOSEN_AS[named]).charts
    fractions = histogram.data["fraction"][histogram.data["kind"] == "bin"]
    (limit,) = {layer["encoding"]["y"]["scale"]["domain"][1] for layer in histogram.spec["layer"]}
    assert limit / 4 < fractions.max() <= limit
    deviation = math.sqrt(d_k) / divisor(named, d_k)
    if deviation >= 1:  # what one key’s lead needs; far below it, a needle is what there is to see
        assert (fractions > 0).sum() > 20


def test_a_click_chooses_the_weight_of_the_card():
    app = page(step="scores")
    click(app, 2, 4)
    assert shared(app) == {"scaling_step": "scores", "scaling_scores_q": "3", "scaling_scores_k": "5"}
