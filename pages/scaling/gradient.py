"""The size of the slopes of softmax along d_k."""

import math
from functools import partial

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.qkv.perturb import softmax_at
from attention_core.experiments.scaling.head_metrics import jacobian_norm
from pages.charts.heatmap import Axes, heatmap, steps_from
from pages.look.colours import KEY
from pages.look.facts import change
from pages.look.html import inline, number, prose
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.scaling.over_widths import Measure, show_measure
from pages.scaling.scene import Trials, division, first_trial, name_at, names
from pages.teaching.lecture import on_stage

STEP = Step(
    "reason",
    "A weight near 1 lets little gradient through",
    "The gradient goes back from the loss to W_Q and W_K. On its way it is multiplied by the slopes (derivatives) of "
    "softmax: how fast each weight changes with each score. The slope of a weight w by its own score is w · (1 − w).",
    asks="Why does a weight near 1 learn little?",
    then="If one weight is nearly 1 (**saturation**), all slopes of the row are nearly 0.",
    experiment="gradient_d_k gradient_divide",
)

SLOPES = Measure("jacobian", "size of the slopes of a row", (0, 0.5))
NOTE = (
    "Size: the root of the sum of squared slopes; here, the mean over a trial’s rows. The transformer’s authors divide "
    "by √d_k because they suspected such small slopes. Dividing by d_k keeps slopes too, but wide heads get nearly "
    "equal weights."
)
SOFTMAX = "softmax: × w · (1 − w)"
APART, DIGITS = 0.03, 3  # sizes of two rows that are compared: weights of two digits tell no less; digits of sizes
ASKED = (
    "Here are the weights of row {} at d_k = {}, without dividing and divided by √d_k. Each scaled score changes a "
    "little. Under which divisor do the weights change more?"
)
BOTH_AXES = Axes("divisor", "key", "weight", column_colour=KEY, words=True)


def draw(page: Page, scene: Trials) -> bool:
    products = first_trial(page, scene)
    question = page.question("nudge", partial(nudge_question, products, scene.d_k))
    asked = page.variant("nudge") % scene.length

    def show_both_rows(quiet: bool = False) -> None:
        scores = np.stack([products[asked], products[asked] / math.sqrt(scene.d_k)])
        steps = steps_from(np.broadcast_to(products[asked], scores.shape), scores, divided="÷ divisor")
        rows, keys = ["not divided", "÷ √dₖ"], names("k", scene.length)
        chart = heatmap(softmax(scores), rows, keys, BOTH_AXES, steps, name="both rows", sentence=scene.origin)
        page.show(chart, quiet=quiet)

    if not (columns := page.ask_beside(question, show_both_rows)):
        return False
    with columns[0]:
        if not on_stage():  # where it would make all smaller
            show_both_rows(quiet=True)
    show_measure(page, columns, scene, SLOPES, NOTE)
    way = ("loss", "weights", SOFTMAX, division(scene.divisor), "scores q · k", "queries and keys", "W_Q and W_K")
    parts = (Markup('<span class="{}">{}</span>').format("lit" * (part == SOFTMAX), inline(part)) for part in way)
    page.write(Markup(" → ").join(parts), "chips")
    return True


def nudge_question(products: Array, d_k: int, variant: int) -> Choice | None:
    """Ask in which of two rows weights still move when scores do, where the digits shown tell them apart."""
    row = variant % len(products)
    norms = [float(jacobian_norm(softmax_at(products[row], by))) for by in (1.0, math.sqrt(d_k))]
    if abs(norms[0] - norms[1]) < APART:  # as at d_k = 1, where the two are the same
        return None
    text = prose(ASKED.format(name_at("q", row), d_k))
    whole, split = "Without dividing", "Divided by √d_k"
    undivided, divided = (number(norm, DIGITS) for norm in norms)
    why = f"In that row, the size of all slopes (norm) is {undivided} without dividing and {divided} with √d_k."
    slopes = "A weight w changes at slope w · (1 − w), which is small near 0 and near 1. Compare all slopes of a row."
    wrong = {
        whole: slopes,
        split: slopes,
        "Under both equally": "The rows have different weights w, so their slopes w · (1 − w) differ too.",
    }
    return Choice.of("nudge", text, whole if change(norms[0], norms[1], DIGITS) == "falls" else split, why, wrong)
