"""What softmax sees of a change of its scores: added to a row, added to a column, or multiplied."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.perturb import add_to_column, add_to_row, changed_cells, softmax_at
from attention_core.experiments.random_scores import divisor, scale_scores
from pages.look import thumbnails
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.scaling.common import (
    Chosen,
    column_field,
    first_table,
    name_at,
    row_field,
    small_products,
    weights_map,
)
from pages.scaling.scene import Draws

STEP = Step(
    "adding",
    "What can softmax see?",
    "Add a number to a row of scores, add it to a column, or multiply all scores by it: which of these can softmax "
    "see? Guess, then try all three. A weight that has moved gets an outline.",
)

TO_A_ROW, TO_A_COLUMN, TIMES = EXPERIMENTS = ("add to a row", "add to a column", "multiply all")
FACTORS = {"¼": 0.25, "½": 0.5, "1": 1.0, "2": 2.0, "4": 4.0}


def draw(page: Page, scene: Draws) -> bool:
    """Let the student change the scores, and outline every weight that moves."""
    run = page.recipe.run
    scores = run("scores", scale_scores, first_table(page, scene), divisor("√d_k", scene.d_k))
    weights = run("weights", softmax, scores)
    if not page.ask(constant_question(scores, weights, page.variant("constant"))):
        return False
    with st.container(horizontal=True, vertical_alignment="bottom"):
        changed, said, chosen = change(page, scene, scores)
    after = run("after", softmax, changed)
    found = changed_cells(weights, after)
    left, right = st.columns(2, gap="medium")
    with left:
        page.show(weights_map(weights, "before", "The weights before.", chosen), note=scene.origin)
    with right:
        said += f" {int(found.sum())} of {found.size} weights have moved."
        page.show(weights_map(after, "after", said, chosen, moved=found))
    page.write(
        "What is added to all scores of a row multiplies every power and their sum alike, and cancels. Added to a "
        "column, it moves one key of each row against the others; a factor stretches every difference.",
        "note",
    )
    return True


def thumbnail(scene: Draws) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(softmax_at(small_products(), 8.0), None, 40)


def change(page: Page, scene: Draws, scores: Array) -> tuple[Array, str, Chosen]:
    """Draw the fields of an experiment; return the changed scores, what was done, and where."""
    run, controls = page.recipe.run, page.controls
    experiment = controls.choice("experiment", "Try it", EXPERIMENTS, TO_A_ROW)
    if experiment == TIMES:
        factor = controls.dial("times", "Every score times", tuple(FACTORS), "2", width=220)
        changed = run("changed", scale_scores, scores, 1 / FACTORS[factor])
        return changed, f"Every score was multiplied by {factor}.", (None, None)
    amount = controls.slider("amount", "How much", -4.0, 4.0, 2.0, 0.5, width=220)
    told = f"{number(amount, 1)} was added to every score of"
    if experiment == TO_A_ROW:
        row = row_field(page, scene)
        changed = run("changed", add_to_row, scores, row, amount)
        return changed, f"{told} row {name_at('q', row)}.", (row, None)
    column = column_field(page, scene)
    changed = run("changed", add_to_column, scores, column, amount)
    return changed, f"{told} column {name_at('k', column)}.", (None, column)


def constant_question(scores: Array, weights: Array, variant: int) -> Choice:
    """Ask which of three changes of the scores moves the weights, and how."""
    place = int(np.random.default_rng([variant, 7]).integers(len(scores)))
    what = variant % 3
    if what == 0:
        text, after = f"Add 2 to every score in row q{place + 1}.", softmax_at(add_to_row(scores, place, 2.0), 1.0)
    elif what == 1:
        text, after = (
            f"Add 2 to every score in column k{place + 1}.",
            softmax_at(add_to_column(scores, place, 2.0), 1.0),
        )
    else:
        text, after = "Multiply every score by 2.", softmax_at(scores, 0.5)
    found = changed_cells(weights, after)
    options = (
        "No weight moves",
        "In every row the weight of one key grows, the same key in all",
        "In every row the largest weight grows",
    )
    n_rows = len(weights)
    grown = after > weights
    top = grown[np.arange(n_rows), weights.argmax(axis=-1)].all()
    one_key = any(grown[:, key].all() and grown.sum() == n_rows for key in range(weights.shape[-1]))
    right = (0,) if not found.any() else tuple(i for i, holds in ((1, one_key), (2, top)) if holds) or (2,)
    why = f"Computed both ways: {int(found.sum())} of {found.size} weights have moved."
    said = (
        "Softmax sees only how scores of a row differ, and adding to all of them leaves their differences.",
        "In each row one score has moved against the others.",
        "All differences have doubled, so every choice is harder.",
    )[what]
    mistakes = tuple("" if i in right else said for i in range(3))
    return Choice("constant", prose(f"{text} What happens to the weights?"), options, right, why, mistakes)
