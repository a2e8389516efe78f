"""The output: a weighted sum of values, which is added to the word's vector."""

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.qkv.explain import explain_output
from attention_core.experiments.qkv.perturb import reaches
from pages.heads.matrices import OneHead
from pages.look import cards
from pages.look.html import in_role
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.added import draw_moved
from pages.qkv.common import MATRICES, MOVES, entry_cell, reach_question
from pages.qkv.journey import draw_place
from pages.qkv.matrices import output_view

STEP = Step(
    "output",
    "The output is a weighted sum of values",
    "Multiply each value by its attention weight, and add the products. All of it, softmax(QKᵀ/√d_k) V, is **scaled "
    "dot-product attention**. A model multiplies this **output** by W_O (lesson 3) and adds it to the word’s vector.",
)


def draw(page: Page, scene: OneHead) -> None:
    """Show where the word's vector moves, and where a number of its output comes from; ask what W_V can change."""
    view = output_view(scene)
    cell = entry_cell(page, view, scene.asks)
    with page.fields:
        row, column = cell.fields()
    page.prints(f"Entry of the output: {view.rows[row]}, {view.columns[column]}", view.values, row, column)
    draw_place(page, scene, "mix")
    left, right = st.columns([1.4, 1], gap="medium")
    with left:
        draw_moved(page, scene, row)
        page.write(scene.origin, "note")
    with right:
        if reaches(scene.x, scene.head, scene.attention.mask) == MOVES:  # a single word, say, has no other weights
            page.ask(page.question("reach", lambda variant: reach_question(MATRICES[variant % 4 - 1])))
        terms = explain_output(scene.attention, row, column)
        title = Markup("Entry {} of the output of {}").format(column + 1, in_role(scene.labels[row], "query"))
        ledger = cards.ledger(terms, "weight", "v", scene.labels, roles=("", "value"))
        with st.container(border=True):
            page.write(cards.card(title, ledger, cards.chain(("sum", "of weight × value", terms.total))))
    fixed = "step" in page.controls.locked
    put_button(page, "Back to the first picture: now you can say each line", {"step": "it"}, "first", disabled=fixed)
