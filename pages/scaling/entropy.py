"""How spread out a row is along d_k: its entropy, and what dividing by more does to it."""

import math
from functools import partial

import numpy as np
from markupsafe import Markup

from attention_core.experiments.scaling.random_scores import WIDTHS, Spread
from pages.look import thumbnails
from pages.look.html import inline, number, prose
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.scaling.over_widths import ROWS, Measure, blank_lines, choose, largest_weights, show_measure
from pages.scaling.scene import Trials, small_means

STEP = Step(
    "entropy",
    "Why not divide by even more?",
    "If dividing keeps the weights from collapsing onto one key, why not divide by more? **Entropy** measures how "
    "spread out a row is. It is 0 if one key has all the weight, and largest if all weights are equal.",
    words="entropy_d_k entropy_divide",
)

MEASURE = Measure("entropy", "entropy, as a fraction of its maximum", (0, 1), of=ROWS)
ASKED = (512, 128, 256)  # d_k of the question
NOTE = (
    "Divided by d_k, these scores shrink towards 0 as d_k grows. Every query then gets nearly the plain mean of "
    "all values. Uniform weights pick out nothing, and weights peaked from the start may train badly, as a later step "
    "shows. So neither end is safe."
)


def draw(page: Page, scene: Trials) -> bool:
    """Show the entropy of a row along d_k."""
    question = page.question("more", partial(more_question, largest_weights(scene), scene.length))
    d_k = ASKED[page.variant("more") % len(ASKED)]
    if not page.ask(question, partial(blank_lines, page, MEASURE, d_k), partial(choose, page, d_k, "d_k")):
        return False
    show_measure(page, scene, MEASURE, NOTE)
    return True


def thumbnail(scene: Trials) -> Markup:
    return thumbnails.skyline(small_means("entropy"))


def more_question(largest: Spread, length: int, variant: int) -> Choice:
    """Ask whether dividing by more is safer."""
    d_k = ASKED[variant % len(ASKED)]
    column = WIDTHS.index(d_k)
    root, full = (float(largest.mean[i, column]) for i in (1, 2))
    text = prose(
        f"At d_k = {d_k}, random scores are divided by **d_k** instead of √d_k. How is the weight of a row over "
        f"{length} keys spread?"
    )
    options = ("All keys get nearly the same", "One key gets nearly all", "As with √d_k")
    goals = (1 / length, 1.0, root)
    right = int(np.argmin([abs(full - goal) for goal in goals]))
    why = inline(
        f"The largest weight is {number(full, 3)} on average. "
        f"Uniform weights would be {number(1 / length, 3)}, and √d_k gives {number(root, 3)}."
    )
    mistakes = [
        "Dividing by d_k brings the scores closer together, but here they still differ enough to see.",
        "Dividing by more makes scores smaller, not larger. Small scores lie close together and get similar weights.",
        f"d_k is √{d_k} = {number(math.sqrt(d_k), 1)} times as large as √d_k, so the scores differ that much less.",
    ]
    return Choice("more", text, options, (right,), why, tuple(map(inline, mistakes)))
