"""The scores of many draws as a histogram, and beside it the weights that softmax makes of the first."""

import math
from typing import NamedTuple

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.softmax import Exponentials, exponentials, softmax
from attention_core.experiments.random_scores import (
    BLOCK,
    expected_variance,
    normal_density,
    products_of_many,
    scale_scores,
)
from pages.charts.chart import Chart
from pages.charts.histogram import histogram
from pages.look import cards
from pages.look.html import in_role, number
from pages.page.page import Page
from pages.page.steps import Step
from pages.scaling.common import column_field, first_table, name_at, row_field, short, skyline, weights_map
from pages.scaling.scene import Draws

STEP = Step(
    "softmax",
    "Wide scores make hard choices",
    "Softmax goes by differences: a score that leads by 7 gets e⁷, a thousand times the share. Here are the scores "
    "at one d_k and the weights of the first draw. Divide by nothing, then drag d_k from 1 to 512.",
)

ROOM = 60.0  # the histogram has room for scores up to this, on both sides of 0


class WeightSteps(NamedTuple):
    """One draw on its way from products to weights."""

    products: Array  # (T, T)
    scores: Array  # (T, T), products over the divisor
    powers: Exponentials
    weights: Array  # (T, T)


def draw(page: Page, scene: Draws) -> bool:
    """Show the histogram, and the weights of the first draw with a card on one of them."""
    run = page.recipe.run
    products = first_table(page, scene)
    scores = run("scores", scale_scores, products, scene.by)
    powers = run("powers", exponentials, scores)
    weights = run("weights", softmax, scores)
    many_products = run("many_products", products_of_many, scene.d_k, scene.length, scene.seed, BLOCK)
    many = run("many", scale_scores, many_products, scene.by)
    (variance,) = run("variance", expected_variance, scene.divisor, (scene.d_k,))
    left, right = st.columns([1, 1.18], gap="medium")
    with left:
        note = "" if scene.d_k > 2 else "The bell is a law of long sums: a sum of one or two products is more peaked."
        page.show(scores_histogram(many, math.sqrt(variance), scene), note=note)
        card = st.container(border=True)
        with st.container(horizontal=True):
            row, column = row_field(page, scene), column_field(page, scene)
    with card:
        page.write(weight_card(WeightSteps(products, scores, powers, weights), row, column, scene.by))
    with right:
        said = f"The weights of the first draw; the largest is {number(weights.max())}."
        picture = weights_map(weights, "weights", said, (row, column), clickable=True)
        page.show(picture, lambda i, j: page.controls.put(q=i + 1, k=j + 1), note=scene.origin)
    return True


def thumbnail(scene: Draws) -> Markup:
    """Return the small picture of the step."""
    return skyline(normal_density(np.linspace(-3, 3, 10), 1.0) / 0.4)


def scores_histogram(scores: Array, deviation: float, scene: Draws) -> Chart:
    """Return where the scores of many draws lie, and where the theory says that they should."""
    at = np.linspace(-ROOM, ROOM, 601)
    outside = float((np.abs(scores) > ROOM).mean())
    said = (
        f"{number(scores.size, 0)} scores at d_k = {scene.d_k}, divided by {scene.divisor}. Their standard deviation, "
        f"the root of the variance, should be {short(deviation)}; it is {short(float(scores.std()))}."
    )
    if outside:
        said += f" {outside:.1%} lie further out and are counted at the ends."
    return histogram(
        scores,
        low=-ROOM,
        high=ROOM,
        n_bins=120,
        y_max=0.55,
        x_title="score" if scene.divisor == "nothing" else f"score ÷ {scene.divisor}",
        y_title="share of scores",
        name="scores",
        sentence=said,
        theory=(at, normal_density(at, deviation)),
    )


def weight_card(steps: WeightSteps, row: int, column: int, by: float) -> Markup:
    """Return how one product became a weight."""
    place = (row, column)
    score, shift = steps.scores[place], float(steps.powers.shift[row, 0])
    shifted = [(f"− {number(shift)}", "the row’s maximum", score - shift)] if shift else []
    title = Markup("How {} → {} became {}").format(
        in_role(name_at("q", row), "query"), in_role(name_at("k", column), "key"), number(steps.weights[place])
    )
    lines = cards.chain(
        ("sum", "q · k", steps.products[place]),
        (f"÷ {number(by)}", "scaled score", score),
        *shifted,
        (Markup("e<sup>{}</sup>").format(number(score - shift)), "", steps.powers.values[place]),
        ("÷ row sum", "", steps.powers.sums[row, 0]),
        ("weight", "", steps.weights[place]),
    )
    return cards.card(title, lines)
