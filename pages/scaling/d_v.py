"""Divided by √d_v in place of √d_k: right as long as both widths are equal."""

import streamlit as st

from attention_core.experiments.qkv.perturb import softmax_at
from attention_core.experiments.scaling.random_scores import divisor
from pages.page.page import Page
from pages.page.steps import Step
from pages.scaling.scene import OF_VALUES, Trials, first_trial, weights_map, width_field

STEP = Step(
    "√d_v",
    "Scale by the width of keys, not values",
    "Values have a width too, d_v. In most models it is equal to d_k, so code that divides by √d_v gets the right "
    "numbers by luck. Move d_v to d_k and away again to see where it fails.",
    words="d_v d_v_d_k",
)


def draw(page: Page, scene: Trials) -> None:
    d_k = scene.d_k
    with page.fields:
        d_v = width_field(page, "d_v", "Value width d_v", OF_VALUES, 220)
    products = first_trial(page, scene)
    good = page.recipe.run("good", softmax_at, products, divisor("√d_k", d_k))
    bad = page.recipe.run("bad", softmax_at, products, divisor("√d_k", d_v))
    page.prints("largest weight, √d_v", "bad.max()")
    left, right = st.columns(2, gap="medium")
    with left:
        said = "After dividing by √d_k, scores have expected variance 1."
        page.show(weights_map(good, "divided by the root of d_k", said))
    with right:
        said = f"After dividing by √d_v, scores have expected variance {d_k} ÷ {d_v}."
        page.show(weights_map(bad, "divided by the root of d_v", said), note=scene.origin)
