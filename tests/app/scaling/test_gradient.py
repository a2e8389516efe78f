"""gradient: the slopes of softmax along d_k, and those of one row."""

import re
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.scaling.random_scores import DIVISORS, WIDTHS, divisor, over_widths
from tests.app.scaling.scene import CHOSEN_AS, FEW, SEED, close, products, softmaxed, step
from tests.app.visits import heatmap

show = partial(step, "scaling", "gradient")


@pytest.mark.parametrize("named", DIVISORS)
def test_the_slopes_are_those_of_softmax(named):
    _, weights_map, slopes_map = show(divide=CHOSEN_AS[named], d_k=64, q="2", **FEW).charts
    weights = softmaxed(products(length=4) / divisor(named, 64))
    close(heatmap(weights_map).values, weights)
    row = weights[1]
    close(heatmap(slopes_map).values, np.diag(row) - np.outer(row, row))


def test_the_question_shows_the_row_that_it_asks_about_and_how_each_weight_came_about():
    (chart,) = show(unanswered=("nudge",), **FEW).charts
    found = products(512, 4)[0]
    close(heatmap(chart).values, [softmaxed(found), softmaxed(found / 512**0.5)])
    close(chart.data["÷ divisor"], np.concatenate([found, found / 512**0.5]))


@pytest.mark.parametrize(("divide", "part"), [("none", "not divided"), ("√d_k", "÷ √dₖ"), ("d_k", "÷ dₖ")])
def test_the_way_of_the_gradient_passes_the_divisor_in_view(divide, part):
    (way,) = [re.sub("<[^>]*>", "", block) for block in show(divide=divide, **FEW).html if "chips" in block]
    assert way.split(" → ")[::3] == ["loss", part, "W_Q and W_K".replace("_", "")]


@pytest.mark.parametrize("length", [2, 8, 16])
def test_the_slopes_depend_on_d_k_only_without_dividing(length):
    undivided, by_root, _ = over_widths("jacobian", WIDTHS, length, 1000, SEED).mean
    assert np.ptp(by_root) < 0.2 * by_root.max()
    assert np.ptp(undivided) > 0.6 * undivided.max()
