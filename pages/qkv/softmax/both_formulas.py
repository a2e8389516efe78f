"""Softmax by the plain formula, and with the maximum of the row subtracted."""

import math

import numpy as np
from markupsafe import Markup

from attention_core.experiments.qkv.perturb import masked_scores, softmax_both_ways
from pages.heads.matrices import Scene
from pages.look.html import number, power_of_ten, table, typed
from pages.page.page import Page

FACTORS = ("1", "10", "100", "1000")
HEAD = ("key", "scaled score s", "eˢ", "weight", "eˢ⁻ᵐᵃˣ", "weight")


def draw_both_formulas(page: Page, scene: Scene, row: int) -> None:
    """Compare the two formulas on a row of scores, which may be made so large that one of them overflows."""
    page.say(
        "**Why subtract the maximum?** Subtracting the same number from a whole row of scores changes no weight. "
        "e⁷¹⁰ is too large for a 64-bit float, but after subtracting the row’s maximum no exponential is above e⁰ = 1. "
        "Multiply the scores and see whether the plain formula fails.",
        "",
    )
    times = page.controls.dial("times", "Factor for the scores", FACTORS, "1", width=300)
    both = page.recipe.run(
        "both_ways",
        softmax_both_ways,
        page.recipe.run("seen_scores", masked_scores, scene.attention),
        row,
        float(times),
    )
    lines = [
        (label, number(score), large(plain), number(plain_weight), number(shifted), number(weight))
        for label, score, plain, plain_weight, shifted, weight in zip(scene.labels, *both, strict=True)
    ]
    broken = int((~np.isfinite(both.plain_shares)).sum())
    no_number = "weight of the plain formula is" if broken == 1 else "weights of the plain formula are"
    finding = f"{broken} of {len(lines)} {no_number} not a number (NaN)" if broken else "Both ways agree"
    note = Markup('<p class="soft">The row of {}: first the plain formula, then with the maximum subtracted. {}.</p>')
    page.write(table(HEAD, lines) + note.format(typed(scene.labels[row]), finding))


def large(value: float) -> str:
    """Return a number that may be very large."""
    return number(value) if value < 1e5 or math.isinf(value) else power_of_ten(value)
