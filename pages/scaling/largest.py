"""The largest weight of a row along d_k."""

from markupsafe import Markup

from attention_core.experiments.random_scores import DIVISORS, Spread
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.scaling.common import skyline, small_means
from pages.scaling.over_widths import Measure, largest_weights, show_measure
from pages.scaling.scene import Draws

STEP = Step(
    "largest",
    "How hard does softmax choose?",
    "The largest weight of a row says how hard the choice is. One table could show anything, so here are many at "
    "every d_k: the line is their mean, and eight draws in ten lie in the band.",
)

MEASURE = Measure("largest_in_row", "largest weight of a row", (0, 1))
NEARLY = 0.15  # of what it was: what counts as nearly the same in a question


def draw(page: Page, scene: Draws) -> bool:
    """Show the largest weight of a row along d_k."""
    if not page.ask(grows_question(largest_weights(scene), page.variant("grows"))):
        return False
    note = f"All {scene.length} keys alike would be {number(1 / scene.length, 3)} each."
    show_measure(page, scene, MEASURE, note)
    return True


def thumbnail(scene: Draws) -> Markup:
    """Return the small picture of the step."""
    return skyline(small_means("largest_in_row"))


def grows_question(largest: Spread, variant: int) -> Choice:
    """Ask what the largest weight does as d_k grows, under one of the divisors."""
    named = DIVISORS[(0, 2, 1)[variant % 3]]
    means = largest.mean[DIVISORS.index(named)]
    start, end = float(means[2]), float(means[-1])
    how = "without dividing" if named == "nothing" else f"dividing by {named}"
    text = prose(
        f"Let d_k grow from 4 to 512, {how}. What does the largest weight of a row do, on average over many draws?"
    )
    options = ("It falls: the more numbers, the more they even out", "It stays nearly where it is", "It rises")
    right = 1 if abs(end - start) < NEARLY * start else 2 if end > start else 0
    why = f"On average it goes from {number(start)} at d_k = 4 to {number(end)} at 512."
    mistakes = [
        "A mean of many numbers evens out, but a score is their sum, and sums spread ever wider.",
        "The spread of the scores changes with d_k, and softmax feels it.",
        "Longer vectors alone make no harder choice: it depends on what the sum is divided by.",
    ]
    if named == "√d_k":
        mistakes[0] = "The sum spreads by √d_k, and by just that it is divided."
    if named == "d_k":
        mistakes[1] = "The sum spreads by √d_k only, so dividing by d_k makes the scores shrink."
    mistakes[right] = ""
    return Choice("grows", text, options, (right,), why, tuple(mistakes))
