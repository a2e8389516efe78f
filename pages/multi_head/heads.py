"""All heads at a glance over a sentence, one of them enlarged, and the same heads after other trainings."""

import streamlit as st

from attention_core.arrays import Array
from pages.charts.chart import Chart
from pages.charts.heatmap import NO_LEGEND, SMALL, attention_heatmap, outline
from pages.heads.side_by_side import enlarged_head, head_buttons, heads_side_by_side, small_map
from pages.look.facts import largest
from pages.look.sentences import brightest_cell, first_query
from pages.motion.arcs import draw_arcs
from pages.multi_head.common import attention_of_head, names_of_heads, usual_head
from pages.multi_head.scene import HeadScene
from pages.page.page import Page
from pages.page.steps import Step

STEP = Step(
    "heads",
    "Each head computes its own attention weights",
    "Heads run side by side in a **layer** (**multi-head attention**), each with its own columns of W_Q, W_K "
    "and W_V. So a word can attend in several ways. Choose a head, or point at a word.",
    words="arcs",
)

MOST_CELLS = 3000  # of all heads together: beyond, a mark for each cell would keep a browser busy


def draw(page: Page, scene: HeadScene) -> None:
    if scene.head is None:
        draw_all(page, scene)
    else:
        draw_one(page, scene, scene.head)


def draw_one(page: Page, scene: HeadScene, head: int) -> None:
    """Draw one head large: its arcs over the sentence, its map, and the way to the chosen weight."""
    head_buttons(page, names_of_heads(scene), str(head + 1), with_all=True)
    attention = attention_of_head(page, scene.attention, head)
    arcs = st.container()
    usual = (first_query(scene.labels), 1)
    row, _ = enlarged_head(page, attention, scene.labels, scene.labels, scene.origin, usual=usual)
    with arcs:
        draw_head_arcs(page, scene, head, row)


def draw_head_arcs(page: Page, scene: HeadScene, head: int, row: int) -> None:
    """Draw the sentence with the arcs of one head; a click on a word makes it the query."""
    weights = scene.attention.weights[head]
    draw_arcs(page, scene.labels, scene.words, weights, row, "heads", lambda i: page.controls.put(q=scene.labels[i]))


def draw_all(page: Page, scene: HeadScene) -> None:
    """Draw the arcs of one head, then every head as a map."""
    labels, weights, names = scene.labels, scene.attention.weights, names_of_heads(scene)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        heads = [str(i + 1) for i in range(scene.n_heads)]
        head = int(page.controls.choice("arcs", "Arcs of head", heads, str(usual_head(scene) + 1)))
        row = page.controls.pick("q", "Query", labels, first_query(labels))
    draw_head_arcs(page, scene, head - 1, row)
    best = largest(weights[head - 1, row]).first
    page.prints(f"head {head}, {labels[row]} to {labels[best]}", weights, head - 1, row, best)
    image = weights.size > MOST_CELLS
    charts = [named_map(own, labels, name, row, image) for own, name in zip(weights, names.values(), strict=True)]
    heads_side_by_side(page, names, charts)
    page.write(scene.origin, "note")


def named_map(weights: Array, labels: list[str], name: str, row: int, image: bool) -> Chart:
    """Return what a head attends to with its words along both sides; of many words, an image without them."""
    if image:
        return small_map(weights, labels, name, image)
    sentence = f"{name.capitalize()}: {brightest_cell(weights, labels)}"
    return attention_heatmap(weights, labels, outline(row), SMALL, NO_LEGEND, name=name, sentence=sentence)
