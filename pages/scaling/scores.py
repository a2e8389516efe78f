"""The scores of many trials as a histogram, and beside it the weights that softmax makes of the first."""

import math

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.softmax import Exponentials, exponentials, softmax
from attention_core.experiments.scaling.random_scores import (
    BLOCK,
    expected_variance,
    normal_density,
    products_of_many,
    scale_scores,
)
from pages.charts.chart import Chart
from pages.charts.heatmap import CLICK, outline
from pages.charts.histogram import histogram
from pages.look import cards
from pages.look.html import in_role, number, short, significant
from pages.page.page import Page
from pages.page.steps import Step
from pages.scaling.scene import Trials, first_trial, index_field, name_at, weights_map

STEP = Step(
    "weights",
    "A score far above others gets nearly all weight",
    "Softmax depends on differences. A score that is 7 higher gets e⁷ times the weight, about 1,100 times. Here are "
    "the scores of 100 trials, and the weights of the first. Set d_k to 512, then try each divisor.",
    words="scores_d_k scores_divide scores_k scores_q",
    helps="variance",
)

ROOMS = (8.0, 20.0, 60.0)  # the histogram has room for scores up to one of these, on both sides of 0
TOPS = (0.1, 0.2, 0.55)  # and for fractions up to one of these; 0 parts two bins, so none has much above a half
DEVIATIONS = 3  # that the room has to hold; the last room holds a little less
N_BINS = 80


def draw(page: Page, scene: Trials) -> bool:
    """Show the histogram, and the weights of the first trial with a card on one of them."""
    run = page.recipe.run
    products = first_trial(page, scene)
    scores = run("scores", scale_scores, products, scene.by)
    powers = run("powers", exponentials, scores)
    weights = run("weights", softmax, scores)
    many_products = run("many_products", products_of_many, scene.d_k, scene.length, scene.seed, BLOCK)
    many = run("many", scale_scores, many_products, scene.by)
    (variance,) = run("variance", expected_variance, scene.divisor, (scene.d_k,))
    left, right = st.columns([1, 1.18], gap="medium")
    with left:
        note = "The bell curve (normal distribution) fits sums of many products. A sum of one or two is more peaked."
        page.show(scores_histogram(many, math.sqrt(variance), scene), note=note)
        card = st.container(border=True)
        with st.container(horizontal=True):
            row, column = index_field(page, scene, "q"), index_field(page, scene, "k")
    page.prints(f"weight of {name_at('q', row)} on {name_at('k', column)}", weights, row, column)
    with card:
        page.write(weight_card(scene, row, column, products, scores, powers, weights))
    with right:
        said = "Weights of the first trial."
        picture = weights_map(weights, "weights", said, outline(row, column), CLICK)
        page.show(picture, lambda i, j: page.controls.put(scores_q=i + 1, scores_k=j + 1), note=scene.origin)
    return True


def scores_histogram(scores: Array, deviation: float, scene: Trials) -> Chart:
    """Return how the scores of many trials are spread, and how they should be in theory.

    On one axis for all d_k and divisors most would be a needle, so there are a few, chosen by the theory.
    """
    room = next((room for room in ROOMS if room >= DEVIATIONS * deviation), ROOMS[-1])
    at = np.linspace(-room, room, 601)
    theory = normal_density(at, deviation)
    counts, edges = np.histogram(scores, N_BINS, (-room, room))
    highest = max(counts.max() / scores.size, theory.max() * (edges[1] - edges[0]))
    said = "Standard deviation {}, in theory {}. Scores beyond the axis are counted at its ends."
    return histogram(
        scores,
        low=-room,
        high=room,
        n_bins=N_BINS,
        y_max=next((top for top in TOPS if top >= highest), TOPS[-1]),
        x_title="score" if scene.divisor == "nothing" else f"score ÷ {scene.divisor}",
        y_title="fraction of scores",
        name="scores",
        sentence=said.format(short(float(scores.std())), short(deviation)),
        theory=(at, theory),
    )


def weight_card(
    scene: Trials, row: int, column: int, products: Array, scores: Array, powers: Exponentials, weights: Array
) -> Markup:
    cell = (row, column)
    score, shift = scores[cell], float(powers.shift[row, 0])
    root, by = scene.divisor == "√d_k", number(scene.by, 0 if scene.by.is_integer() else 4)
    divided = f"÷ √{scene.d_k} = {by}" if root else f"÷ {by}"
    title = Markup("How {} → {} became {}").format(
        in_role(name_at("q", row), "query"), in_role(name_at("k", column), "key"), number(weights[cell])
    )
    exponent = number(score - shift, 4)
    lines = [
        ("score", "q · k", number(products[cell], 4)),
        *([("scaled score", divided, number(score, 4))] if scene.divisor != "nothing" else []),
        *([(f"− {number(shift, 4)}", "the row’s maximum", exponent)] if shift else []),
        (Markup("e<sup>{}</sup>").format(exponent), "", significant(powers.values[cell])),
        ("row sum", "", significant(powers.sums[row, 0])),
    ]
    return cards.card(title, cards.listed(lines), cards.chain(("weight", "exponential ÷ row sum", weights[cell])))
