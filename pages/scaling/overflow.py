"""Overflow and saturation: one row under neither remedy, each, and both."""

from functools import partial

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.scaling.overflow import Remedies, SoftmaxOutcome, remedies
from attention_core.experiments.scaling.random_scores import divisor
from pages.charts.bars import signed_bars
from pages.charts.chart import Chart, limit_of
from pages.charts.heatmap import Axes, heatmap, outline, write
from pages.look.colours import KEY
from pages.look.facts import as_shown
from pages.look.html import number, prose, table
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.scaling.scene import Trials, first_trial, index_field, names

STEP = Step(
    "overflow",
    "Overflow and saturation need different fixes",
    "The numbers here have 32 bits. In an **overflow**, e to a score above 88.7 is too large for them and becomes ∞. "
    "Then ∞ ÷ ∞ gives NaN, “not a number”. In saturation, one key has nearly all the weight. Add a constant to every "
    "score.",
    then="Which switch fixes which?",
    words="add divided overflow_d_k overflow_q subtract",
)

AXES = Axes("remedy", "key", "weight", column_colour=KEY)
TITLES = ("neither", "divide", "subtract", "divide and subtract")
RETURNS = "In a row of {} keys, the two largest products q · k are {} and {}. {} What does softmax return?"
NOT_BROKEN = "The largest score is then {}, so its power is neither too large for 32 bits nor rounded to 0."
APART = "The two largest scores are {} apart."
OUT_OF_RANGE = "Adding {} afterwards moves the scores out of range."
IN_RANGE = "The largest weight is {}."
TOO_LARGE = "The largest score is {}, and the powers or their sum are too large for 32 bits."
TOO_SMALL = "The largest score is {}, so every power rounds to 0, and 0 ÷ 0 is NaN."
OPEN = 2  # what `kind_of` says of a row that is neither overflowed nor saturated
SATURATED = 0.9  # the weight above which one key has nearly all
LARGEST = 88.7  # e to this still fits into 32 bits


def draw(page: Page, scene: Trials) -> bool:
    """Let the student switch two remedies on and off, and see which fixes overflow and which saturation."""
    controls = page.controls
    products = first_trial(page, scene)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        constant = controls.slider("add", "Constant, added after dividing", -150, 150, 100, 10, width=300)
        row = index_field(page, scene, "q")
    found = page.recipe.run("found", remedies, products, row, float(constant), divisor("√d_k", scene.d_k))
    question = page.question("two", partial(two_question, found, constant, products[row], scene.d_k))
    keys, divides = names("k", scene.length), page.variant("two") % 2 == 0

    def show_blank() -> None:
        page.write(table(("", *keys), [("q · k", *(number(float(product), 1) for product in products[row]))]))
        page.show(outcomes_map(None, keys, 1 if divides else 2))

    if not page.ask(question, show_blank, lambda: controls.put(divided=divides, subtract=not divides)):
        return False
    with st.container(horizontal=True):
        divide = controls.switch("divided", "Divide by √d_k")
        subtract = controls.switch("subtract", "Subtract the maximum")
    chosen = 2 * subtract + divide
    page.prints(f"weights, with remedy: {found._fields[chosen]}", found[chosen].weights)
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        page.show(outcomes_map(found, keys, chosen), note=scene.origin)
    with right:
        told = "Beyond the line, e to the score is ∞ in 32 bits."
        scores = found[chosen].scores.astype(float)
        bars = partial(signed_bars, keys, scores, limit=max(128.0, limit_of(scores)), ceiling=LARGEST, title="score s")
        page.show(bars(name="powers", sentence=told, of="key"))
    return True


def outcomes_map(found: Remedies | None, keys: list[str], chosen: int) -> Chart:
    """Return the row under neither remedy, each, and both, the chosen one outlined; without outcomes they are blank."""
    if found is None:
        values = np.full((len(TITLES), len(keys)), np.nan)
        texts, rows = np.full(values.shape, "?", dtype=object), [*TITLES]
        sentence = "The weights are still blank."
    else:
        weights = np.array([outcome.weights for outcome in found])
        values = np.nan_to_num(weights)
        texts = np.array([[*map(number, row)] for row in weights.tolist()], dtype=object)
        rows = [f"{title} {'✓' if kind_of(one) == OPEN else '✕'}" for title, one in zip(TITLES, found, strict=True)]
        sentence = f"{TITLES[chosen].capitalize()}: {diagnosis(found[chosen])}."
    layers = write(texts), outline(chosen)
    return heatmap(values, rows, keys, AXES, *layers, name="outcomes", sentence=sentence)


def diagnosis(outcome: SoftmaxOutcome) -> str:
    if outcome.overflowed:
        return "overflow" if outcome.exponentials.any() else "underflow: all powers round to 0"
    return "saturation" if outcome.largest > SATURATED else "no problem"


def two_question(found: Remedies, constant: float, products: Array, d_k: int, variant: int) -> Choice:
    """Ask what one remedy alone makes of a row."""
    only_divide = variant % 2 == 0
    outcome = found.divided if only_divide else found.subtracted
    added = f"{number(constant, 0)} is added to each"
    doing = (
        f"All products are divided by √{d_k}, then {added}. The maximum is **not** subtracted."
        if only_divide
        else f"The products are **not** divided. {added}, then the maximum is subtracted."
    )
    second, first = np.sort(products)[-2:].tolist()
    text = prose(RETURNS.format(len(products), number(first), number(second), doing))
    options = ("Every weight is NaN or 0", "One weight is above 0.9", "All weights are from 0 to 0.9")
    right = kind_of(outcome)
    gap = float(as_shown(first) - as_shown(second)) / (d_k**0.5 if only_divide else 1.0)
    far = OUT_OF_RANGE.format(number(constant, 0)) if outcome.overflowed else APART.format(number(gap))
    mistakes = (NOT_BROKEN.format(number(float(outcome.scores.max()), 1)), far, far)
    return Choice.of("two", text, options[right], reason(outcome), dict(zip(options, mistakes, strict=True)))


def reason(outcome: SoftmaxOutcome) -> str:
    """Return why a row comes out as it does."""
    if not outcome.overflowed:
        return IN_RANGE.format(number(outcome.largest))
    return (TOO_LARGE if outcome.exponentials.any() else TOO_SMALL).format(number(float(outcome.scores.max()), 1))


def kind_of(outcome: SoftmaxOutcome) -> int:
    """Return whether a row has overflowed (0), is saturated (1) or neither (2)."""
    return 0 if outcome.overflowed else 1 if outcome.largest > SATURATED else OPEN
