"""The scores: every query times every key."""

from functools import partial

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.qkv.perturb import least_symmetric
from pages.charts.heatmap import SCORE_AXES
from pages.heads.matrices import Scene
from pages.look.html import number, prose, quoted
from pages.page.page import Page
from pages.page.questions.kinds import Cell
from pages.page.steps import Step
from pages.qkv.common import draw_map, question_of_row, read_query_and_key, score_card, thumbnail_of, weight_cell
from pages.qkv.matrices import View, score_limit

STEP = Step(
    "QKᵀ",
    "Every query meets every key",
    "Each cell is a **score**: the dot product of a query and a key. Because queries and keys come from the same "
    "sentence, this is **self-attention**.",
    then="A row belongs to a query, a column to a key. Read along a row to see which keys match its query.",
)


def draw(page: Page, scene: Scene) -> bool:
    """Show the scores once it was asked in which cell one of them stands."""
    cell = draw_map(
        page,
        score_view(scene),
        "Score",
        score_card(scene, last="score"),
        weight_cell(page, scene.labels),
        sentence=asymmetry_sentence(scene.products, scene.labels),
        note=scene.origin,
        question=question_of_row(page, scene.labels, "cell", partial(cell_question, scene.products, scene.labels)),
    )
    if cell is None:
        return False
    read_query_and_key(page, scene, *cell)
    return True


def asymmetry_sentence(products: Array, labels: list[str]) -> str:
    """Return how far the scores are from symmetric, and of which two words that is."""
    row, column = least_symmetric(products)
    there, back = products[row, column], products[column, row]
    if abs(there - back) < 1e-9:
        return "Any two words have the same score in both directions."
    a, b = quoted(labels[row]), quoted(labels[column])
    return f"Scores depend on the direction, most of all here: {a} → {b} {number(there)}, {b} → {a} {number(back)}."


def thumbnail(scene: Scene) -> Markup:
    return thumbnail_of(score_view(scene))


def score_view(scene: Scene) -> View:
    """Return the scores before scaling."""
    return View(scene.products, scene.labels, scene.labels, SCORE_AXES, score_limit(scene))


def cell_question(products: Array, labels: list[str], row: int, variant: int) -> Cell | None:
    """Ask where the score of a query with a key stands: first with the key that has the largest score."""
    others = [key for key in np.argsort(-np.abs(products[row]), kind="stable").tolist() if key != row]
    if not others:  # a single word has a single cell
        return None
    asks, answers = row, others[variant % len(others)]
    text = prose(
        "The score matrix has a row and a column for every word. Click a cell, or choose its row and column. "
        "Which cell contains the score of the query of {asks} with the key of {answers}?",
        asks=labels[asks],
        answers=labels[answers],
    )
    return Cell(
        "cell",
        text,
        tuple(labels),
        (asks, answers),
        "Rows are queries, columns are keys.",
        "You swapped query and key.",
        "That is the score of another pair of words.",
    )
