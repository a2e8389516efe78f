"""The variance of the scores along d_k, undivided and divided."""

import math
from functools import partial

from attention_core.experiments.scaling.random_scores import expected_variance
from pages.look.html import prose
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Mistake, Number
from pages.scaling.over_widths import Measure, blank_lines, show_measure
from pages.scaling.scene import DIVISORS, NARROW, Trials, width_field

STEP = Step(
    "variance",
    "Wider vectors give larger scores",
    "A score q · k is a sum of d_k products. The **variance** of random scores is their mean squared distance from the "
    "mean. Its root, the **standard deviation**, says how far scores usually lie from their mean.",
    asks="What does a wider key do to the scores?",
    then="Try each divisor: one keeps the expected variance at 1.",
    experiment="spread_d_k spread_divide",
)

MEASURE = Measure("variance", "variance of the scores", (2.0**-9.5, 2.0**10), log=True, theory=True)
ASKED = ((16, "none"), (64, "none"), (4, "√d_k"), (256, "none"), (64, "√d_k"), (128, "none"))
NOTE = "Dashed lines show theory: d_k divided by the square of the divisor."


def draw(page: Page, scene: Trials) -> bool:
    """Show the variance along d_k, beside what the theory says."""
    question = page.question("variance", variance_question)
    d_k, divided = ASKED[page.variant("variance") % len(ASKED)]
    then = partial(page.controls.put, spread_d_k=str(d_k), spread_divide=divided)
    if not (columns := page.ask_beside(question, partial(blank_lines, page, MEASURE, d_k), then)):
        return False  # the question has a width of its own
    with page.fields:
        d_k = width_field(page, "spread_d_k", "Key width d_k", NARROW, 160)
        divided = page.controls.choice("spread_divide", "Divisor", tuple(DIVISORS), "none")
    scene = scene._replace(d_k=d_k, divisor=DIVISORS[divided])
    answer = page.answer_to(question)
    show_measure(page, columns, scene, MEASURE, NOTE, answer and answer.given)
    return True


def variance_question(variant: int) -> Number:
    d_k, divided = ASKED[variant % len(ASKED)]
    right = float(expected_variance(DIVISORS[divided], (d_k,))[0])
    what = "q · k" if divided == "none" else f"q · k ÷ {divided}"
    text = prose(
        f"q and k have **{d_k}** numbers each, all random and independent, with mean 0 and variance 1. The product of "
        f"two such numbers has variance 1 too. What is the variance of **{what}**?"
    )
    if divided == "none":
        why = f"The {d_k} products do not depend on each other, so their variances add up to {d_k} · 1 = {d_k}."
    else:
        why = f"The sum has variance {d_k}. Dividing by √{d_k} divides the variance by {d_k}, the square of √{d_k}."
    mistakes = (
        Mistake(math.sqrt(d_k), f"√{d_k} is the standard deviation of q · k. The variance is its square."),
        Mistake(d_k**2, f"You multiplied {d_k} by {d_k}. The variances of the products are added, not multiplied."),
        Mistake(1 / d_k, f"1 ÷ {d_k} is the variance after dividing by d_k."),
        Mistake(2 * d_k, f"You counted the {d_k} numbers of q and of k. Each pair gives one product."),
        Mistake(d_k, f"{d_k} is the variance before dividing. Divide it by the square of √{d_k}."),
        Mistake(1, f"1 is the variance of one product. Add up {d_k} of them."),
        Mistake(0, "0 is the mean. The variance measures how far the sums lie from it."),
    )
    return Number("variance", text, right, 0.01, why, mistakes, "Add up the variances of the products first.", digits=0)
