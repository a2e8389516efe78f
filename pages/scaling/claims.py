"""Claims that tutorials make from one example, put to the test: a guess, one trial against many, and a verdict."""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.data_files import read_table
from attention_core.experiments.scaling.random_scores import MOST, Trial, sample_trial, try_claim
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK
from pages.look.facts import as_shown, change
from pages.look.html import commas, number, percent, prose
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

ENOUGH = 400  # trials: what a few of them say changes from seed to seed
VERDICTS = {
    "all": "**It holds.** Here one trial would usually have shown the same. {counts}",
    "average": "**Partly true, and only on average.** {counts}",
    "not": "**These trials do not support it.** A lucky trial can still seem to prove the claim. {counts}",
    "far": "**Right direction, wrong size.** {counts} Uniform weights are {uniform}, but here the largest of a row is "
    "{mean} on average.",
}
ENDS = "In {ends} of {trials} trials the two ends differ as claimed."
IN_ORDER = " In {order} of them, all numbers are in the claimed order."
BY_CHANCE = "Even without any change, about half of the trials would agree by chance."
BESIDE = "The change of the mean is {change}, and single trials lie about {apart} from it."
ORDERED_BY_CHANCE = "By chance, {part} % of the trials would be in order. The change adds to that."
EVERY_STEP = "All {steps} steps must go one way, and the change is small beside the random differences."
POINTED = 4  # digits of a dot in its tooltip
NEARLY = 0.05  # how far a mean may be from uniform weights that are called nearly uniform


class TutorialClaim(NamedTuple):
    """What is claimed to happen as d_k grows: how it is told and asked, to which measure, in which direction."""

    name: str  # of its question
    text: str
    measure: str
    divisor: str
    rises: bool
    widths: tuple[int, ...]
    flat: bool = False  # whether it says that the first width makes the weights nearly uniform
    ordered: bool = True  # whether all numbers can be told apart: many a weight near 1 is rounded to 1


CLAIMS = {
    label: TutorialClaim(**said | {"widths": tuple(said["widths"])}) for label, said in read_table(__file__).items()
}
MEASURED = {"largest": "the largest weight", "largest_in_row": "the mean of the rows’ largest weights"}


def draw(page: Page, scene: Trials) -> bool:
    """Put a claim to the test: first a guess, then one trial against many, then what they say."""
    controls, seed = page.controls, scene.seed
    with page.fields:
        claim = CLAIMS[controls.select("claim", "Claim", tuple(CLAIMS), next(iter(CLAIMS)), width=220)]
    page.say(f"**Claim.** {claim.text} It is tested with {LENGTH} queries and {LENGTH} keys, as in tutorials.", "ask")
    prepare(claim.widths, LENGTH, ENOUGH, seed)
    question = page.question(f"claim_{claim.name}", partial(claim_question, claim, ENOUGH, seed))
    if not page.ask(question, lambda: page.show(claim_lines(claim))):
        return False
    tested = (claim.measure, claim.divisor, claim.rises, claim.widths, LENGTH, ENOUGH, seed)
    many = page.recipe.run("many", try_claim, *tested)
    page.prints(f"mean at width {claim.widths[-1]}", many.mean, len(claim.widths) - 1)
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        with st.container(border=True):
            page.say(verdict(many, claim), "")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            which = controls.integer("draw", "Trial number", 1, MOST, 1, width=150)
            fixed, following = "draw" in controls.locked, {"draw": which % MOST + 1}
            put_button(page, "New trial", following, "again", ":material/casino:", disabled=fixed)
        drawn = (claim.measure, claim.divisor, claim.widths, LENGTH, seed, which - 1)
        single = page.recipe.run("single", sample_trial, *drawn)
        page.write(impression(single, claim), "note")
    with left:
        page.show(claim_lines(claim, many, single, which), note=scene.origin)
    return True


def claim_lines(claim: TutorialClaim, many: Trial | None = None, single: Array | None = None, which: int = 0) -> Chart:
    """Return one trial as dots on a line, over the mean and the band of many; the axes alone before an answer."""
    lines, bands, said = {}, {}, "The lines are still blank."
    if many is not None and single is not None:
        mean = f"mean of {many.n_draws:,}"
        lines, bands = {f"trial {which}": single, mean: many.mean}, {mean: (many.low, many.high)}
        said = "Dots: one trial. Band: eight in ten of all trials."
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


def evidence(many: Trial, claim: TutorialClaim) -> str:
    """Return whether the trials show a claim: "all" of them as it says, "average" a little and on average, or "not"."""
    towards = many.change if claim.rises else -many.change
    chance = 2 * many.std * math.sqrt(2 / many.n_draws)  # two standard errors of the difference of two means
    if many.agreeing > 0.9 * many.n_draws and towards > many.std:
        return "all"
    return "average" if towards > chance else "not"


def verdict(many: Trial, claim: TutorialClaim) -> str:
    shown = evidence(many, claim)
    if shown != "not" and claim.flat and many.mean[0] > 1 / LENGTH + NEARLY:
        shown = "far"
    counts = ENDS + IN_ORDER * (claim.ordered and len(claim.widths) > 3)
    counts = counts.format(ends=commas(many.agreeing), trials=commas(many.n_draws), order=commas(many.in_order))
    return VERDICTS[shown].format(counts=counts, uniform=number(1 / LENGTH), mean=number(many.mean[0], 3))


def impression(single: Array, claim: TutorialClaim) -> str:
    """Return what this trial alone would make one believe."""
    steps = np.diff(as_shown(single, POINTED)) * (1 if claim.rises else -1)
    proves = claim.ordered and len(claim.widths) > 3 and (steps > 0).all()
    falls, rises = ("speaks against", "supports") if claim.rises else ("supports", "speaks against")
    kinds = {"falls": falls, "stays": "neither supports nor contradicts", "rises": rises}
    told = kinds[change(single[0], single[-1], POINTED)]
    does = "seems to prove" if proves else told
    return f"By itself, this trial {does} the claim."


def claim_question(claim: TutorialClaim, n_trials: int, seed: int, variant: int) -> Choice:
    """Ask in how many of many trials a claim comes true: at its two ends, or in odd variants at every step.

    Those ask about the first alone where not all can be told apart, or two go as claimed in a quarter of the trials.
    """
    every_step = claim.ordered and len(claim.widths) > 3 and variant % 2 == 1
    widths = claim.widths if every_step or variant % 2 == 0 else claim.widths[:2]
    many = try_claim(claim.measure, claim.divisor, claim.rises, widths, LENGTH, n_trials, seed)
    found = many.in_order if every_step else many.agreeing
    divided = "not divided" if claim.divisor == "nothing" else f"divided by {claim.divisor}"
    at = ", ".join(map(str, widths)) if every_step else f"{widths[0]} and at {widths[-1]}"
    way = "rise" if claim.rises else "fall"
    text = prose(
        f"A trial has random scores at d_k = {at}, {divided}. In how many of {n_trials:,} trials "
        f"does {MEASURED[claim.measure]} **{way}{' at every step' * every_step}**?"
    )
    fraction = found / n_trials
    right = 0 if fraction < 0.25 else 2 if fraction > 0.75 else 1
    options = ("Fewer than a quarter", "Between one and three quarters", "More than three quarters")
    why = f"This happens in {found:,} of {n_trials:,} trials, {percent(fraction, 2)}."
    few, most = BY_CHANCE, BESIDE.format(change=number(abs(many.change), 3), apart=number(many.std, 3))
    if every_step:
        few = ORDERED_BY_CHANCE.format(part=number(100 / math.factorial(len(widths)), 1))
        most = EVERY_STEP.format(steps=len(widths) - 1)
    wrong = {options[0]: few, options[1]: most if every_step else few, options[2]: most}
    if right == 2:
        wrong = dict.fromkeys(options, most)
    return Choice.of(f"claim_{claim.name}", text, options[right], why, wrong)
