"""Claims that tutorials make from one draw, put to the test: a guess, one draw against many, and a verdict."""

import math
from typing import NamedTuple

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.random_scores import MOST, Trial, one_draw, statistics, try_claim
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.scaling.common import skyline
from pages.scaling.over_widths import prepare
from pages.scaling.scene import LENGTH, Draws

STEP = Step(
    "claims",
    "One draw proves very little",
    "Tutorials print one table of numbers and read a law out of it. Here are four such claims. Guess first; then "
    "draw again, a few times, and see what a single draw would have told you.",
)

ENOUGH = 400  # draws: a question is about what most of them do, so a few would not settle it


class Claim(NamedTuple):
    """What is claimed to happen as d_k grows: how it is told and asked, to which measure, in which direction."""

    name: str  # of its question
    text: str
    question: str
    measure: str
    divisor: str
    rises: bool
    widths: tuple[int, ...]
    flat: bool = False  # whether it says that the first width makes all weights nearly alike


CLAIMS = {
    "it falls": Claim(
        "falls",
        "Divided by √d_k, the largest weight sinks as d_k grows from 4 to 512.",
        "Draw a table at d_k = 4 and one at 512, and divide by √d_k. In how many draws is the largest weight **lower** "
        "at 512?",
        "largest",
        "√d_k",
        False,
        (4, 16, 64, 256, 512),
    ),
    "64 sharp": Claim(
        "sharp",
        "Divided by √d_k, weights at d_k = 2 are nearly all alike, and d_k = 64 sharpens them.",
        "Draw a table at d_k = 2 and one at 64, and divide by √d_k. In how many draws are the largest weights of the "
        "rows, on average, higher at 64?",
        "largest_in_row",
        "√d_k",
        True,
        (2, 4, 8, 16, 32, 64),
        flat=True,
    ),
    "1 flat": Claim(
        "flat",
        "Going from d_k = 4 down to 1 makes the weights more alike.",
        "Draw a table at d_k = 1 and one at 4, and divide by √d_k. In how many draws are the largest weights of the "
        "rows, on average, **lower** at 1?",
        "largest_in_row",
        "√d_k",
        True,
        (1, 2, 4),
        flat=True,
    ),
    "it rises": Claim(
        "rises",
        "Undivided, the largest weight climbs to 1 as d_k grows from 4 to 512.",
        "Draw a table at d_k = 4 and one at 512, and do **not** divide. In how many draws is the largest weight higher "
        "at 512?",
        "largest",
        "nothing",
        True,
        (4, 16, 64, 256, 512),
    ),
}


def draw(page: Page, scene: Draws) -> bool:
    """Put a claim to the test: first a guess, then one draw against many, then what they say."""
    controls, seed = page.controls, scene.seed
    with page.fields:
        claim = CLAIMS[controls.choice("claim", "The claim", tuple(CLAIMS), next(iter(CLAIMS)))]
    page.say(f"**Claim.** {claim.text} Tables of {LENGTH} queries and {LENGTH} keys, as in the tutorials.", "ask")
    tested = (claim.measure, claim.divisor, claim.rises, claim.widths, LENGTH)
    enough = max(scene.n_draws, ENOUGH)
    prepare(claim.measure, claim.widths, LENGTH, enough, seed)
    if not page.ask(claim_question(claim, try_claim(*tested, enough, seed), page.variant(f"claim_{claim.name}"))):
        return False
    trial = page.recipe.run("trial", try_claim, *tested, scene.n_draws, seed)
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        with st.container(border=True):
            page.say(verdict(trial, claim), "")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            place = controls.whole("draw", "One draw, number", 1, MOST, 1, width=150)
            st.button(
                "Draw again",
                icon=":material/casino:",
                key=f"{page.name}_again",
                disabled="draw" in controls.locked,
                on_click=controls.put,
                kwargs={"draw": place % MOST + 1},
            )
        single = page.recipe.run(
            "single", one_draw, claim.measure, claim.divisor, claim.widths, LENGTH, seed, place - 1
        )
        page.write(impression(single, trial, claim), "note")
    with left:
        page.show(claim_lines(claim, trial, single, place), note=scene.origin)
    return True


def thumbnail(scene: Draws) -> Markup:
    """Return the small picture of the step."""
    return skyline(statistics(64, 4, 100, 0).largest[1, :10])


def claim_lines(claim: Claim, trial: Trial, single: Array, place: int) -> Chart:
    """Return one draw as dots on a line, over the mean and the band of many."""
    mean = f"mean of {trial.n_draws}"
    values = ", ".join(f"{number(value)} at {width}" for value, width in zip(single, claim.widths, strict=True))
    return line_chart(
        np.array(claim.widths, float),
        {f"draw {place}": single, mean: trial.mean},
        x_title="d_k",
        y_title="largest weight",
        x_domain=(float(claim.widths[0]), float(claim.widths[-1])),
        y_domain=(0, 1),
        name="one draw and many",
        sentence=f"Draw {place}: {values}. The band holds eight draws in ten.",
        band={mean: (trial.low, trial.high)},
        baselines={"all alike": 1 / LENGTH},
        log_x=True,
        dots=True,
        colours=(INK, ATTENTION),
        height=300,
    )


def evidence(trial: Trial, claim: Claim) -> str:
    """Return whether the draws show a claim: "all" of them as it says, "average" a little and on average, or "not"."""
    towards = trial.change if claim.rises else -trial.change
    chance = 2 * trial.std * math.sqrt(2 / trial.n_draws)  # two standard errors of the difference of two means
    if trial.agreeing > 0.9 * trial.n_draws and towards > trial.std:
        return "all"
    return "average" if towards > chance else "not"


def verdict(trial: Trial, claim: Claim) -> str:
    """Return what the draws say to a claim."""
    if trial.n_draws == 1:
        return "**One draw cannot tell.** Ask for more draws."
    first, last, n_widths = claim.widths[0], claim.widths[-1], len(claim.widths)
    numbers = (
        f"The mean goes from {number(trial.mean[0], 3)} at d_k = {first} to {number(trial.mean[-1], 3)} at {last}; "
        f"single draws lie about {number(trial.std)} from their mean. In {trial.agreeing} of {trial.n_draws} draws "
        f"the two ends differ as claimed."
    )
    in_order = f" All {n_widths} numbers stand in that order in {trial.in_order} of them." if n_widths > 3 else ""
    shown = evidence(trial, claim)
    if shown == "all":
        return f"**It holds.** {numbers} Here one table would have told the same."
    if shown == "not":
        told = "These draws do not show it. Whoever saw it may have met a draw that does."
        return f"**{told}** {numbers}{in_order}"
    alike = (
        f" Nearly alike they are not: that would be {number(1 / LENGTH)}, and at d_k = {first} the mean is "
        f"{number(trial.mean[0])}."
    )
    return f"**A little of it is true, on average.** {numbers}{in_order}{alike if claim.flat else ''}"


def impression(single: Array, trial: Trial, claim: Claim) -> str:
    """Return what this draw alone would make one believe."""
    steps = np.diff(single) * (1 if claim.rises else -1)
    if (steps > 0).all() and len(claim.widths) > 3:
        rarely = f" They do so in {trial.in_order} of {trial.n_draws} draws." if trial.n_draws > 1 else ""
        return f"By this draw alone the claim is as good as proved: all its numbers stand in that order.{rarely}"
    if steps.sum() > 0:
        return "By this draw alone the claim is right: its two ends differ as it says."
    return "By this draw alone the claim is wrong: its two ends differ the other way."


def claim_question(claim: Claim, trial: Trial, variant: int) -> Choice:
    """Ask in how many of many draws a claim comes true: at its two ends, or in odd variants at every step."""
    every_step = variant % 2 == 1
    text = claim.question
    if every_step:
        widths = ", ".join(map(str, claim.widths))
        text += f" And stricter: in how many do **all numbers**, at {widths}, come in that order?"
    found = trial.in_order if every_step else trial.agreeing
    share = found / trial.n_draws
    right = 0 if share < 0.25 else 2 if share > 0.75 else 1
    options = ("In less than a quarter", "Somewhere in between", "In more than three quarters")
    why = f"It is so in {found} of {trial.n_draws} draws, {share:.1%}."
    fewer = "Single draws differ more from each other than the claimed effect is large."
    mistakes = ["There are more of them.", "There are more of them." if right == 2 else fewer, fewer]
    mistakes[right] = ""
    return Choice(f"claim_{claim.name}", prose(text), options, (right,), why, tuple(mistakes))
