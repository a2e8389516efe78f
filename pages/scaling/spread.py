"""The variance of the scores along d_k, undivided and divided."""

import math

import numpy as np
from markupsafe import Markup

from attention_core.experiments.random_scores import DIVISORS, expected_variance
from pages.look.html import prose
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.page.steps import Step
from pages.scaling.common import skyline, small_means
from pages.scaling.over_widths import Measure, show_measure
from pages.scaling.scene import Draws

STEP = Step(
    "q · k",
    "Longer vectors, wider scores",
    "A score adds up d_k products of random numbers, and the more there are, the wider it spreads. Drag d_k, and "
    "see which divisor keeps the variance, the mean of the squares, in one place.",
)

MEASURE = Measure("variance", "variance of the scores", (2.0**-9.5, 2.0**10), log=True, theory=True)
NOTE = "Dashed is the theory: d_k over the square of the divisor."


def draw(page: Page, scene: Draws) -> bool:
    """Show the variance along d_k, beside what the theory says."""
    if not page.ask(variance_question(page.variant("variance"))):
        return False
    show_measure(page, scene, MEASURE, NOTE)
    return True


def thumbnail(scene: Draws) -> Markup:
    """Return the small picture of the step."""
    return skyline(np.log2(small_means("variance") + 1) / 9)


def variance_question(variant: int) -> Number:
    """Ask for the variance of a score."""
    d_k = (16, 64, 4, 256, 9, 100)[variant % 6]
    named = DIVISORS[(0, 0, 1, 0, 1, 0)[variant % 6]]
    right = float(expected_variance(named, (d_k,))[0])
    what = "q · k" if named == "nothing" else f"q · k ÷ {named}"
    text = prose(
        f"q and k have **{d_k}** numbers each, all drawn at random with mean 0 and variance 1. A product of two such "
        f"numbers has variance 1 as well. What is the variance of **{what}**?"
    )
    if named == "nothing":
        why = f"It is a sum of {d_k} products that do not depend on each other, so their variances add up: {d_k}."
    else:
        why = f"The sum has variance {d_k}; dividing by √{d_k} divides the variance by {d_k}, which leaves 1."
    mistakes = (
        Mistake(math.sqrt(d_k), f"√{d_k} is its deviation, the root of the variance."),
        Mistake(d_k**2, "Variances of a sum are added, not multiplied."),
        Mistake(1 / d_k, "That is what dividing by d_k would leave."),
        Mistake(2 * d_k, "Two vectors go in, but each product counts once."),
        Mistake(d_k, "That is the variance before dividing."),
        Mistake(1, "One product has variance 1, but there are more of them."),
        Mistake(0, "The mean is 0; the variance says how far single sums lie from it."),
    )
    return Number(
        "variance", text, right, 0.02 * right, why, mistakes, "Add up the variances of the products.", digits=0
    )
