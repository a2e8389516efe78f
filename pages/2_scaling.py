"""Lesson 2: why scores are divided by √d_k, measured over many draws, and what dividing cannot do."""

import streamlit as st

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from attention_core.equations.softmax import softmax_forward
from attention_core.experiments.overflow import softened
from attention_core.experiments.random_scores import DIVISORS, WIDTHS, statistics_of
from pages.look.thumbnails import blank
from pages.page.page import begin
from pages.page.steps import Stage, strip, walk
from pages.practice.exercise_page import practise
from pages.scaling.claims import CLAIMS, LENGTH
from pages.scaling.lines import MEASURED, measured
from pages.scaling.switches import two_switches
from pages.scaling.table import constants, one_table_closely, wrong_width
from pages.scaling.thumbnails import thumbnails
from pages.scaling.trials import try_claim

STAGES = (
    Stage(
        "spread",
        "q · k",
        "Longer vectors, wider scores",
        "A score adds up d_k products of random numbers, and the more there are, the wider it spreads. Drag d_k, and "
        "see which divisor keeps the variance, the mean of the squares, in one place.",
    ),
    Stage(
        "scores",
        "softmax",
        "Wide scores make hard choices",
        "Softmax goes by differences: a score that leads by 7 gets e⁷, a thousand times the share. Here are the scores "
        "at one d_k and the weights of the first draw. Divide by nothing, then drag d_k from 1 to 512.",
    ),
    Stage(
        "largest",
        "largest",
        "How hard does softmax choose?",
        "The largest weight of a row says how hard the choice is. One table could show anything, so here are many at "
        "every d_k: the line is their mean, and eight draws in ten lie in the band.",
    ),
    Stage(
        "entropy",
        "entropy",
        "Is dividing by more still safer?",
        "If dividing keeps softmax from an early choice, why stop at √d_k? Entropy says how open a row is: 0 when one "
        "key has everything, at its maximum when all keys get the same. Which end is the safe one?",
    ),
    Stage(
        "gradient",
        "gradient",
        "The gradient that dies",
        "This is why the first transformer divides. Training moves a weight w through its score, at a slope of "
        "w\u00a0·\u00a0(1\u00a0−\u00a0w). Where one weight is nearly 1, all slopes are nearly 0: a wrong choice "
        "cannot be unlearned.",
    ),
    Stage(
        "claims",
        "claims",
        "One draw proves very little",
        "Tutorials print one table of numbers and read a law out of it. Here are four such claims. Guess first; then "
        "draw again, a few times, and see what a single draw would have told you.",
    ),
    Stage(
        "d_v",
        "√d_v",
        "The width of k, not that of v",
        "Values have a width too, d_v. Most code makes it equal to d_k, so whoever divides by √d_v gets every number "
        "right, until one of the two changes. Change d_v and see the mistake come out of hiding.",
    ),
    Stage(
        "overflow",
        "overflow",
        "Two troubles, two remedies",
        "Overflow: e to the score is larger than a number can be, and NaN, “not a number”, comes out. Saturation: one "
        "key has everything. Add something to every score of a row: which switch mends which trouble?",
    ),
    Stage(
        "constant",
        "adding",
        "What can softmax see?",
        "Add a number to a row of scores, add it to a column, or multiply all scores by it: which of these can softmax "
        "see? Guess, then try all three. A weight that has moved gets an outline.",
    ),
)
NAMES = [stage.name for stage in STAGES]
DRAWS = ("1", "10", "100", "1000", "4000")
PRESETS = {
    "Sixteen keys": {"length": 16, "step": "largest"},
    "Dividing by too much": {"divide": "d_k", "step": "entropy"},
    "A gradient near 0": {"divide": "nothing", "d_k": "512", "step": "gradient"},
}

page = begin("scaling", "Scaling")
controls = page.controls
stage = STAGES[NAMES.index(controls.place("step", "Step", NAMES, NAMES[0]))]

with page.scene:
    st.subheader("These draws", anchor=False)
    length, n_draws = LENGTH, 0
    if stage.name != "claims":
        length = controls.slider("length", "Queries and keys in a table", 2, 16, 8, 1)
    if stage.name in (*MEASURED, "claims"):
        n_draws = int(controls.dial("draws", "How many draws", DRAWS, "100"))
    seed = controls.whole("seed", "Seed", 0, 9999, 895)
    page.presets(PRESETS)

with page.body:
    page.claim(stage.claim)
    page.say(stage.text)
    stages = st.container()
    d_k, d_v, named, claim = 64, 64, "√d_k", next(iter(CLAIMS))
    widths = [str(width) for width in WIDTHS]
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        with st.container(horizontal=True, vertical_alignment="bottom", width="content"):
            if stage.name == "claims":
                claim = controls.choice("claim", "The claim", tuple(CLAIMS), claim)
            else:
                across = 220 if stage.name == "d_v" else 300
                d_k = int(controls.dial("d_k", "d_k, the width of q and k", widths, "64", width=across))
            if stage.name == "d_v":
                d_v = int(controls.dial("d_v", "d_v, the width of v", widths, "64", width=across))
            if stage.name in (*MEASURED, "scores"):
                named = controls.choice("divide", "Divide the scores by", DIVISORS, named)
        walk(page, STAGES, stage)
    origin = f"Random numbers (seed {seed}): they stand for no words."

    if stage.name in MEASURED:
        ready = measured(page, stage.name, named, d_k, length, n_draws, seed, origin)
    elif stage.name == "scores":
        ready = one_table_closely(page, named, d_k, length, seed, origin)
    elif stage.name == "claims":
        ready = try_claim(page, CLAIMS[claim], n_draws, seed, origin)
    elif stage.name == "d_v":
        ready = wrong_width(page, d_k, d_v, length, seed, origin)
    elif stage.name == "overflow":
        ready = two_switches(page, d_k, length, seed)
    else:
        ready = constants(page, d_k, length, seed, origin)
    with stages:
        pictures, n_seen = thumbnails(), NAMES.index(stage.name) + ready
        seen = [pictures[name] for name in NAMES[:n_seen]]
        strip(page, STAGES, seen + [blank()] * (len(NAMES) - n_seen), stage, narrowest=80)

page.finish(statistics_of, softmax_forward, softened, then=practise)
