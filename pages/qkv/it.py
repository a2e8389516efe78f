"""What attention is for: a trained head over a sentence, and where one of its weights comes from."""

import streamlit as st

from pages.charts.heatmap import CLICK, ROW_SUMS, attention_heatmap, outline
from pages.heads.matrices import OneHead
from pages.look.cards import weight_card
from pages.look.facts import largest
from pages.look.sentences import brightest_cell, first_query
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import draw_row_as_arcs, show_worked, weight_cell, worked_row

STEP = Step(
    "it",
    "What does a word like “it” refer to?",
    "The word alone does not tell you. With **attention**, each word takes information from words of its sentence, "
    "usually more from some than others. Point at another word, or tap it.",
    lent="q k",
)


def draw(page: Page, scene: OneHead) -> None:
    """Show which words a word attends to, as arcs and as a row of weights, and how one weight arose."""
    labels, weights = scene.labels, scene.attention.weights
    usual = first_query(labels)  # a key that followed the word asked would be another one in the link of what is seen
    with page.fields:
        asks, key = weight_cell(page, labels, largest(weights[usual]).first).fields()
    page.prints(f"weight from {labels[asks]} to {labels[key]}", weights, asks, key)
    draw_row_as_arcs(page, scene, asks)
    left, right = st.columns([1.4, 1], gap="medium")
    with left:
        sentence = brightest_cell(weights, labels, asks)
        chart = worked_row(scene, {"weight": weights[asks]}, key, name="weights", sentence=sentence)
        show_worked(page, chart, labels, scene.origin)
        page.say(
            "This **head**, one set of three matrices, was trained. In it a word attends only to itself and to earlier "
            "words (lesson 4), so later words have weight 0. A large weight shows what a head attends to, not why.",
            "note",
        )

        def whole() -> None:
            sentence = "Each row is one word as the query."
            layers = ROW_SUMS, outline(asks), CLICK
            chart = attention_heatmap(scene.attention, labels, *layers, name="all weights", sentence=sentence)
            page.show(chart, lambda row, _: page.controls.put(q=labels[row]))

        page.look_closer("All rows", whole)
    with right, st.container(border=True):
        page.write(weight_card(scene.attention, labels, labels, asks, key))
