"""How open a row is along d_k: its entropy, and what dividing by more does to it."""

import numpy as np
from markupsafe import Markup

from attention_core.experiments.random_scores import WIDTHS, Spread
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.scaling.common import skyline, small_means
from pages.scaling.over_widths import Measure, largest_weights, show_measure
from pages.scaling.scene import Draws

STEP = Step(
    "entropy",
    "Is dividing by more still safer?",
    "If dividing keeps softmax from an early choice, why stop at √d_k? Entropy says how open a row is: 0 when one "
    "key has everything, at its maximum when all keys get the same. Which end is the safe one?",
)

MEASURE = Measure("entropy", "entropy, as a share of its maximum", (0, 1))
NOTE = (
    "Divided by d_k, the scores shrink to nothing as d_k grows: every query takes the plain mean of all values, "
    "whatever it asks. A row that is fully open has chosen nothing, so neither end is safe."
)


def draw(page: Page, scene: Draws) -> bool:
    """Show the entropy of a row along d_k."""
    if not page.ask(more_question(largest_weights(scene), scene.length, page.variant("more"))):
        return False
    show_measure(page, scene, MEASURE, NOTE)
    return True


def thumbnail(scene: Draws) -> Markup:
    """Return the small picture of the step."""
    return skyline(small_means("entropy"))


def more_question(largest: Spread, length: int, variant: int) -> Choice:
    """Ask whether dividing by more is safer."""
    d_k = (512, 128, 256)[variant % 3]
    column = WIDTHS.index(d_k)
    root, full = (float(largest.mean[i, column]) for i in (1, 2))
    text = prose(
        f"Dividing by √d_k keeps the scores small. At d_k = {d_k}, would dividing by **d_k** itself be safer still? "
        f"What will a row over {length} keys look like?"
    )
    options = ("All keys get nearly the same", "One key gets nearly all", "As with √d_k")
    goals = (1 / length, 1.0, root)
    right = int(np.argmin([abs(full - goal) for goal in goals]))
    why = (
        f"Its largest weight is {number(full, 3)} on average, where all alike would be {number(1 / length, 3)}; with "
        f"√d_k it is {number(root, 3)}."
    )
    mistakes = [
        "There is still a difference to see.",
        "Smaller scores lie closer together, and softmax makes like shares of like scores.",
        "The scores shrink by another √d_k, so they differ far less.",
    ]
    mistakes[right] = ""
    return Choice("more", text, options, (right,), why, tuple(mistakes))
