"""What several steps of the lesson on masks share: the fields for a cell, and the maps of the weights."""

from collections import Counter
from collections.abc import Callable

import numpy as np

from attention_core.arrays import Array
from pages.causal_mask.scene import Masked
from pages.charts.chart import Chart
from pages.charts.heatmap import CLICK, NO_LEGEND, ROW_SUMS, SMALL, Axes, attention_heatmap, hide, outline
from pages.look.colours import KEY, QUERY
from pages.look.facts import as_shown
from pages.look.html import number
from pages.look.sentences import brightest_cell
from pages.page.fields.chosen_cell import ChosenCell
from pages.page.page import Page
from pages.questions.kinds import Question

MASK_AXES = Axes("query", "key", "mask", QUERY, KEY, words=True)
SCORE_LIMIT = 4.0
D_MODEL, D_HEAD = 8, 4  # of the layers that stand on one another


def cell_of(page: Page, scene: Masked) -> ChosenCell:
    """Return the chosen cell of the maps of weights: at first one that the causal mask blocks."""
    usual = (5, 6) if scene.kind == "hand-made" else (2, 5)  # “warm” attends to “mat”
    return ChosenCell(page.controls, scene.labels, scene.labels, usual)


def shows(page: Page, cell: ChosenCell, question: Question | None) -> Callable[[], None]:
    """Return what follows an answer: the cell that was asked about is chosen, unless the link chose another."""

    def choose() -> None:
        linked = page.controls.key(cell.words[0]) in page.controls.given
        if question and question.place and not (linked and page.variant(question.name) == 0):
            cell.choose(*question.place)

    return choose


def name_weight(page: Page, scene: Masked, row: int, column: int) -> None:
    """Name a weight under the mask as the number in view."""
    what = f"masked weight, {scene.labels[row]} to {scene.labels[column]}"
    page.prints(what, scene.masked.weights, row, column)


def first_masked(scene: Masked, row: int) -> int:
    """Return the first key that is masked for a query, or the query itself."""
    return int(np.append(np.flatnonzero(scene.blocked[row]), row)[0])


def plain_map(scene: Masked, row: int, column: int, legend: bool, small: bool = False) -> Chart:
    sentence = brightest_cell(scene.plain.weights, scene.labels, row)
    layers = ROW_SUMS, outline(row, column), CLICK, legend or NO_LEGEND, small and SMALL
    return attention_heatmap(scene.plain, scene.labels, *layers, name="without a mask", sentence=sentence)


def masked_map(scene: Masked, row: int, column: int | None, small: bool = False) -> Chart:
    """Return the attention weights under the mask; masked cells are empty."""
    sentence = brightest_cell(scene.masked.weights, scene.labels, row)
    sentence += " Empty: masked." * bool(scene.blocked.any())
    layers = outline(row, column), hide(scene.blocked), CLICK, ROW_SUMS, small and SMALL
    return attention_heatmap(scene.masked, scene.labels, *layers, name="under the mask", sentence=sentence)


def words_for(blocked: Array, values: Array) -> Array:
    """Return what stands in the cells of scores: the number, or −∞ where blocked."""
    return np.array([number(value) for value in values.ravel()], dtype=object).reshape(blocked.shape)


def varied(variant: int, values: Array, positions: Array) -> int:
    """Return one of some positions: those of variants in a row have other values, as they are shown, where they can."""
    shown, times = as_shown(values[positions]).tolist(), Counter[float]()
    order = []
    for value, position in zip(shown, positions.tolist(), strict=True):
        order.append((times[value], value, position))
        times[value] += 1
    return int(sorted(order)[variant % len(order)][-1])
