"""What the steps of the first lesson share: a large map with the card of one of its numbers, and small maps."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.qkv.named_head import IS_ADJECTIVE, IS_NOUN, IS_PRONOUN
from pages.charts.heatmap import CLICK, NO_LEGEND, ROW_SUMS, SMALL, Axes, blank_map, frame, heatmap, outline, scale
from pages.heads.matrices import Scene
from pages.look import thumbnails
from pages.look.cards import chips, weight_card
from pages.look.html import inline
from pages.look.sentences import first_query, largest_number
from pages.motion.arcs import draw_arcs
from pages.page.canvas import ChosenCell
from pages.page.page import Page
from pages.page.questions.kinds import Cell, Question, compared
from pages.qkv.matrices import View, names_of_columns

BLANK_AXES = Axes("row word", "column word", "score", words=True)  # which of them asks is what a student is to say
YOURS = "The thin outline is your answer."
KINDS_OF_WORDS = {
    IS_NOUN: ("a noun", "no noun"),
    IS_ADJECTIVE: ("an adjective", "no adjective"),
    IS_PRONOUN: ("a pronoun", "no pronoun"),
}
ASKS = {  # job: the kind of word that asks, its question, and what any other word asks
    "pronoun to noun": (IS_PRONOUN, "is there a noun, early in the sentence?", "I ask for nothing"),
    "adjective to noun": (IS_ADJECTIVE, "is there a noun just after me?", "I only ask who is just after me"),
    "noun to its adjectives": (IS_NOUN, "is there an adjective just before me?", "I only ask who is just before me"),
}
ANSWERS = {"pronoun to noun": IS_NOUN, "adjective to noun": IS_NOUN, "noun to its adjectives": IS_ADJECTIVE}


def weight_cell(page: Page, labels: list[str]) -> ChosenCell:
    """Return the chosen cell of a map of scores or weights."""
    return ChosenCell(page.controls, labels, labels, (first_query(labels), 1))


def entry_cell(page: Page, view: View) -> ChosenCell:
    """Return the chosen entry of a matrix with a row for each word."""
    usual = (first_query(view.rows), 0)
    return ChosenCell(page.controls, view.rows, view.columns, usual, ("q", "d"), ("Word · row", "Column"))


def draw_map(
    page: Page,
    view: View,
    title: str,
    card: Callable[[int, int], Markup],
    cell: ChosenCell | None = None,
    role: str = "asks",
    sentence: str = "",
    note: str = "",
    question: Question | None = None,
    above: Callable[[int], None] | None = None,
) -> tuple[int, int] | None:
    """Draw a large map, the fields for its chosen cell, and the card of that cell; return its row and column.

    While the question is open the map is blank, and None is returned. Its answer chooses the cell that was asked for,
    and stands beside it. `above` draws what stands over the map for the chosen row. The sentence is the same whichever
    cell is chosen: a chart with another `alt` is drawn anew.
    """
    cell = cell or entry_cell(page, view)
    with st.container():  # without a question too: a field that moves on the page loses its word in the link
        if question and not ask_in_map(page, question, view, title, cell):
            return None
    over = st.container()
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        words, derivation = st.container(), st.container(border=True)
        row, column = cell.fields()
    page.prints(f"{title}: {view.rows[row]}, {view.columns[column]}", view.values, row, column)
    if above:
        with over:
            above(row)
    given = page.given(question)
    yours = None
    if isinstance(question, Cell) and given and tuple(given) != question.place:
        yours = np.zeros(view.values.shape, dtype=bool)
        yours[given] = True
    chart = heatmap(
        view.values,
        view.rows,
        view.columns,
        view.axes,
        scale(view.limit),
        outline(row, column),
        yours is not None and frame(yours),
        CLICK,
        view.limit is None and ROW_SUMS,
        name=title,
        sentence=sentence or largest_number(view.values, view.rows, view.columns, title),
    )
    with left:
        page.show(chart, cell.choose, note=note if yours is None else f"{YOURS} {note}")
    with words:
        page.write(chips(view.rows, row, column if view.rows is view.columns else None, role))
    with derivation:
        page.write(card(row, column))
        if question and not isinstance(question, Cell) and given is not None and question.place == (row, column):
            page.write(compared(question, given), "compared")
    return row, column


def score_card(scene: Scene, last: str = "weight") -> Callable[[int, int], Markup]:
    """Return the card of a weight, or of a number on the way to it, with the names of columns that have any."""
    names = names_of_columns(scene, "q")
    return partial(weight_card, scene.attention, scene.labels, scene.labels, last=last, names=names)


def ask_in_map(page: Page, question: Question, view: View, title: str, cell: ChosenCell) -> bool:
    """Ask about a map that is blank until the answer; a click on a cell may be the answer. Return True after it."""

    def then() -> None:
        if question.place:
            cell.choose(*question.place)

    def blank() -> None:
        rows, columns = view.rows, view.columns
        name, limit = f"{title} asked", view.limit
        if isinstance(question, Cell):
            said = "Each cell belongs to a row and a column. Click the one you choose."
            chart = blank_map(rows, columns, BLANK_AXES, scale(limit), CLICK, name=name, sentence=said)
            page.show(chart, lambda i, j: page.settle(question, (i, j), then))
        elif question.place:
            said = "The map is blank until you answer. The question mark stands where you are asked."
            chart = blank_map(rows, columns, view.axes, scale(limit), name=name, sentence=said, asked=question.place)
            page.show(chart)

    return page.ask(question, blank, then)


def question_of_row(
    page: Page, labels: list[str], name: str, make: Callable[[int, int], Question | None]
) -> Question | None:
    """Return a question about the row of the word that asks; once it was answered, about that row."""
    asks, place = weight_cell(page, labels).row, page.answered_place(name)
    row = place[0] if place and place[0] < len(labels) else asks
    return page.question(name, partial(make, row), partial(make, asks))


def draw_row_as_arcs(page: Page, scene: Scene, asks: int) -> None:
    """Draw the sentence with arcs from the word that asks; a click on another word lets that one ask, in all steps."""
    weights, labels = scene.attention.weights, scene.labels
    draw_arcs(page, labels, scene.words, weights, asks, "sentence", lambda i: page.controls.put(q=labels[i]))


def asking_word(page: Page, labels: list[str]) -> int:
    """Draw the field for the word that asks, and return its place."""
    return page.controls.pick("q", "Asking word", labels, first_query(labels))


def draw_small_map(
    page: Page,
    view: View,
    title: str,
    *,
    name: str,
    sentence: str,
    chosen: tuple[int | None, int | None] = (None, None),
    moved: Array | None = None,
    picked: Callable[[int, int], None] | None = None,
    legend: bool = True,
) -> None:
    """Draw a small map under its title and its shape; a click on a cell calls `picked` with row and column."""
    rows, columns = view.values.shape
    page.head(inline(title), f"{rows} × {columns}")
    layers = (
        scale(view.limit),
        outline(*chosen),
        moved is not None and frame(moved),
        picked is not None and CLICK,
        SMALL,
        legend or NO_LEGEND,
    )
    chart = heatmap(view.values, view.rows, view.columns, view.axes, *layers, name=name, sentence=sentence)
    page.show(chart, picked, quiet=True)


def digits_needed(compute: Callable[..., str], *numbers: float) -> int:
    """Return how many digits of the numbers a calculator needs, at least two, to find the result that is shown."""
    result = compute(*numbers)
    return next((n for n in range(2, 9) if compute(*(round(number, n) for number in numbers)) == result), 9)


def thumbnail_of(view: View) -> Markup:
    """Return the small picture of a matrix."""
    return thumbnails.thumbnail(view.values, view.limit)


def read_query_and_key(page: Page, scene: Scene, row: int | None = None, column: int | None = None) -> None:
    """Say what the query of a row asks and the key of a column answers; of random and trained heads say nothing."""
    if scene.kind != "hand-made":
        return
    texts, words = [], {}
    if row is not None:
        texts.append(f"The :query[query] of the word {{asks}} says: “{query_in_words(scene, row)}”")
        words["asks"] = scene.labels[row]
    if column is not None:
        texts.append(f"The :key[key] of the word {{answers}} says: “{key_in_words(scene, column)}”")
        words["answers"] = scene.labels[column]
    page.say(" ".join(texts), "note", **words)


def read_word(page: Page, scene: Scene, row: int) -> None:
    """Say what the query of a word asks, what its key answers and what its value passes on, of hand-made heads only."""
    if scene.kind != "hand-made":
        return
    read_query_and_key(page, scene, row, row)
    passes = "passes on the word’s own vector" if scene.attention.v[row].any() else "is 0, so it passes on nothing"
    page.say(f"The :value[value] of {{word}} {passes}.", "note", word=scene.labels[row])


def query_in_words(scene: Scene, row: int) -> str:
    """Return what the query of a word asks."""
    if scene.job not in ASKS:
        return "Who is just before me?" if scene.job == "previous word" else "Who is the first word?"
    kind, question, otherwise = ASKS[scene.job]
    am, am_not = KINDS_OF_WORDS[kind]
    return f"I am {am}: {question}" if scene.x[row, kind] else f"I am {am_not}: {otherwise}."


def key_in_words(scene: Scene, column: int) -> str:
    """Return what the key of a word answers."""
    place = f"at position {column + 1}"
    if scene.job not in ANSWERS:
        return f"I am {place}."
    kind = ANSWERS[scene.job]
    return f"I am {KINDS_OF_WORDS[kind][0 if scene.x[column, kind] else 1]}, {place}."
