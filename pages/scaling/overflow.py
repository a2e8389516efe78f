"""Overflow and saturation: one row under neither remedy, each, and both."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.overflow import Remedies, SoftmaxOutcome, remedies
from attention_core.experiments.random_scores import divisor
from pages.look import thumbnails
from pages.look.html import number, power_of_ten, prose, table
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.scaling.common import first_table, names, row_field, short, small_products
from pages.scaling.scene import Draws

STEP = Step(
    "overflow",
    "Two troubles, two remedies",
    "Overflow: e to the score is larger than a number can be, and NaN, “not a number”, comes out. Saturation: one "
    "key has everything. Add something to every score of a row: which switch mends which trouble?",
)

SATURATED = 0.9  # the weight above which one key has taken nearly all


def draw(page: Page, scene: Draws) -> bool:
    """Let the student switch two remedies on and off, and see which mends overflow and which saturation."""
    controls = page.controls
    products = first_table(page, scene)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        constant = controls.slider("add", "Added to every score, after dividing", -150, 150, 100, 10, width=300)
        row = row_field(page, scene)
    found = page.recipe.run("found", remedies, products, row, float(constant), divisor("√d_k", scene.d_k))
    if not page.ask(two_question(found, constant, scene.d_k, page.variant("two"))):
        return False
    with st.container(horizontal=True):
        divide = controls.switch("divided", "Divide by √d_k")
        subtract = controls.switch("subtract", "Subtract the maximum")
    keys, chosen = names("k", scene.length), 2 * subtract + divide
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        page.write(outcome_grid(found, keys, chosen))
        page.write("Reckoned in 32 bits, as models do: the largest power that fits is e to the 88.7.", "note")
    with right, st.container(border=True):
        page.write(steps_table(found[chosen], keys, subtract))
    return True


def thumbnail(scene: Draws) -> Markup:
    """Return the small picture of the step."""
    outcomes = remedies(small_products(), 0, 100.0, 8.0)
    return thumbnails.thumbnail(np.array([outcome.largest for outcome in outcomes]).reshape(2, 2), None, 40)


def outcome_grid(found: Remedies, keys: list[str], chosen: int) -> Markup:
    """Return the row under neither remedy, each, and both: two columns, two rows; the chosen one outlined."""
    titles = ("neither", "divide", "subtract", "divide and subtract")
    panels = [
        outcome_panel(title, outcome, keys, i == chosen)
        for i, (title, outcome) in enumerate(zip(titles, found, strict=True))
    ]
    grid = Markup('<div style="display:grid;grid-template-columns:1fr 1fr;gap:14px">{}</div>')
    return grid.format(Markup("").join(panels))


def outcome_panel(title: str, outcome: SoftmaxOutcome, keys: list[str], chosen: bool) -> Markup:
    """Return one outcome as bars with their numbers, and in a line what is wrong with it."""
    bar = Markup(
        '<span class="soft">{}</span><span style="position:relative;height:12px"><i style="position:absolute;'
        'left:0;top:0;bottom:0;width:{};background:var(--attention);border-radius:2px"></i></span>'
        '<span style="text-align:right">{}</span>'
    )
    bars = [
        bar.format(key, f"{100 * float(weight):.1f}%" if np.isfinite(weight) else "0", number(float(weight)))
        for key, weight in zip(keys, outcome.weights, strict=True)
    ]
    edge, padding, boldness = ("2px solid var(--ink)", 9, 700) if chosen else ("1px solid var(--rule)", 10, 400)
    return Markup(
        '<div style="border:{};border-radius:6px;padding:{}px 12px">'
        '<div style="font-weight:{};margin-bottom:6px">{}</div>'
        '<div style="display:grid;grid-template-columns:1.6rem 1fr 2.8rem;align-items:center;row-gap:2px;'
        'font-size:.8125rem">{}</div>'
        '<div style="margin-top:8px;font-size:.875rem">{}</div></div>'
    ).format(edge, padding, boldness, title, Markup("").join(bars), diagnosis(outcome))


def diagnosis(outcome: SoftmaxOutcome) -> Markup:
    """Return what an outcome suffers from."""
    line = Markup('<b style="color:var(--{})">{}</b><br><span class="soft">{}</span>')
    if outcome.overflowed:
        n_broken = int((~np.isfinite(outcome.weights)).sum())
        if not outcome.exponentials.any():
            return line.format("wrong", "✕ underflow", "all powers round to 0")
        of = f"{n_broken} of {len(outcome.weights)} shares are NaN" if n_broken else "a power is ∞"
        return line.format("wrong", "✕ overflow", of)
    slopes = f"norm of the slopes {short(outcome.gradient, 3)}"
    if outcome.largest > SATURATED:
        return line.format("wrong", "✕ saturated", slopes)
    return line.format("right", "✓ a choice left open", slopes)


def steps_table(outcome: SoftmaxOutcome, keys: list[str], subtract: bool) -> Markup:
    """Return score, power and share of every key."""
    power = Markup("e<sup>s − max</sup>") if subtract else Markup("e<sup>s</sup>")
    rows = [
        (key, number(float(score)), any_size(float(exponential)), number(float(weight)))
        for key, score, exponential, weight in zip(keys, *outcome[:3], strict=True)
    ]
    return table(("key", "score s", power, "share"), rows)


def any_size(value: float) -> str:
    """Return a number that may be very large or very small."""
    if np.isinf(value) or value == 0 or 0.005 <= value < 1e5:
        return number(value)
    return power_of_ten(value)


def two_question(found: Remedies, constant: float, d_k: int, variant: int) -> Choice:
    """Ask what one remedy alone makes of a row."""
    only_divide = variant % 2 == 0
    outcome = found.divided if only_divide else found.subtracted
    added = f"{number(constant, 0)} is added to each"
    doing = (
        f"is divided by √d_k, then {added}. The maximum is **not** subtracted."
        if only_divide
        else f"is **not** divided by √d_k; {added}, then the maximum is subtracted."
    )
    text = prose(f"A row of scores at d_k = {d_k} {doing} What comes out of the softmax?")
    options = ("NaN: no numbers at all", "One key takes nearly all", "Shares for several keys")
    right = kind_of(outcome)
    largest = float(outcome.scores.max())
    if outcome.overflowed and largest > 0:
        why = f"The largest score is {number(largest, 1)}, and e to that is more than a number of 32 bits can hold."
    elif outcome.overflowed:
        why = f"The largest score is {number(largest, 1)}: every power rounds to 0, and 0 ÷ 0 is no number."
    else:
        why = f"The largest weight is {number(outcome.largest)}."
    mistakes = [
        "No power is too large here." if only_divide else "With the maximum subtracted no power is above e⁰ = 1.",
        "Dividing brings the scores closer together." if only_divide else "The scores lie close enough together.",
        "Dividing does not bring the powers into range: what all scores share is as large as before."
        if only_divide
        else "Subtracting moves all scores alike: they lie as far apart as before.",
    ]
    mistakes[right] = ""
    return Choice("two", text, options, (right,), why, tuple(mistakes))


def kind_of(outcome: SoftmaxOutcome) -> int:
    """Return whether a row has overflowed (0), is saturated (1) or neither (2)."""
    return 0 if outcome.overflowed else 1 if outcome.largest > SATURATED else 2
