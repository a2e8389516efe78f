"""The output: a weighted sum of values for each word."""

from functools import partial

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.qkv.explain import explain_output
from pages.charts.heatmap import ATTENTION_AXES
from pages.heads.matrices import Scene
from pages.look import cards
from pages.look.colours import KEY, QUERY
from pages.look.html import in_role
from pages.look.sentences import brightest_cell
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import draw_map, draw_small_map, thumbnail_of
from pages.qkv.matrices import View, output_view, projection_view
from pages.qkv.mix.added import draw_added
from pages.qkv.mix.one_number import draw_one_number
from pages.qkv.mix.soft_lookup import draw_soft_lookup

STEP = Step(
    "output",
    "The output is a weighted average of values",
    "A word’s **output** is the sum of all values, each times its attention weight: softmax(QKᵀ/√d_k) V. It can "
    "carry information from other words. A model multiplies it by a fourth matrix, W_O (lesson 3), and adds it to the "
    "word’s own vector. W_Q, W_K and W_V with all these steps are one attention **head**.",
    words="angle asks change change_by change_column change_row temperature",
    view="closer",
    views={"A soft look-up": draw_soft_lookup, "Change one number": draw_one_number},
)


def draw(page: Page, scene: Scene) -> None:
    """Show the output, and where one of its numbers comes from; then one of two closer looks."""
    cell = draw_map(page, output_view(scene), "Entry of the output", partial(output_card, scene), note=scene.origin)
    assert cell is not None  # no question stands before it
    draw_weights_and_values(page, scene, *cell)
    draw_added(page, scene, cell[0])
    page.heading("Look closer")
    STEP.choose_view(page, "Closer view", label_visibility="collapsed")(page, scene)


def draw_weights_and_values(page: Page, scene: Scene, row: int, column: int) -> None:
    """Draw the row of weights upright beside V: each weight stands beside the value that it multiplies."""
    asks = scene.labels[row]
    page.say("V again: each value is multiplied by the weight beside it, and the products are added.", "note")
    beside = st.container(horizontal=True, gap="medium")
    with beside, st.container(width=220):
        axes, weights = ATTENTION_AXES._replace(row="key", column="query"), scene.attention.weights[row][:, None]
        axes = axes._replace(row_colour=KEY, column_colour=QUERY)
        view = View(weights, scene.labels, [asks], axes, None)
        sentence = brightest_cell(scene.attention.weights, scene.labels, row)
        draw_small_map(page, view, "Weights", name="weights of the row", sentence=sentence, legend=False)
    with beside, st.container(width=540):
        sentence = "V, with the column outlined that this entry of the output sums."
        view = projection_view(scene, "v")
        draw_small_map(page, view, "V", name="V", sentence=sentence, chosen=(None, column))


def thumbnail(scene: Scene) -> Markup:
    return thumbnail_of(output_view(scene))


def output_card(scene: Scene, row: int, column: int) -> Markup:
    """Return where a number of the output comes from: a row of weights times a column of V."""
    terms = explain_output(scene.attention, row, column)
    title = Markup("Entry {} of the output of {}").format(column + 1, in_role(scene.labels[row], "query"))
    ledger = cards.ledger(terms, "weight", "v", scene.labels, roles=("", "value"))
    return cards.card(title, ledger, cards.chain(("sum", "of weight × value", terms.total)))
