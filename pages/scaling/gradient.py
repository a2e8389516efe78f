"""The slopes of softmax along d_k, to the scores or on to the query, and those of one row."""

import math

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.head_metrics import jacobian_norm, softmax_jacobian
from attention_core.experiments.perturb import softmax_at
from pages.charts.chart import Chart
from pages.charts.heatmap import Axes, heatmap
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.scaling.common import first_table, name_at, names, row_field, short, skyline, small_means, weights_map
from pages.scaling.over_widths import Measure, show_measure
from pages.scaling.scene import Draws

STEP = Step(
    "gradient",
    "The gradient that dies",
    "This is why the first transformer divides. Training moves a weight w through its score, at a slope of "
    "w\u00a0·\u00a0(1\u00a0−\u00a0w). Where one weight is nearly 1, all slopes are nearly 0: a wrong choice "
    "cannot be unlearned.",
)

TO_THE_SCORES = Measure("jacobian", "norm of all slopes, d weights / d scores", (0, 0.5))
TO_THE_QUERY = Measure("reach", "slopes at the query, d weights / d q, median draw", (0, 1.5), line="middle", digits=3)
FOLLOWED = {  # where to the gradient is followed: what is measured, and its note
    "to the scores": (
        TO_THE_SCORES,
        "The norm counts all slopes of a row together: the root of the sum of their squares. Dividing by d_k seems to "
        "do no harm here; follow the gradient on to the query, and look again.",
    ),
    "to the query": (
        TO_THE_QUERY,
        "A score is q · k over the divisor, so what comes through softmax is multiplied by k and divided once more. At "
        "large d_k, little is left for the query if one divides by d_k; undivided, nothing in most draws and far too "
        "much in a few.",
    ),
}
SLOPE_AXES = Axes("weight", "score", "slope")


def draw(page: Page, scene: Draws) -> bool:
    """Show the norm of the slopes along d_k, then the slopes of one row."""
    products = first_table(page, scene)
    if not page.ask(nudge_question(products, scene.d_k, page.variant("nudge"))):
        return False
    to = page.controls.choice("up", "Follow the gradient", tuple(FOLLOWED), "to the scores")
    show_measure(page, scene, *FOLLOWED[to])
    show_one_row(page, scene, products)
    return True


def thumbnail(scene: Draws) -> Markup:
    """Return the small picture of the step."""
    norms = small_means("jacobian")
    return skyline(norms / norms.max())


def show_one_row(page: Page, scene: Draws, products: Array) -> None:
    """Show the weights of the first draw, and how those of one row move with its scores."""
    weights = page.recipe.run("weights", softmax_at, products, scene.by)
    jacobian = page.recipe.run("slopes", softmax_jacobian, weights)
    norms = page.recipe.run("norms", jacobian_norm, weights)
    page.say("**One row closely.** Choose a row of the first draw; beside it stand its slopes.", "")
    row = row_field(page, scene)
    left, right = st.columns(2, gap="medium")
    with left:
        said = f"The first draw at d_k = {scene.d_k}, divided by {scene.divisor}. Row {name_at('q', row)} is outlined."
        page.show(weights_map(weights, "weights of one draw", said, (row, None), small=True))
    with right:
        page.show(slopes_map(jacobian[row], row, float(norms[row])))


def slopes_map(jacobian: Array, row: int, norm: float) -> Chart:
    """Return how each weight of one row moves when a score does."""
    said = f"How fast each weight of row {name_at('q', row)} moves with each score. Norm {short(norm, 3)}."
    labels = names("k", len(jacobian))
    return heatmap(jacobian, labels, labels, SLOPE_AXES, name="slopes", sentence=said, limit=0.25, small=True)


def nudge_question(products: Array, d_k: int, variant: int) -> Choice:
    """Ask in which of two rows weights still move when scores do."""
    row = int(np.random.default_rng([variant, 6]).integers(len(products)))
    plain, scaled = (softmax_at(products[row], by) for by in (1.0, math.sqrt(d_k)))
    norms = [float(jacobian_norm(weights)) for weights in (plain, scaled)]
    shown = [", ".join(number(weight) for weight in np.sort(weights)[::-1][:4]) for weights in (plain, scaled)]
    text = prose(
        f"The same row of scores at d_k = {d_k}, its four largest weights. Undivided: **{shown[0]}**. Divided by √d_k: "
        f"**{shown[1]}**. Now scores move a little, each by itself. In which row will the weights move more?"
    )
    options = ("The undivided one", "The one divided by √d_k", "In both alike")
    gap = norms[0] - norms[1]
    right = 2 if abs(gap) < 1e-9 else 0 if gap > 0 else 1
    why = (
        f"All slopes of the row together, the root of the sum of their squares: {number(norms[0], 3)} undivided, "
        f"{number(norms[1], 3)} divided by √d_k."
    )
    taken = "Where one weight is nearly 1, it cannot grow, and the others are nearly 0 and cannot shrink."
    even = "A weight w moves at the slope w · (1 − w): most at one half, not at all at 0 or 1."
    mistakes = [
        taken if plain.max() > 0.9 else even,
        even,
        "The weights differ, and so do the slopes.",
    ]
    if d_k == 1:
        mistakes = ["√1 is 1: the two rows are the same."] * 3
    mistakes[right] = ""
    return Choice("nudge", text, options, (right,), why, tuple(mistakes))
