"""What softmax notices of a change of its scores: added to a row, added to a column, or multiplied."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.qkv.perturb import add_to_column, add_to_row, changed_cells, softmax_at
from attention_core.experiments.scaling.random_scores import divisor, scale_scores
from pages.charts.heatmap import ATTENTION_AXES, SMALL, Cell, blank_map, frame, outline
from pages.look import thumbnails
from pages.look.html import number, prose
from pages.motion.bars import Panel, moving_bars
from pages.motion.sliders import Slider, over_numbers
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.scaling.scene import Trials, first_trial, index_field, name_at, names, small_products, weights_map

STEP = Step(
    "shifts",
    "Which changes does softmax notice?",
    "Add a number to one row of scores, add it to one column, or multiply all scores by it. Which of these change the "
    "weights? Guess, then try all three. Weights that changed are outlined.",
    words="amount constant_d_k constant_k constant_q experiment times",
)

TO_A_ROW, TO_A_COLUMN, TIMES = EXPERIMENTS = ("add to a row", "add to a column", "multiply all")
CHANGES: dict[str, Callable[..., Array]] = {TO_A_ROW: add_to_row, TO_A_COLUMN: add_to_column, TIMES: scale_scores}
LETTERS = {TO_A_ROW: "q", TO_A_COLUMN: "k"}
REASONS = {
    TO_A_ROW: "Softmax depends only on the differences within a row. Adding 2 to all its scores changes no difference.",
    TO_A_COLUMN: "In each row one score is now 2 higher than before, and the others are the same.",
    TIMES: "Every difference within a row doubled, so each row is more peaked.",
}
AMOUNTS = tuple(step / 2 for step in range(-8, 9))
FACTORS = {"¼": 0.25, "½": 0.5, "1": 1.0, "2": 2.0, "4": 4.0}


def draw(page: Page, scene: Trials) -> bool:
    """Let the student change the scores, and outline every weight that moves."""
    run = page.recipe.run
    scores = run("scores", scale_scores, first_trial(page, scene), divisor("√d_k", scene.d_k))
    weights = run("weights", softmax, scores)
    experiment, index = asked_change(page.variant("constant"), scene.length)

    def show_blank() -> None:
        place = cell_of(experiment, index)
        page.show(weights_map(weights, "before", "The weights before.", outline(*place), SMALL), note=scene.origin)
        rows, columns = names("q", scene.length), names("k", scene.length)
        said = "The weights after the change, blank until you answer."
        page.show(blank_map(rows, columns, ATTENTION_AXES, SMALL, name="after asked", sentence=said, asked=place))

    def choose() -> None:
        to_a_line = {"amount": 2.0, f"constant_{LETTERS.get(experiment)}": index + 1.0}
        page.controls.put(experiment=experiment, **({"times": "2"} if experiment == TIMES else to_a_line))

    if not page.ask(page.question("constant", partial(constant_question, scores, weights)), show_blank, choose):
        return False
    with st.container(horizontal=True, vertical_alignment="bottom"):
        changed, said, chosen, slider, frames = change(page, scene, scores)
    after = run("after", softmax, changed)
    row = chosen[0] or 0
    page.prints(f"largest weight of {name_at('q', row)} after the change", f"after[{row}].max()")
    found = changed_cells(weights, after)
    rows, keys, name = np.array([each[row] for each in frames]), names("k", scene.length), name_at("q", row)  # (F, S)
    told = f"{slider.label} {{at}}: {{word}} has the largest weight of {name}, {{most}}."
    spans = [f"Its scores go from {number(each.min())} to {number(each.max())}." for each in rows]
    page.head(f"Attention weights of row {name}")
    moving_bars(page, "change", keys, [Panel("", softmax(rows), told, spans)], slider, marked=chosen[1])
    left, right = st.columns(2, gap="medium")
    with left:
        page.show(weights_map(weights, "before", "The weights before.", outline(*chosen)), note=scene.origin)
    with right:
        said += f" {int(found.sum())} of {found.size} weights changed."
        page.show(weights_map(after, "after", said, outline(*chosen), frame(found)))
    page.write(
        Markup(
            "Adding c to a whole row multiplies every exponential by e<sup>c</sup>, and their sum too, so "
            "e<sup>c</sup> cancels. Added to a column, c shifts one key of each row against the others. A factor "
            "scales every difference."
        ),
        "note",
    )
    return True


def thumbnail(scene: Trials) -> Markup:
    return thumbnails.thumbnail(softmax_at(small_products(), 8.0), None, 40)


def change(page: Page, scene: Trials, scores: Array) -> tuple[Array, str, Cell, Slider, list[Array]]:
    """Draw the fields of an experiment; return the changed scores, what was done and where, and how they can change."""
    controls = page.controls
    experiment = controls.choice("experiment", "Change", EXPERIMENTS, TO_A_ROW)
    if experiment == TIMES:
        factor, words, index = controls.place("times", "Factor", tuple(FACTORS), "2"), tuple(FACTORS), 0
        slider = Slider("times", "Factor", words, range(len(words)), words.index(factor))
        said = f"Every score was multiplied by {factor}."
        here: tuple[float, ...] = (1 / FACTORS[factor],)
        stops: list[tuple[float, ...]] = [(1 / times,) for times in FACTORS.values()]
    else:
        amount = controls.number("amount", "Amount", -4.0, 4.0, 2.0, 0.5)
        slider = over_numbers("amount", "Amount", AMOUNTS, amount)
        index = index_field(page, scene, LETTERS[experiment])
        line = f"{experiment.split()[-1]} {name_at(LETTERS[experiment], index)}"
        said = f"{number(amount, 0 if amount.is_integer() else 1)} was added to every score of {line}."
        here, stops = (index, amount), [(index, each) for each in AMOUNTS]
    changed = page.recipe.run("changed", CHANGES[experiment], scores, *here)
    return changed, said, cell_of(experiment, index), slider, [CHANGES[experiment](scores, *stop) for stop in stops]


def cell_of(experiment: str, index: int) -> Cell:
    """Return the row or the column that an experiment changes."""
    return {TO_A_ROW: (index, None), TO_A_COLUMN: (None, index)}.get(experiment, (None, None))


def asked_change(variant: int, length: int) -> tuple[str, int]:
    """Return the experiment that a question asks about, and its row or column."""
    return EXPERIMENTS[variant % 3], int(np.random.default_rng([variant, 7]).integers(length))


def constant_question(scores: Array, weights: Array, variant: int) -> Choice:
    """Ask which of three changes of the scores moves the weights, and how."""
    experiment, index = asked_change(variant, len(scores))
    line = f"{experiment.split()[-1]} {name_at(LETTERS.get(experiment, 'q'), index)}"
    text = "Multiply every score by 2." if experiment == TIMES else f"Add 2 to every score in {line}."
    by = (0.5,) if experiment == TIMES else (index, 2.0)
    after = softmax(CHANGES[experiment](scores, *by))
    found = changed_cells(weights, after)
    options = ("No weight changes", "One key’s weight grows in every row", "Each row’s largest weight grows")
    n_rows = len(weights)
    grown = after > weights
    top = grown[np.arange(n_rows), weights.argmax(axis=-1)].all()
    one_key = any(grown[:, key].all() and grown.sum() == n_rows for key in range(weights.shape[-1]))
    right = (0,) if not found.any() else tuple(i for i, holds in ((1, one_key), (2, top)) if holds) or (2,)
    why = f"Computed before and after: {int(found.sum())} of {found.size} weights changed."
    said = REASONS[experiment]
    return Choice("constant", prose(f"{text} What happens to the weights?"), options, right, why, (said,) * 3)
