"""Claims that tutorials make from one draw, and what many draws say to them."""

import math
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.random_scores import Trial
from pages.look.html import number

LENGTH = 4  # words: what the tutorials take


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


def holds(trial: Trial, claim: Claim) -> str:
    """Return whether a claim holds in "all" draws, as it says, on "average" only and by little, or is "not" seen."""
    towards = trial.change if claim.rises else -trial.change
    chance = 2 * trial.apart * math.sqrt(2 / trial.n_draws)  # how far two means of so many draws may lie apart by it
    if trial.agreeing > 0.9 * trial.n_draws and towards > trial.apart:
        return "all"
    return "average" if towards > chance else "not"


def verdict(trial: Trial, claim: Claim) -> str:
    """Return what the draws say to a claim."""
    first, last = claim.widths[0], claim.widths[-1]
    numbers = (
        f"The mean goes from {number(trial.mean[0], 3)} at d_k = {first} to {number(trial.mean[-1], 3)} at {last}; "
        f"single draws lie about {number(trial.apart)} from their mean. In {trial.agreeing} of {trial.n_draws} draws "
        f"the two ends differ as claimed."
    )
    if trial.n_draws == 1:
        return "**One draw cannot tell.** Ask for more draws."
    kind = holds(trial, claim)
    if kind == "all":
        return f"**It holds.** {numbers} Here one table would have told the same."
    many = len(claim.widths)
    steps = f" All {many} numbers stand in that order in {trial.in_order} of them." if many > 3 else ""
    if kind == "not":
        said = "These draws do not show it. Whoever saw it may have met a draw that does."
        return f"**{said}** {numbers}{steps}"
    said = "A little of it is true, on average."
    alike = (
        f" Nearly alike they are not: that would be {number(1 / LENGTH)}, and at d_k = {first} the mean is "
        f"{number(trial.mean[0])}."
        if claim.flat
        else ""
    )
    return f"**{said}** {numbers}{steps}{alike}"


def of_one(single: Array, trial: Trial, claim: Claim) -> str:
    """Return what someone would believe who has seen this draw alone."""
    steps = np.diff(single) * (1 if claim.rises else -1)
    if (steps > 0).all() and len(claim.widths) > 3:
        rarely = f" They do so in {trial.in_order} of {trial.n_draws} draws." if trial.n_draws > 1 else ""
        return f"By this draw alone the claim is as good as proved: all its numbers stand in that order.{rarely}"
    if steps.sum() > 0:
        return "By this draw alone the claim is right: its two ends differ as it says."
    return "By this draw alone the claim is wrong: its two ends differ the other way."
