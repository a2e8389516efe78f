"""The queries, keys and values: X times three matrices, and where one of their numbers comes from."""

from functools import partial

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.qkv.explain import product_terms
from pages.heads.matrices import OneHead
from pages.look import cards
from pages.look.html import in_role, inline
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import draw_small_map, entry_cell, read_pair
from pages.qkv.journey import draw_place
from pages.qkv.matrices import matrix_view, names_of_columns, projection_view, x_view
from pages.qkv.shape_question import shape_question

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


def draw(page: Page, scene: OneHead) -> None:
    """Show Q, K and V side by side, and a number of one of them as the product of a row and a column."""
    with page.fields:
        matrix = page.controls.choice("matrix", "Matrix", LETTERS, LETTERS[0])
        view = projection_view(scene, matrix.lower())
        row, column = entry_cell(page, view).fields()
    page.prints(f"Entry of {matrix}: {view.rows[row]}, {view.columns[column]}", view.values, row, column)
    draw_place(page, scene, "projections")
    draw_maps(page, scene, matrix, row, column)
    read_pair(page, scene)
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, key="qkv_projections_worked"):
        page.write(projection_card(scene, matrix, row, column))
    with right:
        page.ask(page.question("shape", partial(shape_question, len(scene.words))))
    page.look_closer("X and the matrix", partial(draw_factors, page, scene, matrix, row, column))


def draw_maps(page: Page, scene: OneHead, matrix: str, row: int, column: int) -> None:
    """Draw the three maps, the word’s row outlined in each; a click in any chooses its matrix and its cell."""

    def pick(letter: str, i: int, j: int) -> None:
        view = projection_view(scene, letter.lower())
        page.controls.put(matrix=letter, q=view.rows[i], d=view.columns[j])

    grid = st.grid(len(LETTERS), min_column_width=180, gap="medium")
    for letter in LETTERS:
        with grid.cell():
            view = projection_view(scene, letter.lower())
            factors = scene.x, getattr(scene.head, f"w_{letter.lower()}")
            title, told = f"{letter} = X · W_{letter}", f"{letter}. {OUTLINED}"
            chosen, click = (row, column if letter == matrix else None), partial(pick, letter)
            draw_small_map(page, view, title, name=letter, sentence=told, chosen=chosen, picked=click, factors=factors)


def draw_factors(page: Page, scene: OneHead, letter: str, row: int, column: int) -> None:
    """Draw X and the chosen matrix, whose product is the map above."""
    matrix = f"W_{letter}"
    left, right = st.columns(2, gap="medium")
    with left:
        sentence = "Outlined: one row."
        draw_small_map(page, x_view(scene), "X", name="X", sentence=sentence, chosen=(row, None))
    with right:
        view, sentence = matrix_view(scene, letter.lower()), "Outlined: one column."
        draw_small_map(page, view, matrix, name=matrix, sentence=sentence, chosen=(None, column))


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
