"""What a constant does that is added to scores, and what the wrong axis does."""

from functools import partial

import numpy as np
import streamlit as st

from attention_core.equations.attention import AttentionCache
from attention_core.equations.softmax import softmax
from attention_core.experiments.qkv.explain import masked_scores
from attention_core.experiments.qkv.perturb import add_to_column, add_to_row, changed_cells
from pages.charts.heatmap import ALL_SUMS, NO_LEGEND, ROW_SUMS, attention_heatmap, frame
from pages.heads.matrices import OneHead
from pages.look.html import prose
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import pair_of_words, question_of_row
from pages.questions.kinds import Choice

STEP = Step(
    "softmax, closer",
    "Which changes of scaled scores change a weight?",
    "Softmax compares the scaled scores of one row. Add a number to all of a row, or to one key in every row, or let "
    "softmax run over the columns.",
    words="amount experiment",
    helps="ratio",
)
EXPERIMENTS = ("add to a row", "add to a column", "wrong axis")
MOST_SUMS = 10  # of columns: more would be written over each other
AXIS = "Softmax over columns runs without an error, but then each column sums to 1, and rows need not. "
ASKED = {  # by whether it is about a row
    True: "Add 1 to every scaled score in the row of {word}. What happens to the weights?",
    False: "Add 1 to the scaled score of the key {word} in every row. What happens?",
}
GROWS = {True: "The largest weight grows, the others shrink", False: "This key’s weight grows, the others shrink"}
WHY = {  # by that, and by whether any weight changes
    (True, False): "Every exponential of the row is multiplied by e, and so is their sum.",
    (False, True): "In a row with this key, one exponential alone is multiplied by e.",
    (False, False): "Every weight of this key is almost exactly 0 or 1, and stays so.",
}
NOT_GROWN = {
    True: "Here all scaled scores of the row rise by 1, not only the largest one.",
    False: "That is usual, but here each of its weights is almost exactly 0 or 1.",
}


def draw(page: Page, scene: OneHead) -> bool:
    """Show the weights before and after something was done to the scores."""
    controls, labels = page.controls, scene.labels
    row, column = pair_of_words(page, scene)
    if not page.ask(question_of_row(page, scene, "shift", partial(shift_question, scene.attention, labels))):
        return False
    with page.fields:
        what = controls.choice("experiment", "Experiment", EXPERIMENTS, EXPERIMENTS[0])
        amount = controls.slider(
            "amount", "Added amount", -5.0, 5.0, 1.0, 0.5, width=200, disabled=what == EXPERIMENTS[2]
        )
    said = ""
    scores = page.recipe.run("seen_scores", masked_scores, scene.attention)
    if what == EXPERIMENTS[2]:
        after = page.recipe.run("after", softmax, scores, axis=0)
        said = AXIS
    elif what == EXPERIMENTS[0]:
        after = page.recipe.run("after", softmax, page.recipe.run("raised", add_to_row, scores, row, amount))
    else:
        after = page.recipe.run("after", softmax, page.recipe.run("raised", add_to_column, scores, column, amount))
    page.prints(f"new weight, {labels[row]} to {labels[column]}", after, row, column)
    found = changed_cells(scene.attention.weights, after)
    left, right = st.columns(2, gap="medium")
    sums = ALL_SUMS if len(labels) <= MOST_SUMS else ROW_SUMS
    with left:
        page.head("Before")
        told = "The weights before the experiment."
        before = attention_heatmap(scene.attention, labels, NO_LEGEND, sums, name="before", sentence=told)
        page.show(before, note=scene.origin)
    with right:
        page.head("After")
        told = said + "Changed weights are outlined."
        page.show(attention_heatmap(after, labels, frame(found), sums, name="after", sentence=told))
    return True


def shift_question(attention: AttentionCache, labels: list[str], row: int, variant: int) -> Choice:
    """Ask what a constant does that is added to a row of scores, first to this one, or in odd variants to a column."""
    place = int(np.random.default_rng([variant, 5]).integers(len(labels))) if variant else row
    by_row = variant % 2 == 0
    add = add_to_row if by_row else add_to_column
    after = softmax(add(masked_scores(attention), place, 1.0))
    moves = bool(changed_cells(attention.weights, after).any())
    text = prose(ASKED[by_row], word=labels[place])
    grows, stay = GROWS[by_row], "No weight changes"
    wrong = {
        stay: "That holds if all scaled scores of a row rise by 1. Here at most one of a row rises.",
        "All weights of the row grow": "The weights cannot all grow, because a row always sums to 1.",
        grows: NOT_GROWN[by_row],
    }
    right, why = grows if moves else stay, WHY[by_row, moves]
    return Choice.of("shift", text, right, why, wrong, place=(place, 0) if by_row else None)
