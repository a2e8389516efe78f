"""What softmax notices of a change of its scores: added to a row, added to a column, or multiplied."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.qkv.perturb import add_to_column, add_to_row, changed_cells, softmax_at
from attention_core.experiments.scaling.random_scores import divisor, scale_scores
from pages.charts.heatmap import ATTENTION_AXES, SMALL, blank_map, frame, outline
from pages.look import thumbnails
from pages.look.html import number, prose
from pages.motion.bars import Panel, moving_bars
from pages.motion.sliders import Slider, over_numbers
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.scaling.common import (
    Chosen,
    column_field,
    first_trial,
    name_at,
    names,
    row_field,
    small_products,
    weights_map,
)
from pages.scaling.scene import Trials

STEP = Step(
    "shifts",
    "Which changes does softmax notice?",
    "Add a number to one row of scores, add it to one column, or multiply all scores by it. Which of these change the "
    "weights? Guess, then try all three. Weights that changed are outlined.",
    words="amount constant_d_k constant_k constant_q experiment times",
)

TO_A_ROW, TO_A_COLUMN, TIMES = EXPERIMENTS = ("add to a row", "add to a column", "multiply all")
AMOUNTS = tuple(step / 2 for step in range(-8, 9))
FACTORS = {"¼": 0.25, "½": 0.5, "1": 1.0, "2": 2.0, "4": 4.0}


class Asked(NamedTuple):
    """What a question asks: one of the experiments, and its row or column."""

    what: int
    place: int

    @classmethod
    def of(cls, variant: int, length: int) -> "Asked":
        return cls(variant % 3, int(np.random.default_rng([variant, 7]).integers(length)))

    def show(self, page: Page, scene: Trials, weights: Array) -> None:
        """Show the weights before the change, and leave those after it blank."""
        place: Chosen = ((self.place, None), (None, self.place), (None, None))[self.what]
        page.show(weights_map(weights, "before", "The weights before.", outline(*place), SMALL), note=scene.origin)
        rows, columns = names("q", scene.length), names("k", scene.length)
        said = "The weights after the change, blank until you answer."
        page.show(blank_map(rows, columns, ATTENTION_AXES, SMALL, name="after asked", sentence=said, asked=place))

    def choose(self, page: Page) -> None:
        """Choose the change that was asked about."""
        field: dict[str, Any] = ({"constant_q": self.place + 1.0}, {"constant_k": self.place + 1.0}, {"times": "2"})[
            self.what
        ]
        page.controls.put(experiment=EXPERIMENTS[self.what], **({} if self.what == 2 else {"amount": 2.0}), **field)


def draw(page: Page, scene: Trials) -> bool:
    """Let the student change the scores, and outline every weight that moves."""
    run = page.recipe.run
    scores = run("scores", scale_scores, first_trial(page, scene), divisor("√d_k", scene.d_k))
    weights = run("weights", softmax, scores)
    question = page.question("constant", partial(constant_question, scores, weights))
    asked = Asked.of(page.variant("constant"), scene.length)
    if question and not page.ask(question, partial(asked.show, page, scene, weights), partial(asked.choose, page)):
        return False
    with st.container(horizontal=True, vertical_alignment="bottom"):
        changed, said, chosen, slider, frames = change(page, scene, scores)
    after = run("after", softmax, changed)
    row = chosen[0] or 0
    page.prints(f"largest weight of {name_at('q', row)} after the change", f"after[{row}].max()")
    found = changed_cells(weights, after)
    row_under_hand(page, row, chosen[1], slider, frames)
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
    """Return the small picture of the step."""
    return thumbnails.thumbnail(softmax_at(small_products(), 8.0), None, 40)


def change(page: Page, scene: Trials, scores: Array) -> tuple[Array, str, Chosen, Slider, list[Array]]:
    """Draw the fields of an experiment; return the changed scores, what was done and where, and how they can change."""
    run, controls = page.recipe.run, page.controls
    experiment = controls.choice("experiment", "Change", EXPERIMENTS, TO_A_ROW)
    if experiment == TIMES:
        factor = controls.place("times", "Factor", tuple(FACTORS), "2")
        changed = run("changed", scale_scores, scores, 1 / FACTORS[factor])
        slider = Slider("times", "Factor", tuple(FACTORS), range(len(FACTORS)), tuple(FACTORS).index(factor))
        frames = [scale_scores(scores, 1 / times) for times in FACTORS.values()]
        return changed, f"Every score was multiplied by {factor}.", (None, None), slider, frames
    amount = controls.number("amount", "Amount", -4.0, 4.0, 2.0, 0.5)
    slider = over_numbers("amount", "Amount", AMOUNTS, amount)
    done = f"{number(amount, 0 if amount.is_integer() else 1)} was added to every score of"
    if experiment == TO_A_ROW:
        row = row_field(page, scene)
        changed = run("changed", add_to_row, scores, row, amount)
        frames = [add_to_row(scores, row, each) for each in AMOUNTS]
        return changed, f"{done} row {name_at('q', row)}.", (row, None), slider, frames
    column = column_field(page, scene)
    changed = run("changed", add_to_column, scores, column, amount)
    frames = [add_to_column(scores, column, each) for each in AMOUNTS]
    return changed, f"{done} column {name_at('k', column)}.", (None, column), slider, frames


def row_under_hand(page: Page, row: int, column: int | None, slider: Slider, frames: list[Array]) -> None:
    """Draw the weights of a row as bars that move while the change of the scores is dragged."""
    name = name_at("q", row)
    rows = np.array([scores[row] for scores in frames])  # (F, S)
    labels = names("k", rows.shape[-1])
    told = f"{slider.label} {{at}}: {{word}} has the largest weight of {name}, {{most}}."
    spans = [f"Its scores go from {number(scores.min())} to {number(scores.max())}." for scores in rows]
    page.head(f"Attention weights of row {name}")
    moving_bars(page, "change", labels, [Panel("", softmax(rows), told, spans)], slider, marked=column)


def constant_question(scores: Array, weights: Array, variant: int) -> Choice:
    """Ask which of three changes of the scores moves the weights, and how."""
    what, index = Asked.of(variant, len(scores))
    if what == 0:
        text = f"Add 2 to every score in row {name_at('q', index)}."
        after = softmax_at(add_to_row(scores, index, 2.0), 1.0)
    elif what == 1:
        text = f"Add 2 to every score in column {name_at('k', index)}."
        after = softmax_at(add_to_column(scores, index, 2.0), 1.0)
    else:
        text, after = "Multiply every score by 2.", softmax_at(scores, 0.5)
    found = changed_cells(weights, after)
    options = (
        "No weight changes",
        "One key’s weight grows in every row",
        "Each row’s largest weight grows",
    )
    n_rows = len(weights)
    grown = after > weights
    top = grown[np.arange(n_rows), weights.argmax(axis=-1)].all()
    one_key = any(grown[:, key].all() and grown.sum() == n_rows for key in range(weights.shape[-1]))
    right = (0,) if not found.any() else tuple(i for i, holds in ((1, one_key), (2, top)) if holds) or (2,)
    why = f"Computed before and after: {int(found.sum())} of {found.size} weights changed."
    said = (
        "Softmax depends only on the differences within a row. Adding 2 to all its scores changes no difference.",
        "In each row one score is now 2 higher than before, and the others are the same.",
        "Every difference within a row doubled, so each row is more peaked.",
    )[what]
    mistakes = tuple("" if i in right else said for i in range(3))
    return Choice("constant", prose(f"{text} What happens to the weights?"), options, right, why, mistakes)
