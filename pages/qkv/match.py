"""A query meets every key: their dot products are the scores."""

from functools import partial

import numpy as np
import streamlit as st

from pages.charts.heatmap import CLICK, SCORE_AXES, heatmap, outline, products_of, scale
from pages.heads.matrices import OneHead
from pages.look.cards import weight_card
from pages.look.facts import as_shown, largest, ordered
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import (
    key_in_words,
    pair_of_words,
    query_in_words,
    question_of_row,
    show_worked,
    weight_cell,
    worked_row,
)
from pages.qkv.journey import draw_place
from pages.qkv.matrices import names_of_columns, score_limit
from pages.questions.kinds import Choice

STEP = Step(
    "query · key",
    "A query asks, and every key answers",
    "The **score** is the dot product of :query[query] and :key[key]: multiply entry by entry, then add. Within "
    "one sentence this is **self-attention**.",
)
MOST, FEW = 8, 4  # entries of a key that are drawn, and those that one multiplies for each of four keys
ASKED, RIVALS = 4, 2  # keys to choose from, and those whose scores follow the largest; of longer keys two
SUMMED = "A score adds up the entries of a key, each times the entry of the query."


def draw(page: Page, scene: OneHead) -> bool:
    """Show the query of a word and all keys, and once the best key was asked for, the scores."""
    row, column = pair_of_words(page, scene)
    if scene.kind == "hand-made":
        says = "The query of {asks} says: **“" + query_in_words(scene, row) + "”**"
        page.say(says, asks=scene.labels[row])
    question = question_of_row(page, scene, "best_key", partial(best_key_question, scene))
    if not (columns := page.ask_beside(question, partial(blank, page, scene, row))):
        return False
    draw_place(page, scene, "match")
    products = scene.products[row]
    page.prints(f"score of {scene.labels[row]} with {scene.labels[column]}", scene.products, row, column)
    names = names_of_columns(scene, "q")
    with columns[0]:
        stages = stages_of(scene, row, products)
        steps = products_of(scene.attention.q[row : row + 1], scene.attention.k.T)
        chart = worked_row(scene, stages, column, steps, score_limit(scene), name="scores", sentence=SUMMED)
        show_worked(page, chart, scene.labels, "" if scene.kind == "hand-made" else scene.origin)
        if scene.kind == "hand-made":
            says = "The key of {key} says: “" + key_in_words(scene, column) + "”"
            page.say(says, "note", key=scene.labels[column])
        page.look_closer("All queries and keys", partial(whole, page, scene, row, column))
    with columns[1], st.container(border=True):
        page.write(weight_card(scene.attention, scene.labels, scene.labels, row, column, "score", names))
    return True


def stages_of(scene: OneHead, row: int, products: np.ndarray) -> dict[str, np.ndarray]:
    """Return the rows of the worked row: of short keys each entry with the entry of the query, and the scores."""
    query, keys = scene.attention.q[row], scene.attention.k.T
    names = names_of_columns(scene, "k") or [f"entry {i}" for i in range(1, len(query) + 1)]
    entries = {f"{name}: {number(q, 1)} ×": key for name, q, key in zip(names, query.tolist(), keys, strict=True)}
    return (entries if len(query) <= MOST else {}) | {"score": products}


def blank(page: Page, scene: OneHead, row: int) -> None:
    stages = stages_of(scene, row, np.full(len(scene.labels), np.nan))
    said = "Each column is the key of one word. Beside each row stands the entry of the query that multiplies it."
    page.show(worked_row(scene, stages, None, None, score_limit(scene), name="keys", sentence=said))


def whole(page: Page, scene: OneHead, row: int, column: int) -> None:
    labels = scene.labels
    sentence = "A row belongs to a query, a column to a key."
    steps = products_of(scene.attention.q, scene.attention.k.T)
    layers = scale(score_limit(scene)), outline(row, column), CLICK, steps
    chart = heatmap(scene.products, labels, labels, SCORE_AXES, *layers, name="all scores", sentence=sentence)
    page.show(chart, weight_cell(page, scene).choose)


def best_key_question(scene: OneHead, row: int, variant: int) -> Choice | None:
    """Ask which of a few keys has the largest score with a query, where the entries that are shown tell it."""
    products, labels = scene.products[row], scene.labels
    best, read = largest(products), as_shown(scene.attention.q[row], 1) @ as_shown(scene.attention.k).T
    tells = best.is_one and largest(read).places == best.places
    if scene.attention.q.shape[1] > MOST or len(labels) < 3 or not tells:
        return None
    first = best.first
    others = [key for key in ordered(products) if key != first]  # of which those with large scores stand to choose
    easy = np.random.default_rng([variant, 3]).permutation(others[RIVALS:]).tolist()
    is_short = scene.attention.q.shape[1] <= FEW
    keys = sorted([first, *(others[:RIVALS] + easy[: ASKED - 1 - RIVALS] if is_short else others[-1:])])
    text = prose("Which of these keys has the largest score with the query of {asks}?", asks=labels[row])
    said = "Its score is {}. Multiply its entries by the entries of the query, and add."
    wrong = {labels[key]: said.format(number(products[key])) for key in keys}
    why = f"Its score is {best.shown}."
    return Choice.of("best_key", text, labels[first], why, wrong, place=(row, first))
