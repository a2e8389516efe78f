"""Lesson 2: why scores are divided by √d_k, measured over thousands of draws, and what dividing cannot do."""

import streamlit as st

from attention_core.draws import DIVISORS, WIDTHS, over_widths, statistics_of
from attention_core.overflow import softened
from attention_core.softmax import softmax_forward
from pages.practice.view import practise
from pages.scaling.claims import CLAIMS
from pages.scaling.experiments import (
    ENOUGH,
    constants,
    first_table,
    one_table_closely,
    slopes_of_one_row,
    try_claim,
    two_switches,
    wrong_width,
)
from pages.scaling.questions import grows_question, more_question, nudge_question, variance_question
from pages.scaling.views import all_three, at_width, over_d_k, prepare, thumbnails
from pages.shared.cards import blank
from pages.shared.frame import begin
from pages.shared.markup import number
from pages.shared.stepper import Stage, strip, walk

STAGES = (
    Stage(
        "spread",
        "q · k",
        "Longer vectors, wider scores",
        "A score is a sum of d_k products, one for each number of q and k. Before training those numbers are random: "
        "here each is drawn with mean 0 and variance 1. The longer the vectors, the more products a sum has, and the "
        "wider it spreads. How wide?"
        "\n\nThen find the divisor that keeps the variance in one place, whatever d_k is: choose it and drag d_k.",
    ),
    Stage(
        "scores",
        "softmax",
        "Wide scores make hard choices",
        "The same draws at one d_k: how far the scores lie apart, and what softmax makes of one table of them. Softmax "
        "goes by differences: a score that leads by 7 gets e⁷, a thousand times the share."
        "\n\nDivide by nothing, then drag d_k from 1 to 512.",
    ),
    Stage(
        "largest",
        "largest",
        "What do longer vectors do?",
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
        "This is why the paper divides. Training moves weights by moving scores, and how far a weight follows is a "
        "slope: w · (1 − w) for its own score. Where one weight is nearly 1 all slopes are nearly 0, and a wrong "
        "choice cannot be unlearned.",
    ),
    Stage(
        "claims",
        "one draw",
        "One draw proves very little",
        "Tutorials print one table of numbers and read a law out of it. Here are four such claims. Guess first; then "
        "draw again, a few times, and see what a single draw would have told you.",
    ),
    Stage(
        "d_v",
        "√d_v",
        "The width of k, not that of v",
        "Values have a width too, d_v. Most code makes it equal to d_k, so whoever divides by √d_v gets every number "
        "right, until somebody changes one of the two. Change d_v and see the mistake come out of hiding.",
    ),
    Stage(
        "overflow",
        "overflow",
        "Two troubles, two remedies",
        "Overflow: e to the score is larger than a number can be, and NaN comes out. Saturation: all is computed well, "
        "but one key has everything. Add the same to every score of a row, as a bias of the keys does, and work the "
        "two switches: which remedy mends which trouble?",
    ),
    Stage(
        "constant",
        "constants",
        "Which constants matter?",
        "A constant may be added to scores, or multiply them. Which of that can softmax see at all? Guess, then try "
        "all three: a weight that has moved gets an outline.",
    ),
)
NAMES = [stage.name for stage in STAGES]
MEASURED = {"spread": "variance", "largest": "largest_in_row", "entropy": "entropy", "gradient": "jacobian"}
NOTES = {
    "variance": "Dashed is the theory: d_k over the square of the divisor.",
    "entropy": "Divided by d_k, the scores shrink to nothing as d_k grows: every query takes the plain mean of all "
    "values, whatever it asks. A row that is fully open has not looked at anything, so neither end is safe.",
    "jacobian": "Dividing by d_k seems to do no harm here. Go one step further up, to the query, and look again.",
    "reach": "A score is q · k over the divisor, so what comes through softmax is multiplied by k and divided once "
    "more. Divided by d_k, little is left for the query in every draw; undivided, nothing in most and far too much in "
    "a few.",
}
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
    length = controls.slider("length", "Queries and keys in a table", 2, 16, 8, 1)
    n_draws = int(controls.dial("draws", "How many draws", DRAWS, "1000"))
    seed = controls.whole("seed", "Seed", 0, 9999, 895)
    page.presets(PRESETS)

with page.body:
    page.claim(stage.claim)
    page.say(stage.text)
    stages = st.container()
    d_k, named, claim = 64, "√d_k", next(iter(CLAIMS))
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        with st.container(horizontal=True, vertical_alignment="bottom", width="content"):
            if stage.name == "claims":
                claim = controls.choice("claim", "The claim", tuple(CLAIMS), claim)
            else:
                widths = [str(width) for width in WIDTHS]
                d_k = int(controls.dial("d_k", "d_k, the width of q and k", widths, "64", width=300))
            if stage.name in (*MEASURED, "scores"):
                named = controls.choice("divide", "Divide the scores by", DIVISORS, named)
        walk(page, STAGES, stage)
    origin = f"Random numbers (seed {seed}): they stand for no words."

    if stage.name in MEASURED:
        measure = MEASURED[stage.name]
        prepare(WIDTHS, length, n_draws, seed)
        if stage.name == "spread":
            question = variance_question(page.variant("variance"))
        elif stage.name == "gradient":
            products = first_table(page, d_k, length, seed)
            question = nudge_question(products, d_k, page.variant("nudge"))
        else:
            prepare(WIDTHS, length, max(n_draws, ENOUGH), seed)
            largest = over_widths("largest_in_row", WIDTHS, length, max(n_draws, ENOUGH), seed)
            if stage.name == "largest":
                question = grows_question(largest, page.variant("grows"))
            else:
                question = more_question(largest, length, page.variant("more"))
        ready = page.ask(question)
        if ready:
            if stage.name == "gradient":
                up = controls.choice("up", "How far up", ("to the scores", "to the query"), "to the scores")
                measure = "jacobian" if up == "to the scores" else "reach"
            spread = page.recipe.run("spread", over_widths, measure, WIDTHS, length, n_draws, seed)
            left, right = st.columns([1.18, 1], gap="medium")
            with left:
                many = f"{n_draws} draw{'s' * (n_draws > 1)} of {length} queries and {length} keys."
                sentence = f"{all_three(spread, measure, d_k)} {many}"
                page.show(over_d_k(spread, measure, named, d_k, sentence), note=origin)
            with right:
                with st.container(border=True):
                    page.write(at_width(spread, measure, named, d_k))
                alike = f"All {length} keys alike would be {number(1 / length, 3)} each."
                page.say(NOTES.get(measure, alike), "note")
            if stage.name == "gradient":
                slopes_of_one_row(page, products, named, d_k)
    elif stage.name == "scores":
        ready = one_table_closely(page, named, d_k, length, n_draws, seed, origin)
    elif stage.name == "claims":
        ready = try_claim(page, CLAIMS[claim], n_draws, seed, origin)
    elif stage.name == "d_v":
        ready = wrong_width(page, d_k, length, seed, origin)
    elif stage.name == "overflow":
        ready = two_switches(page, d_k, length, seed)
    else:
        ready = constants(page, d_k, length, seed, origin)
    with stages:
        pictures, n_seen = thumbnails(), NAMES.index(stage.name) + ready
        seen = [pictures[name] for name in NAMES[:n_seen]]
        strip(page, STAGES, seen + [blank()] * (len(NAMES) - n_seen), stage, narrowest=80)

page.finish(statistics_of, softmax_forward, softened, then=practise)
