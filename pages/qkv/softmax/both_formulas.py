"""Softmax as the formula stands, and with the maximum of the row subtracted."""

import math

import numpy as np
from markupsafe import Markup

from attention_core.experiments.perturb import masked_scores, softmax_both_ways
from pages.look.html import number, power_of_ten, table, typed
from pages.page.page import Page
from pages.qkv.scene import OneHead

FACTORS = ("1", "10", "100", "1000")
HEAD = ("key", "scaled score s", "eˢ", "weight", "eˢ⁻ᵐᵃˣ", "weight")


def draw_both_formulas(page: Page, scene: OneHead, row: int) -> None:
    """Compare the two formulas on a row of scores, which may be made so large that one of them overflows."""
    page.say(
        "**Why subtract the maximum?** Subtracting one number from a whole row changes no weight, so one is free to "
        "choose it. e⁷¹⁰ is more than a computer’s number can hold; with the row’s maximum subtracted, no power is "
        "above e⁰ = 1. Make the scores larger until the formula breaks.",
        "",
    )
    times = page.controls.dial("times", "Multiply the scores by", FACTORS, "1", width=300)
    both = page.recipe.run(
        "both_ways",
        softmax_both_ways,
        page.recipe.run("seen_scores", masked_scores, scene.attention),
        row,
        float(times),
    )
    lines = [
        (label, number(score), large(plain), number(plain_share), number(shifted), number(share))
        for label, score, plain, plain_share, shifted, share in zip(scene.labels, *both, strict=True)
    ]
    broken = int((~np.isfinite(both.plain_shares)).sum())
    finding = f"{broken} of {len(lines)} weights are not numbers any more" if broken else "Both ways agree"
    note = Markup('<p class="soft">The row of {}, as the formula stands and with its maximum subtracted. {}.</p>')
    page.write(table(HEAD, lines) + note.format(typed(scene.labels[row]), finding))


def large(value: float) -> str:
    """Return a number that may be very large."""
    return number(value) if value < 1e5 or math.isinf(value) else power_of_ten(value)
