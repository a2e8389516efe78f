"""Divided by √d_v in place of √d_k: right as long as both widths are equal."""

import math
from functools import partial

import streamlit as st

from attention_core.experiments.qkv.perturb import changed_cells, softmax_at
from attention_core.experiments.scaling.random_scores import divisor
from pages.charts.heatmap import ATTENTION_AXES, SMALL, blank_map
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.page.steps import Step
from pages.scaling.scene import OF_VALUES, Trials, first_trial, names, weights_map, width_field

STEP = Step(
    "√d_v",
    "Scale by the width of keys, not values",
    "Values have a width too, d_v. In most models it is equal to d_k, so code that divides by √d_v gets the right "
    "numbers by luck. Move d_v to d_k and away again to see where it fails.",
    words="d_v_d_k",
)


def draw(page: Page, scene: Trials) -> bool:
    """Divide by the root of d_v beside the root of d_k."""
    d_k = scene.d_k
    with page.fields:
        d_v = width_field(page, "d_v", "Value width d_v", OF_VALUES, 220)
    products = first_trial(page, scene)
    good = page.recipe.run("good", softmax_at, products, divisor("√d_k", d_k))
    asked, largest = asked_width(d_k, page.variant("d_v")), f"Largest weight here: {number(good.max())}."

    def show_blank() -> None:
        said = f"Here scores are divided by √d_k = √{d_k}. {largest}"
        page.show(weights_map(good, "divided by the root of d_k", said, SMALL), note=scene.origin)
        rows, columns = names("q", scene.length), names("k", scene.length)
        said = f"Here scores are divided by √d_v = √{asked}. The weights are blank until you answer."
        page.show(blank_map(rows, columns, ATTENTION_AXES, SMALL, name="root of d_v asked", sentence=said))

    question = page.question("d_v", partial(d_v_question, d_k))
    if not page.ask(question, show_blank, lambda: page.controls.put(d_v=str(asked))):
        return False
    bad = page.recipe.run("bad", softmax_at, products, divisor("√d_k", d_v))
    page.prints("largest weight when divided by the root of d_v", "bad.max()")
    found = changed_cells(good, bad)
    left, right = st.columns(2, gap="medium")
    with left:
        said = f"After dividing by √d_k = √{d_k}, scores have expected variance 1. {largest}"
        page.show(weights_map(good, "divided by the root of d_k", said))
    with right:
        said = (
            f"After dividing by √d_v = √{d_v}, scores have expected variance {d_k / d_v:.4g}. Largest weight here: "
            f"{number(bad.max())}. {int(found.sum())} of {found.size} weights are different."
        )
        page.show(weights_map(bad, "divided by the root of d_v", said), note=scene.origin)
    return True


def asked_width(d_k: int, variant: int) -> int:
    """Return the width of values that is asked about, another than that of the keys."""
    return [width for width in (16, 4, 64, 256) if width != d_k][variant % 3]


def d_v_question(d_k: int, variant: int) -> Number:
    """Ask what dividing by the root of the wrong width leaves of the variance."""
    d_v = asked_width(d_k, variant)
    right = d_k / d_v
    text = prose(
        f"Entries of q and k are random and independent, with mean 0 and variance 1. Keys have width d_k = {d_k}, "
        f"values d_v = {d_v}. What is the variance of q · k ÷ √d_v?"
    )
    why = f"q · k has variance {d_k}. Dividing by √{d_v} divides the variance by {d_v}: {d_k} ÷ {d_v} = {right:.4g}."
    mistakes = (
        Mistake(1, f"1 is what dividing by √{d_k} leaves. Here the divisor is √{d_v}."),
        Mistake(d_v / d_k, f"You computed {d_v} ÷ {d_k}, the wrong way round. The variance of q · k is divided."),
        Mistake(math.sqrt(right), f"√({d_k} ÷ {d_v}) is the standard deviation. Square it for the variance."),
        Mistake(d_k, f"{d_k} is the variance before dividing."),
        Mistake(d_k / math.sqrt(d_v), f"You divided {d_k} by √{d_v}. A divisor divides the variance by its square."),
    )
    digits = 2 if (100 * right).is_integer() else 4
    otherwise = f"Divide the variance {d_k} by the square of √{d_v}."
    return Number("d_v", text, right, min(0.02 * right, 0.05), why, mistakes, otherwise, digits)
