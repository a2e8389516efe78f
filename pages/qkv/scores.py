"""The scores: every query times every key."""

from functools import partial

import numpy as np
from markupsafe import Markup

from attention_core.experiments.perturb import asymmetry
from pages.charts.heatmap import SCORE_AXES
from pages.look.head_cards import weight_card
from pages.look.html import number, prose, typed
from pages.page.page import Page
from pages.page.questions import Cell
from pages.page.steps import Step
from pages.qkv.common import KEY_WORD, QUERY_WORD, draw_map, thumbnail_of
from pages.qkv.matrices import View, score_limit
from pages.qkv.scene import OneHead

STEP = Step(
    "q · k",
    "Each query meets each key",
    "Each cell is a score: the dot product of a query and a key. The row asks, the column answers: read along a "
    "row to see what one word finds, and down a column to see who finds it.",
)


def draw(page: Page, scene: OneHead) -> bool:
    """Show the scores once it was asked in which cell one of them stands."""
    gap = number(asymmetry(scene.products))
    cell = draw_map(
        page,
        score_view(scene),
        "Score",
        partial(weight_card, scene.attention, scene.labels, scene.labels, last="score"),
        (QUERY_WORD, KEY_WORD),
        sentence=f"A score and its mirror image, where the two words swap roles, differ by up to {gap}.",
        note=scene.origin,
        question=cell_question(scene.labels, page.variant("cell")),
    )
    return cell is not None


def thumbnail(scene: OneHead) -> Markup:
    """Return the small picture of the step."""
    return thumbnail_of(score_view(scene))


def score_view(scene: OneHead) -> View:
    """Return the scores before scaling."""
    return View(scene.products, scene.labels, scene.labels, SCORE_AXES, score_limit(scene))


def cell_question(labels: list[str], variant: int) -> Cell:
    """Ask where the score of a query with a key stands."""
    rng = np.random.default_rng([variant, 2])
    asks, answers = (int(i) for i in rng.choice(len(labels), 2, replace=len(labels) < 2))
    text = prose(
        "The table of scores will have a row and a column for every word. "
        "In which cell stands the score that tells how well the query of {asks} matches the key of {answers}?",
        asks=labels[asks],
        answers=labels[answers],
    )
    swapped = Markup("There {} asks and {} answers, which is another number.")
    return Cell(
        "cell",
        text,
        tuple(labels),
        (asks, answers),
        "A row is a query, a column is a key.",
        swapped.format(typed(labels[answers]), typed(labels[asks])),
        "That is another pair of words.",
    )
