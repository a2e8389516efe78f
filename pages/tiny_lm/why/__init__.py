"""Why a head attends to a key: one score split by who wrote the query and who wrote the key."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_core.experiments.inside.score_split import Cell, split_score, strongest_cells
from attention_core.model.activations import Insides, insides
from pages.charts.heatmap import CLICK, NO_LEGEND, SMALL, attention_heatmap, outline
from pages.heads.side_by_side import head_buttons
from pages.look import cards
from pages.look.sentences import brightest_cell
from pages.page.canvas import ChosenCell
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.common import head_names
from pages.tiny_lm.heads_view import chosen_head, head_word
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.why.split import draw_split, writer_question

STEP = Step(
    "why",
    "What is the score of this key made of?",
    "A query and a key are sums. The embedding, every earlier head and MLP and, if there are any, added positions and "
    "a LayerNorm bias each write a part. So a score is a sum over all pairs of parts. Click a cell.",
    words="rival",
)

LAST = 24  # tokens in the map


def draw(page: Page, scene: Subject) -> bool:
    """Show one head, and split the score of a chosen cell by who wrote the query and who wrote the key."""
    inside = page.recipe.run_once("inside", insides, scene.model, scene.tokens)
    first = max(0, len(scene.tokens) - LAST)
    cells = strongest_cells(inside, first)
    asked = cells[page.variant("writer") % len(cells)]
    split = page.recipe.run("asked", split_score, scene.model, inside, *asked)
    if scene.step and not page.ask(writer_question(scene, inside, asked, split)):
        return False
    cell, beside = choose_cell(page, scene, inside, cells, first)
    page.drawing.pictured = f"inside.weights[{cell.layer}, {cell.head}]"
    if scene.model.config.causal and cell.key > cell.query:
        page.prints("this weight", inside.weights, *cell)
        with beside:
            page.write(
                "The causal mask blocks this key, so its score is not used. Choose a cell on or below the diagonal."
            )
        return True
    draw_split(page, scene, inside, cell, beside)
    return True


def choose_cell(
    page: Page, subject: Subject, inside: Insides, cells: list[Cell], first: int
) -> tuple[Cell, DeltaGenerator]:
    """Draw the buttons of the heads and the map of one; return the chosen cell, and the place beside the map."""
    n_layers, n_heads = inside.weights.shape[:2]
    layer, head = chosen_head(page, n_layers, n_heads) or cells[0][:2]
    words = [head_word(each, number) for each in range(n_layers) for number in range(n_heads)]
    head_buttons(page, dict(zip(words, head_names(n_layers, n_heads), strict=True)), head_word(layer, head))
    usual = next(cell for cell in cells if cell[:2] == (layer, head))
    labels, weights = subject.labels[first:], inside.weights[layer, head, first:, first:]
    left, right = st.columns([1.18, 1], gap="large")
    with right:
        chips = st.container()
        cell = ChosenCell(page.controls, labels, labels, (usual.query - first, usual.key - first))
        query, key = cell.fields()
        with chips:
            page.write(cards.chips(labels, query, key))
        beside = st.container()
    with left:
        layers = outline(query, key), CLICK, SMALL, NO_LEGEND
        sentence = f"Head {head_word(layer, head)}: {brightest_cell(weights, labels, query)}"
        chart = attention_heatmap(weights, labels, *layers, name="one head", sentence=sentence)
        cut = f"Only the last {LAST} tokens are shown. " if first else ""
        page.show(chart, cell.choose, note=cut + subject.origin)
    return Cell(layer, head, first + query, first + key), beside
