"""Claims that tutorials make from one example, put to the test: a guess, one trial against many, and a verdict."""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.scaling.random_scores import MOST, Trial, one_draw, try_claim
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK
from pages.look.facts import as_shown, tell_change
from pages.look.html import inline, number, percent, prose
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.scaling.over_widths import prepare
from pages.scaling.scene import LENGTH, Trials

STEP = Step(
    "one trial",
    "One trial proves very little",
    "Tutorials often print one random example and conclude a general rule from it. Here are four such claims.",
    asks="Does one trial prove a claim?",
    then="Press *New trial* a few times and see what a single trial would have told you.",
    words="claim draw",
)

ENOUGH = 400  # trials: a question is about what most of them do, so a few would not settle it
FEW = 100  # trials: what fewer of them say changes from seed to seed
SUPPORTS = (
    "By itself, this trial supports the claim, because its numbers at d_k = {first} and {last} differ as claimed."
)
AGAINST = (
    "By itself, this trial speaks against the claim, because its numbers at d_k = {first} and {last} differ the other "
    "way."
)
NO_CHANGE = "By itself, this trial shows no change from d_k = {first} to {last}."
ONE_WOULD_DO = "Here one trial would usually have shown the same."
PARTLY = "**Partly true, and only on average.**"
UNIFORM = "Uniform weights are {} each, but here the largest of a row is {} on average."
NEARLY = 0.05  # how far a mean may be from uniform weights that are called nearly uniform


class Claim(NamedTuple):
    """What is claimed to happen as d_k grows: how it is told and asked, to which measure, in which direction."""

    name: str  # of its question
    text: str
    asked: str  # of the two ends
    measure: str
    divisor: str
    rises: bool
    widths: tuple[int, ...]
    flat: bool = False  # whether it says that the first width makes the weights nearly uniform
    ordered: bool = True  # whether all numbers can be told apart: many a weight near 1 is rounded to 1


CLAIMS = {
    "falls with d_k": Claim(
        "falls",
        "If scores are divided by √d_k, the largest weight falls as d_k grows from 4 to 512.",
        "is the largest weight **lower** at 512?",
        "largest",
        "√d_k",
        False,
        (4, 16, 64, 256, 512),
    ),
    "peaked at 64": Claim(
        "sharp",
        "If scores are divided by √d_k, weights at d_k = 2 are nearly uniform, and d_k = 64 makes them more peaked.",
        "is the mean of the rows’ largest weights **higher** at 64?",
        "largest_in_row",
        "√d_k",
        True,
        (2, 4, 8, 16, 32, 64),
        flat=True,
    ),
    "uniform at 1": Claim(
        "flat",
        "If scores are divided by √d_k, going from d_k = 4 down to 1 makes the weights nearly uniform.",
        "is the mean of the rows’ largest weights **lower** at 1?",
        "largest_in_row",
        "√d_k",
        True,
        (1, 2, 4),
        flat=True,
    ),
    "rises undivided": Claim(
        "rises",
        "If scores are not divided, the largest weight rises towards 1 as d_k grows from 4 to 512.",
        "is the largest weight **higher** at {last}?",
        "largest",
        "nothing",
        True,
        (4, 16, 64, 256, 512),
        ordered=False,
    ),
}
MEASURED = {"largest": "the largest weight", "largest_in_row": "the mean of the rows’ largest weights"}


def draw(page: Page, scene: Trials) -> bool:
    """Put a claim to the test: first a guess, then one trial against many, then what they say."""
    controls, seed = page.controls, scene.seed
    with page.fields:
        claim = CLAIMS[controls.select("claim", "Claim", tuple(CLAIMS), next(iter(CLAIMS)), width=220)]
    page.say(f"**Claim.** {claim.text} It is tested with {LENGTH} queries and {LENGTH} keys, as in tutorials.", "ask")
    enough = max(scene.n_trials, ENOUGH)
    prepare(claim.measure, claim.widths, LENGTH, enough, seed)
    question = page.question(f"claim_{claim.name}", partial(claim_question, claim, enough, seed))
    if not page.ask(question, lambda: page.show(claim_lines(claim))):
        return False
    tested = (claim.measure, claim.divisor, claim.rises, claim.widths, LENGTH, scene.n_trials, seed)
    many = page.recipe.run("many", try_claim, *tested)
    page.prints(f"mean over {scene.n_trials} trials at d_k = {claim.widths[-1]}", many.mean, len(claim.widths) - 1)
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        with st.container(border=True):
            page.say(verdict(many, claim), "")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            which = controls.integer("draw", "Trial number", 1, MOST, 1, width=150)
            fixed, following = "draw" in controls.locked, {"draw": which % MOST + 1}
            put_button(page, "New trial", following, "again", ":material/casino:", disabled=fixed)
        drawn = (claim.measure, claim.divisor, claim.widths, LENGTH, seed, which - 1)
        single = page.recipe.run("single", one_draw, *drawn)
        page.write(inline(impression(single, many, claim)), "note")
    with left:
        page.show(claim_lines(claim, many, single, which), note=scene.origin)
    return True


def claim_lines(claim: Claim, many: Trial | None = None, single: Array | None = None, which: int = 0) -> Chart:
    """Return one trial as dots on a line, over the mean and the band of many; the axes alone before an answer."""
    lines, bands, said = {}, {}, "The lines stay blank until you answer."
    if many is not None and single is not None:
        mean = f"mean of {many.n_draws:,}"
        lines, bands = {f"trial {which}": single, mean: many.mean}, {mean: (many.low, many.high)}
        values = ", ".join(f"{number(value)} at {width}" for value, width in zip(single, claim.widths, strict=True))
        said = f"Trial {which}: {values}.{' The band contains eight trials in ten.' if many.n_draws > 1 else ''}"
    return line_chart(
        np.array(claim.widths, float),
        lines,
        x_title="dₖ",
        y_title=MEASURED[claim.measure].removeprefix("the "),
        name="one trial and many",
        sentence=said,
        band=bands,
        baselines={"uniform": 1 / LENGTH},
        log_x=True,
        dots=bool(lines),
        colours=(INK, ATTENTION)[: len(lines)],
        height=300,
    )


def evidence(many: Trial, claim: Claim) -> str:
    """Return whether the trials show a claim: "all" of them as it says, "average" a little and on average, or "not"."""
    towards = many.change if claim.rises else -many.change
    chance = 2 * many.std * math.sqrt(2 / many.n_draws)  # two standard errors of the difference of two means
    if many.agreeing > 0.9 * many.n_draws and towards > many.std:
        return "all"
    return "average" if towards > chance else "not"


def verdict(many: Trial, claim: Claim) -> str:
    if many.n_draws == 1:
        return "**One trial cannot tell.** Set *Trials* higher."
    numbers = (
        f"The mean is {number(many.mean[0], 3)} at d_k = {claim.widths[0]} and {number(many.mean[-1], 3)} at "
        f"{claim.widths[-1]}. Single trials lie about {number(many.std, 3)} from the mean. In {many.agreeing:,} of "
        f"{many.n_draws:,} trials the two ends differ as claimed."
    )
    in_order = f" All {len(claim.widths)} numbers are in the claimed order in {many.in_order:,} of them."
    of_all = numbers + in_order * (claim.ordered and len(claim.widths) > 3)
    if many.n_draws < FEW:
        return f"**{many.n_draws} trials cannot tell.** Set *Trials* higher. {numbers}"
    shown, far = evidence(many, claim), claim.flat and many.mean[0] > 1 / LENGTH + NEARLY
    if shown == "all" and not far:
        return f"**It holds.** {numbers} {ONE_WOULD_DO}"
    if shown == "not":
        return f"**These trials do not support it.** A lucky trial can still seem to prove the claim. {of_all}"
    if not far:
        return f"{PARTLY} {of_all}"
    return f"**Right direction, wrong size.** {of_all} {UNIFORM.format(number(1 / LENGTH), number(many.mean[0], 3))}"


def impression(single: Array, many: Trial, claim: Claim) -> str:
    """Return what this trial alone would make one believe."""
    steps = np.diff(as_shown(single)) * (1 if claim.rises else -1)
    if claim.ordered and len(claim.widths) > 3 and (steps > 0).all():
        rarely = f" This happens in {many.in_order:,} of {many.n_draws:,} trials." if many.n_draws > 1 else ""
        return (
            f"By itself, this trial seems to prove the claim, because all its numbers are in the claimed order.{rarely}"
        )
    falls, rises = (AGAINST, SUPPORTS) if claim.rises else (SUPPORTS, AGAINST)
    ends = {"first": str(claim.widths[0]), "last": str(claim.widths[-1])}
    return tell_change(single[0], single[-1], falls=falls, stays=NO_CHANGE, rises=rises, **ends)


def claim_question(claim: Claim, n_trials: int, seed: int, variant: int) -> Choice:
    """Ask in how many of many trials a claim comes true: at its two ends, or in odd variants at every step.

    Odd variants ask about the first step alone where numbers cannot be told apart at every step, or where two steps
    go as claimed in about a quarter of the trials.
    """
    every_step = claim.ordered and len(claim.widths) > 3 and variant % 2 == 1
    widths = claim.widths if every_step or variant % 2 == 0 else claim.widths[:2]
    many = try_claim(claim.measure, claim.divisor, claim.rises, widths, LENGTH, n_trials, seed)
    found = many.in_order if every_step else many.agreeing
    divided = "not divided" if claim.divisor == "nothing" else f"divided by {claim.divisor}"
    at = ", ".join(map(str, widths)) if every_step else f"{widths[0]} and at {widths[-1]}"
    way = "rise" if claim.rises else "fall"
    asked = f"does {MEASURED[claim.measure]} **{way} at every step**?" if every_step else claim.asked
    text = prose(
        f"A trial has random scores at d_k = {at}, {divided}. In how many of {n_trials:,} trials "
        f"{asked.format(last=widths[-1])}"
    )
    fraction = found / n_trials
    right = 0 if fraction < 0.25 else 2 if fraction > 0.75 else 1
    options = ("Fewer than a quarter", "Between one and three quarters", "More than three quarters")
    why = f"This happens in {found:,} of {n_trials:,} trials, {percent(fraction, 2)}."
    change, apart = f"The mean changes by {number(abs(many.change), 3)}", number(many.std, 3)
    by_chance = "Even without any change, about half of the trials would agree by chance."
    mistakes = [by_chance, by_chance, f"{change}, but single trials lie about {apart} from it, so many disagree."]
    if right == 2:
        mistakes = [f"{change}, more than the {apart} by which single trials lie from it."] * 3
    if every_step:
        in_order = number(100 / math.factorial(len(widths)), 1)
        steps = f"All {len(widths) - 1} steps must go one way"
        several = f"{steps}, and the change is small beside the random differences."
        chance = f"By chance, {in_order} % of the trials would be in order. The change adds to that."
        mistakes = [chance, several, several]
    return Choice.of(f"claim_{claim.name}", text, options[right], why, dict(zip(options, mistakes, strict=True)))
