"""Overflow and saturation: one row under neither remedy, each, and both."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.scaling.overflow import Remedies, SoftmaxOutcome, remedies
from attention_core.experiments.scaling.random_scores import divisor
from pages.charts.bars import signed_bars
from pages.charts.chart import Chart, limit_of
from pages.charts.heatmap import Axes, heatmap, outline, write
from pages.look.colours import KEY
from pages.look.html import number, prose, short, table
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
SUBTRACTED = "Subtracting moves all scores by one number. The two largest stay {} apart."
NOT_BROKEN = "The largest score is {}. Its power is neither too large for 32 bits nor rounded to 0."
LEAVES = "{} leaves the two largest scores {} apart."
OPEN = 2  # neither overflowed nor saturated
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
    outcome = found[chosen]
    with right, np.errstate(over="ignore"):  # as the softmax itself
        total = {np.inf: "∞", 0: "0"}.get(float(outcome.exponentials.sum()), "finite")
        over = f"{np.isinf(outcome.exponentials).sum()} of {len(keys)}. The sum of all powers is {total}."
        told = f"e is raised to each score s. Beyond the line, at {LARGEST}, the power is ∞ in 32 bits: {over}"
        scores = outcome.scores.astype(float)
        bars = partial(signed_bars, keys, scores, limit=max(128.0, limit_of(scores)), ceiling=LARGEST, title="score s")
        page.show(bars(name="powers", sentence=told, of="key"))
    return True


def outcomes_map(found: Remedies | None, keys: list[str], chosen: int) -> Chart:
    """Return the row under neither remedy, each, and both, the chosen one outlined; without outcomes they are blank."""
    if found is None:
        values = np.full((len(TITLES), len(keys)), np.nan)
        texts, rows = np.full(values.shape, "?", dtype=object), [*TITLES]
        sentence = "The weights are blank until you answer."
    else:
        weights = np.array([outcome.weights for outcome in found])
        values = np.nan_to_num(weights)
        texts = np.array([[*map(number, row)] for row in weights.tolist()], dtype=object)
        rows = [f"{title} {'✓' if kind_of(one) == OPEN else '✕'}" for title, one in zip(TITLES, found, strict=True)]
        sentence = f"{TITLES[chosen].capitalize()}: {diagnosis(found[chosen])}."
    layers = write(texts), outline(chosen)
    return heatmap(values, rows, keys, AXES, *layers, name="outcomes", sentence=sentence)


def diagnosis(outcome: SoftmaxOutcome) -> str:
    if outcome.overflowed and not outcome.exponentials.any():
        return "underflow, all powers round to 0"
    if outcome.overflowed:
        n_broken = int((~np.isfinite(outcome.weights)).sum())
        of = f"{n_broken} of {len(outcome.weights)} weights are NaN" if n_broken else "the sum of the powers is ∞"
        return f"overflow, {of}"
    name = "saturation" if outcome.largest > SATURATED else "no problem"
    return f"{name}, overall size (norm) of the slopes {short(outcome.gradient, 3)}"


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
    mistakes = divided_mistakes(found, constant, d_k)
    if not only_divide:
        stays = SUBTRACTED.format(number(first - second))
        mistakes = ("Subtracting the maximum makes the largest power e⁰ = 1, so nothing overflows.", stays, stays)
    return Choice.of("two", text, options[right], reason(outcome), dict(zip(options, mistakes, strict=True)))


def reason(outcome: SoftmaxOutcome) -> Markup:
    """Return why a row comes out as it does."""
    largest = number(float(outcome.scores.max()), 1)
    if not outcome.overflowed:
        return Markup("The largest weight is {}.").format(number(outcome.largest))
    if not outcome.exponentials.any():
        return Markup("The largest score is {}, so every power rounds to 0, and 0 ÷ 0 is NaN.").format(largest)
    power = Markup("e<sup>{}</sup>").format(largest)
    what = power if np.isinf(outcome.exponentials).any() else "the sum of all powers"
    return Markup("The largest score is {}, and {} is too large for 32 bits.").format(largest, what)


def divided_mistakes(found: Remedies, constant: float, d_k: int) -> tuple[str, str, str]:
    """Return what is said of each wrong option where the row is divided only."""
    second, first = np.sort(found.divided.scores)[-2:].tolist()
    by, apart = f"Dividing by √{d_k}", number(first - second)
    added = f"Adding {number(constant, 0)} afterwards moves the scores out of range."
    broken = found.divided.overflowed
    return (
        NOT_BROKEN.format(number(first, 1)),
        added if broken else LEAVES.format(by, apart),
        added if broken else LEAVES.format(by, apart),
    )


def kind_of(outcome: SoftmaxOutcome) -> int:
    """Return whether a row has overflowed (0), is saturated (1) or neither (2)."""
    return 0 if outcome.overflowed else 1 if outcome.largest > SATURATED else OPEN
