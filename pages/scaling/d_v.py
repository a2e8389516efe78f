"""Divided by √d_v in place of √d_k: right as long as both widths are equal."""

import math

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.perturb import changed_cells, softmax_at
from attention_core.experiments.random_scores import divisor
from pages.look import thumbnails
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.page.steps import Step
from pages.scaling.common import first_table, small_products, weights_map
from pages.scaling.scene import Draws, width_field

STEP = Step(
    "√d_v",
    "The width of k, not that of v",
    "Values have a width too, d_v. Most code makes it equal to d_k, so whoever divides by √d_v gets every number "
    "right, until one of the two changes. Change d_v and see the mistake come out of hiding.",
)


def draw(page: Page, scene: Draws) -> bool:
    """Divide by the root of d_v beside the root of d_k."""
    d_k = scene.d_k
    with page.fields:
        d_v = width_field(page, "d_v", "d_v, the width of v", 220)
    if not page.ask(d_v_question(d_k, page.variant("d_v"))):
        return False
    products = first_table(page, scene)
    good = page.recipe.run("good", softmax_at, products, divisor("√d_k", d_k))
    bad = page.recipe.run("bad", softmax_at, products, divisor("√d_k", d_v))
    found = changed_cells(good, bad)
    left, right = st.columns(2, gap="medium")
    with left:
        said = f"Divided by √d_k = √{d_k}: scaled scores of variance 1. Largest weight {number(good.max())}."
        page.show(weights_map(good, "divided by the root of d_k", said))
    with right:
        said = (
            f"Divided by √d_v = √{d_v}: scaled scores of variance {d_k / d_v:.4g}. Largest weight {number(bad.max())}; "
            f"{int(found.sum())} of {found.size} weights differ from those beside."
        )
        page.show(weights_map(bad, "divided by the root of d_v", said), note=scene.origin)
    return True


def thumbnail(scene: Draws) -> Markup:
    """Return the small picture of the step."""
    right, wrong = (softmax_at(small_products(), by) for by in (8.0, 4.0))
    return thumbnails.thumbnail(np.hstack([right, np.zeros((4, 1)), wrong]), None, 60)


def d_v_question(d_k: int, variant: int) -> Number:
    """Ask what dividing by the root of the wrong width leaves of the variance."""
    d_v = [width for width in (16, 4, 64, 256) if width != d_k][variant % 3]
    right = d_k / d_v
    text = prose(
        f"The keys are d_k = {d_k} wide, the values d_v = {d_v}. Someone divides the scores by √d_v instead of √d_k. "
        "What variance do the scores have then?"
    )
    why = f"q · k has variance {d_k}; dividing by √{d_v} divides that by {d_v}, which leaves {right:.4g}."
    mistakes = (
        Mistake(1, "That is what √d_k leaves."),
        Mistake(d_v / d_k, "The other way up: the variance of q · k is d_k, and d_v is what it is divided by."),
        Mistake(math.sqrt(right), "That is the deviation, its root."),
        Mistake(d_k, "That is the variance before dividing."),
        Mistake(d_k / math.sqrt(d_v), "Dividing by a number divides the variance by its square."),
    )
    return Number("d_v", text, right, 0.02 * right, why, mistakes, "Divide d_k by the square of what it is divided by.")
