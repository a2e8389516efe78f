"""The slopes of softmax along d_k, at the scores or at the query, and those of one row."""

import math
from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.qkv.perturb import softmax_at
from attention_core.experiments.scaling.head_metrics import jacobian_norm, softmax_jacobian
from attention_core.experiments.scaling.random_scores import WIDTHS, values_of
from pages.charts.heatmap import SMALL, Axes, heatmap, outline, scale
from pages.look.facts import change, of_several
from pages.look.html import inline, number, prose, short
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.scaling.over_widths import ROWS, Measure, prepare, show_measure
from pages.scaling.scene import Trials, division, first_trial, index_field, name_at, names, weights_map

STEP = Step(
    "reason",
    "A weight near 1 lets little gradient through",
    "The gradient goes back from the loss to W_Q and W_K. On its way it is multiplied by the derivatives of softmax, "
    "which say how fast each weight changes with each score. For a weight w and its own score, it is w · (1 − w).",
    asks="Why does a peaked row learn little?",
    then="If one weight is nearly 1 (**saturation**), all derivatives of the row are nearly 0.",
    experiment="gradient_d_k gradient_divide gradient_q up",
)

TO_THE_SCORES = Measure("jacobian", "size (norm) of the derivatives, d weights / d scores", (0, 0.5), of=ROWS)
REACH = "size (norm) at the query, d weights / d q"
TO_THE_QUERY = Measure("reach", REACH, (0, 1.5), line="middle", digits=3, of="its first query")
FOLLOWED = {"to the scores": TO_THE_SCORES, "to the query": TO_THE_QUERY}
NOTE = (
    "This size is the root of the sum of all squared derivatives of a row. The transformer’s authors divide by √d_k "
    "because they suspected such small derivatives. Dividing by d_k seems safe here, but choose *to the query* too."
)
SOFTMAX = "softmax: × w · (1 − w)"
APART = 0.03  # sizes of all slopes of two rows that are compared: weights of two digits tell no less
LITTLE, MUCH = 0.01, 1  # sizes at the query: almost nothing arrives, or several times too much
DIGITS = 3  # of sizes
ASKED = (
    "The largest weights of row {} at d_k = {}: **{}** without dividing, **{}** with scores divided by √d_k. Each "
    "input of softmax changes a little. Which row’s weights change more?"
)
SLOPE_AXES = Axes("weight", "score", "slope")


def draw(page: Page, scene: Trials) -> bool:
    """Show the norm of the slopes along d_k, then the slopes of one row."""
    products = first_trial(page, scene)
    question = page.question("nudge", partial(nudge_question, products, scene.d_k))
    asked = page.variant("nudge") % scene.length

    def show_both_rows() -> None:
        ways = {"not divided": 1.0, "divided by √d_k": math.sqrt(scene.d_k)}
        for place, (name, by) in zip(st.columns(2, gap="small"), ways.items(), strict=True):
            title = name.replace("√", "root of ")
            with place:
                page.show(weights_map(softmax_at(products, by), title, name.capitalize(), outline(asked), SMALL))
        page.say(scene.origin, "note")

    if not page.ask(question, show_both_rows, lambda: page.controls.put(gradient_q=float(asked + 1))):
        return False
    way = ("loss", "weights", SOFTMAX, division(scene.divisor), "scores q · k", "queries and keys", "W_Q and W_K")
    parts = (Markup('<span class="{}">{}</span>').format("lit" * (part == SOFTMAX), inline(part)) for part in way)
    page.write(Markup(" → ").join(parts), "chips")
    measure = FOLLOWED[page.controls.choice("up", "Gradient", tuple(FOLLOWED), "to the scores")]
    prepare(measure.name, WIDTHS, scene.length, scene.n_trials, scene.seed)
    show_measure(page, scene, measure, NOTE if measure is TO_THE_SCORES else what_arrives(scene))
    page.look_closer("One row in detail", partial(draw_one_row, page, scene, products))
    return True


def draw_one_row(page: Page, scene: Trials, products: Array) -> None:
    weights = page.recipe.run("weights", softmax_at, products, scene.by)
    jacobian = page.recipe.run("slopes", softmax_jacobian, weights)
    norms = page.recipe.run("norms", jacobian_norm, weights).tolist()
    row = index_field(page, scene, "q")
    left, right = st.columns(2, gap="medium")
    with left:
        page.show(weights_map(weights, "weights", "The weights of the first trial.", outline(row), SMALL))
    with right:
        said = f"How fast each weight of the row changes with each score. Overall size (norm): {short(norms[row], 3)}."
        keys = names("k", scene.length)
        page.show(heatmap(jacobian[row], keys, keys, SLOPE_AXES, scale(0.25), SMALL, name="slopes", sentence=said))


def what_arrives(scene: Trials) -> str:
    """Return how much of the gradient arrives at the query at the largest width, under each divisor."""
    d_k, n_trials = WIDTHS[-1], scene.n_trials
    undivided, by_root, by_d_k = values_of(TO_THE_QUERY.name, d_k, scene.length, n_trials, scene.seed)
    little, much = (of_several(int(those.sum()), n_trials, "trial") for those in (undivided < LITTLE, undivided > MUCH))
    return (
        "A score is q · k ÷ divisor, so on the way to q a slope is multiplied by k and divided by the divisor. "
        f"At d_k = {d_k} the median size is {short(np.median(by_root), 3)} with √d_k, and "
        f"{short(np.median(by_d_k), 3)} with d_k. Without dividing, the size is below {LITTLE} in {little} and "
        f"above {MUCH} in {much}."
    )


def nudge_question(products: Array, d_k: int, variant: int) -> Choice | None:
    """Ask in which of two rows weights still move when scores do, where the digits shown tell them apart."""
    row = variant % len(products)
    plain, scaled = (softmax_at(products[row], by) for by in (1.0, math.sqrt(d_k)))
    norms = [float(jacobian_norm(weights)) for weights in (plain, scaled)]
    if abs(norms[0] - norms[1]) < APART:  # as at d_k = 1, where the two are the same
        return None
    shown = [", ".join(number(weight) for weight in np.sort(weights)[::-1][:4]) for weights in (plain, scaled)]
    gap = change(norms[0], norms[1], DIGITS)
    text = prose(ASKED.format(name_at("q", row), d_k, *shown))
    whole, split = "The row without dividing", "The row divided by √d_k"
    undivided, divided = (number(norm, DIGITS) for norm in norms)
    why = f"The overall size (norm) of all slopes is {undivided} without dividing and {divided} with √d_k."
    slopes = "A weight w changes at slope w · (1 − w), which is small near 0 and near 1. Compare all slopes of a row."
    wrong = {
        whole: slopes,
        split: slopes,
        "Both rows equally": "The rows have different weights w, so their slopes w · (1 − w) differ too.",
    }
    return Choice.of("nudge", text, whole if gap == "falls" else split, why, wrong)
