"""The largest weight of a row along d_k."""

from functools import partial

from attention_core.experiments.scaling.random_scores import DIVISORS, WIDTHS, Spread
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.scaling.over_widths import ROWS, Measure, blank_lines, choose, largest_weights, show_measure
from pages.scaling.scene import Trials

STEP = Step(
    "peak",
    "Dividing by √dₖ keeps rows about equally peaked",
    "The largest weight of a row shows how peaked the row is. Here are random trials, some queries and keys each, at "
    "every d_k.",
    asks="How peaked are the weights?",
    then="Uniform weights pick out nothing. Weights that are peaked from the start may train badly, as the next step "
    "shows.",
    experiment="largest_d_k largest_divide",
)

MEASURE = Measure("largest_in_row", "largest weight of a row", (0, 1), of=ROWS)
ASKED = (DIVISORS[0], DIVISORS[2], DIVISORS[1])
FROM, TO = 4, 512  # d_k of the question
NEARLY = 0.15  # of what it was: what counts as nearly the same in a question
GROWS = "d_k grows from {} to {}, {}. What happens to the largest weight of a row, on average over many trials?"
ENDS = "Compare the weights at both ends."
MISTAKES = {  # falls, stays, rises: of each divisor
    "nothing": (
        "The mean of many random numbers settles near 0. But a score is their sum, and the sum spreads more and more.",
        "Nothing divides the scores, which spread more and more.",
        ENDS,
    ),
    "√d_k": (
        "Dividing by √d_k cancels the growth of the scores, so they do not shrink either.",
        ENDS,
        "That happens without dividing. Dividing by √d_k cancels the growth of the scores.",
    ),
    "d_k": (
        ENDS,
        "Dividing by √d_k would cancel the growth of the scores, but d_k is larger, so they shrink.",
        "That happens without dividing. The divisor d_k grows faster than the scores, so they shrink.",
    ),
}


def draw(page: Page, scene: Trials) -> bool:
    """Show the largest weight of a row along d_k."""
    question = page.question("grows", partial(grows_question, largest_weights(scene)))
    blank = partial(blank_lines, page, MEASURE, baselines={"uniform": 1 / scene.length})
    then = partial(choose, page, TO, ASKED[page.variant("grows") % len(ASKED)])
    if not page.ask(question, blank, then):
        return False
    show_measure(page, scene, MEASURE, "With ten trials or more, the band contains eight of ten.")
    return True


def grows_question(largest: Spread, variant: int) -> Choice:
    """Ask what the largest weight does as d_k grows, under one of the divisors."""
    named = ASKED[variant % len(ASKED)]
    means = largest.mean[DIVISORS.index(named)]
    start, end = (float(means[WIDTHS.index(d_k)]) for d_k in (FROM, TO))
    how = "without dividing" if named == "nothing" else f"dividing by {named}"
    text = prose(GROWS.format(FROM, TO, how))
    options = ("It falls", "It stays nearly the same", "It rises")
    right = 1 if abs(end - start) < NEARLY * start else 2 if end > start else 0
    why = f"On average it goes from {number(start)} at d_k = {FROM} to {number(end)} at {TO}."
    return Choice.of("grows", text, options[right], why, dict(zip(options, MISTAKES[named], strict=True)))
