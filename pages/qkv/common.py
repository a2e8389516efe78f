"""What the steps of the first lesson share: the worked row of a word, a map with the card of a number, small maps."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup, escape

from attention_core.arrays import Array
from attention_core.experiments.qkv.named_head import IS_ADJECTIVE, IS_NOUN, IS_PRONOUN
from pages.charts.chart import Chart
from pages.charts.heatmap import (
    CLICK,
    LOW,
    NO_LEGEND,
    ROW_SUMS,
    Axes,
    Layer,
    frame,
    heatmap,
    outline,
    products_of,
    scale,
    shade,
    write,
)
from pages.heads.matrices import OneHead
from pages.look.colours import KEY
from pages.look.facts import largest
from pages.look.html import inline, number, prose
from pages.look.sentences import largest_number
from pages.page.ask import answers
from pages.page.canvas import Asked, Columns
from pages.page.fields.chosen_cell import ChosenCell
from pages.page.page import Page
from pages.qkv.matrices import MatrixView
from pages.questions.kinds import Choice

Card = Callable[[int, int], Markup]
WRITTEN = 4  # columns whose numbers are all written, on a phone too, so that no legend is needed
LEAST = 0.01  # a row of smaller numbers is written with powers of ten
PRODUCTS = {"X": "Q, K and V", "W_Q": "only Q", "W_K": "only K", "W_V": "only V"}
MATRICES = tuple(PRODUCTS)
MOVES = {  # what changes with a number of each, unless the words or the matrices are of a special kind
    "X": ("Q", "K", "V", "the weights", "the output"),
    "W_Q": ("Q", "the weights", "the output"),
    "W_K": ("K", "the weights", "the output"),
    "W_V": ("V", "the output"),
}
WORKED_AXES = [Axes(rows, "key", "number", column_colour=KEY, words=True) for rows in ("stage", "entry of k")]
KINDS_OF_WORDS = {
    IS_NOUN: ("a noun", "no known noun"),
    IS_ADJECTIVE: ("an adjective", "no known adjective"),
    IS_PRONOUN: ("a pronoun", "no known pronoun"),
}
ASKS = {  # job: the kind of word that asks, its question, and what any other word asks
    "pronoun to noun": (IS_PRONOUN, "is there a noun, early in the sentence?", "I ask for nothing"),
    "adjective to noun": (IS_ADJECTIVE, "is one of the next two words a noun?", "I ask for the next two words"),
    "noun to its adjectives": (IS_NOUN, "is one of the two before me an adjective?", "I ask for the two before me"),
}
ASKS_ALWAYS = {"previous word": "Who is just before me?", "first word": "Who is the first word?"}
ANSWERS = {"pronoun to noun": IS_NOUN, "adjective to noun": IS_NOUN, "noun to its adjectives": IS_ADJECTIVE}


def pair_of_words(page: Page, scene: OneHead, *labels: str) -> tuple[int, int]:
    """Draw the fields for a query and a key under the text of the step, and return their places."""
    with page.fields:
        return weight_cell(page, scene, *labels).fields()


def weight_cell(page: Page, scene: OneHead, asks_label: str = "Query", found_label: str = "Key") -> ChosenCell:
    """Return the chosen pair: at first the word that asks, and the key of its largest weight."""
    labels, usual = scene.labels, (scene.asks, largest(scene.attention.weights[scene.asks]).first)
    return ChosenCell(page.controls, labels, labels, usual, labels=(asks_label, found_label))


def entry_cell(page: Page, view: MatrixView, asks: int, column: int = 0, key: int | None = None) -> ChosenCell:
    """Return the chosen entry of a matrix with a row for each word: of the word that asks, or of its key."""
    word, row = ("q", asks) if key is None else ("k", key)
    return ChosenCell(page.controls, view.rows, view.columns, (row, column), (word, "d"), ("Word", "Column"))


def worked_row(
    scene: OneHead,
    stages: dict[str, Array],
    column: int | None,
    steps: Layer | None = None,
    limit: float | None = None,
    *,
    name: str,
    sentence: str,
) -> Chart:
    """Return the numbers of a query with each key: a row for each stage or, with a limit, each entry of the key.

    A row of NaN is still to be computed. A pointer on a cell reads the steps of its key.
    """
    values = np.array([*stages.values()])
    texts = np.array([[in_cell(value, max(row)) for value in row] for row in values.tolist()], dtype=object)
    colours = scale(limit) if limit else shade(np.array([*map(fractions, values)]))
    layers = [colours, write(texts), outline(None, column), CLICK]
    if steps is not None and steps.columns is not None:
        layers.append(
            steps._replace(columns={name: np.tile(step, len(stages)) for name, step in steps.columns.items()})
        )
    return heatmap(values, [*stages], scene.labels, WORKED_AXES[bool(limit)], *layers, name=name, sentence=sentence)


def fractions(row: Array) -> Array:
    """Return where the numbers of a row lie between 0, or less, and its largest."""
    high = row[np.isfinite(row)].max(initial=0)
    return np.clip(np.nan_to_num(row / (high or 1), nan=0, neginf=0), 0, 1)


def in_cell(value: float, most: float = 1.0) -> str:
    """Return a number of any size in few digits, by the largest of its row."""
    if math.isnan(value):
        return "?"
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    size = abs(value)
    if size >= 1e4 or 0 < value <= most < LEAST:
        return f"{value:.0e}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e−").replace("e-", "e−")
    return number(value, 2 - (size >= 10) - (size >= 100))


def show_worked(page: Page, chart: Chart, labels: list[str], note: str = "") -> None:
    """Draw a worked row; a click chooses the key."""
    page.show(chart, lambda _, column: page.controls.put(k=labels[column]), note=note)


def draw_map(
    page: Page, view: MatrixView, title: str, card: Card, cell: ChosenCell, note: str, columns: Columns | None = None
) -> None:
    """Draw a large map with its chosen cell outlined, and beside it the card of that cell."""
    with page.fields:
        row, column = cell.fields()
    page.prints(f"{title}: {view.rows[row]}, {view.columns[column]}", view.values, row, column)
    left, right = columns or st.columns([1.4, 1], gap="medium")
    sentence = largest_number(view.values, view.rows, view.columns, title)
    layers = scale(view.limit), outline(row, column), CLICK, view.limit is None and ROW_SUMS
    chart = heatmap(view.values, view.rows, view.columns, view.axes, *layers, name=title, sentence=sentence)
    with left:
        page.show(chart, cell.choose, note=note, quiet=True)
    with right, st.container(border=True):
        page.write(card(row, column))


def question_of_row(page: Page, scene: OneHead, name: str, make: Callable[[int, int], Asked]) -> Asked:
    """Return a question about the row of the word that asks; while its answer stands, about that row."""
    asks, answered = weight_cell(page, scene).row, answers().get(f"{page.name}_{name}")
    place = answered and answered.question.place
    row = place[0] if place and place[0] < len(scene.labels) else asks
    stands = answered and make(row, page.variant(name)) == answered.question
    return page.question(name, partial(make, row if stands else asks), partial(make, asks))


def draw_small_map(
    page: Page,
    view: MatrixView,
    title: str,
    *,
    name: str,
    sentence: str,
    chosen: tuple[int | None, int | None] = (None, None),
    moved: Array | None = None,
    picked: Callable[[int, int], None] | None = None,
    factors: tuple[Array, Array] | None = None,
) -> None:
    """Draw a small map under its title and its shape; a click on a cell calls `picked` with row and column."""
    rows, columns = view.values.shape
    page.head(inline(title), f"{rows} × {columns}")
    steps = factors is not None and products_of(*factors)
    drawn = scale(view.limit), outline(*chosen), moved is not None and frame(moved)
    layers = (*drawn, bool(picked) and CLICK, LOW, columns <= WRITTEN and NO_LEGEND)
    chart = heatmap(view.values, view.rows, view.columns, view.axes, *layers, steps, name=name, sentence=sentence)
    page.show(chart, picked, quiet=True)


def read_pair(page: Page, scene: OneHead) -> None:
    """Say what a query asks, what a key answers and what the value passes on; of other heads, whose they are."""
    if scene.kind != "hand-made":
        page.write(scene.origin, "note")
        return
    row, column = weight_cell(page, scene).chosen
    page.say(
        "The :query[query] of {asks} says: “{query}” The :key[key] of {found} says: “{key}” The :value[value] of "
        "{found} is its own vector, the last columns of X.",
        "note",
        asks=scene.labels[row],
        found=scene.labels[column],
        query=escape(query_in_words(scene, row)),
        key=escape(key_in_words(scene, column)),
    )


def query_in_words(scene: OneHead, row: int) -> str:
    if scene.job in ASKS_ALWAYS:
        return ASKS_ALWAYS[scene.job]
    kind, question, otherwise = ASKS[scene.job]
    am, am_not = KINDS_OF_WORDS[kind]
    return f"I am {am}: {question}" if scene.x[row, kind] else f"I am {am_not}: {otherwise}."


def key_in_words(scene: OneHead, column: int) -> str:
    place = f"at position {column + 1}"
    if scene.job not in ANSWERS:
        return f"I am {place}."
    kind = ANSWERS[scene.job]
    return f"I am {KINDS_OF_WORDS[kind][0 if scene.x[column, kind] else 1]}, {place}."


def reach_question(matrix: str) -> Choice:
    """Ask what changes with one number of a matrix."""
    text = prose(f"One number of {matrix} is changed. What else can change with it?")
    why = f"{matrix} is a factor of {PRODUCTS[matrix]}. Weights come from Q and K, the output from the weights and V."
    wrong = {together(moved): f"That is right for {name}." for name, moved in MOVES.items()}
    return Choice.of("reach", text, together(MOVES[matrix]), why, wrong)


def together(names: tuple[str, ...]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}"
