"""The queries, keys and values: X times three matrices, and where one of their numbers comes from."""

from functools import partial

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.qkv.explain import product_terms
from pages.heads.matrices import OneHead
from pages.look import cards
from pages.look.html import in_role, inline, prose
from pages.page.fields.chosen_cell import ChosenCell
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import draw_small_map, entry_cell, read_pair, weight_cell
from pages.qkv.journey import draw_place
from pages.qkv.matrices import MatrixView, matrix_view, names_of_columns, projection_view, x_view
from pages.questions.kinds import Choice
from pages.teaching.lecture import on_stage

STEP = Step(
    "Q, K and V",
    "Three matrices make queries, keys and values",
    "A word’s vector times W_Q is its :query[**query**]: what it looks for. Times W_K it is its :key[**key**], by "
    "which it is found, and times W_V its :value[**value**], which it passes on. Real models train these "
    "**parameters** (lesson 2).",
    words="matrix",
)
ROLES = {"Q": "query", "K": "key", "V": "value"}
LETTERS = tuple(ROLES)
OUTLINED = "Outlined: the row of the word."


def draw(page: Page, scene: OneHead) -> bool:
    """Ask how large Q, K or V is beside X and its matrix, then show all three, and a number as a row times a column."""
    asked = LETTERS[page.variant("shape") % len(LETTERS)]
    question = page.question("shape", partial(shape_question, scene))
    then = partial(page.controls.put, matrix=asked)
    if not (columns := page.ask_beside(question, partial(draw_factors, page, scene, asked), then)):
        return False
    with page.fields:
        matrix = page.controls.choice("matrix", "Matrix", LETTERS, LETTERS[0])
        view = projection_view(scene, matrix.lower())
        row, column = entry_of(page, scene, matrix, view).fields()
    page.prints(f"Entry of {matrix}: {view.rows[row]}, {view.columns[column]}", view.values, row, column)
    draw_place(page, scene, "projections")
    with columns[0]:
        if not on_stage():  # a slide has no room for both
            draw_factors(page, scene, matrix, row, column)
    draw_maps(page, scene, matrix, row, column)
    read_pair(page, scene)
    with st.container(border=True, key="qkv_projections_worked"):
        page.write(projection_card(scene, matrix, row, column))
    return True


def entry_of(page: Page, scene: OneHead, letter: str, view: MatrixView) -> ChosenCell:
    return entry_cell(page, view, scene.asks, key=None if letter == "Q" else weight_cell(page, scene).usual[1])


def draw_maps(page: Page, scene: OneHead, matrix: str, row: int, column: int) -> None:
    """Draw the three maps, a word’s row outlined in each; a click in any chooses its matrix and its cell."""

    def pick(letter: str, i: int, j: int) -> None:
        entry_of(page, scene, letter, projection_view(scene, letter.lower())).choose(i, j, matrix=letter)

    grid = st.grid(len(LETTERS), min_column_width=180, gap="medium")
    for letter in LETTERS:
        with grid.cell():
            view = projection_view(scene, letter.lower())
            factors = scene.x, getattr(scene.head, f"w_{letter.lower()}")
            title, told = f"{letter} = X · W_{letter}", f"{letter}. {OUTLINED}"
            outlined = row if letter == matrix else entry_of(page, scene, letter, view).row
            chosen, click = (outlined, column if letter == matrix else None), partial(pick, letter)
            draw_small_map(page, view, title, name=letter, sentence=told, chosen=chosen, picked=click, factors=factors)


def draw_factors(page: Page, scene: OneHead, letter: str, row: int | None = None, column: int | None = None) -> None:
    """Draw X and the chosen matrix, whose product is asked for."""
    matrix, view = f"W_{letter}", matrix_view(scene, letter.lower())
    grid = st.grid(2, min_column_width=180, gap="small")
    with grid.cell():
        draw_small_map(page, x_view(scene), "X", name="X", sentence="Outlined: one row.", chosen=(row, None))
    with grid.cell():
        draw_small_map(page, view, matrix, name=matrix, sentence="Outlined: one column.", chosen=(None, column))


def projection_card(scene: OneHead, letter: str, row: int, column: int) -> Markup:
    """Return where a number of Q, K or V comes from: a row of X times a column of a matrix."""
    role, word, matrix, names = ROLES[letter], scene.labels[row], inline(f"W_{letter}"), None
    which = str(column + 1)
    if named := names_of_columns(scene, letter.lower()):
        which, names = f"“{named[column]}”", names_of_columns(scene, "x")
    terms = product_terms(scene.x[row], getattr(scene.head, f"w_{letter.lower()}")[:, column])
    title = Markup("Entry {} of the {} of {}").format(which, role, in_role(word, role))
    note = Markup("row “{}” of X · column {} of {}").format(word, which, matrix)
    ledger = cards.ledger(terms, "x", matrix, names, roles=("", role))
    return cards.card(title, ledger, cards.chain(("sum", note, terms.total)))


def shape_question(scene: OneHead, variant: int) -> Choice | None:
    """Ask for the shape of Q, K or V, given those of X and of its matrix, where there is a mistake to make."""
    letter = LETTERS[variant % len(LETTERS)]
    matrix = getattr(scene.head, f"w_{letter.lower()}")
    (rows, middle), columns = scene.x.shape, matrix.shape[1]
    mistakes = {
        (columns, rows): f"You swapped rows and columns. The left matrix gives the rows, {rows}.",
        (rows, middle): f"You kept the shape of X. W_{letter} gives the columns, {columns}.",
        (middle, columns): f"You kept the shape of W_{letter}. X gives the rows, {rows}: one for each word.",
        (middle, middle): f"You kept the two inner numbers. Keep the outer ones, {rows} and {columns}.",
    }
    mistakes.pop((rows, columns), None)
    if not mistakes:
        return None
    text = prose(
        f"X is {rows} × {middle} (rows × columns), W_{letter} is {middle} × {columns}. "
        f"What is the shape of {letter} = X · W_{letter}?"
    )
    why = (
        f"({rows} × {middle}) · ({middle} × {columns}) = {rows} × {columns}. The {middle} in the middle is summed over."
    )
    wrong = {f"{height} × {width}": reason for (height, width), reason in mistakes.items()}
    return Choice.of("shape", text, f"{rows} × {columns}", why, wrong, variant)
