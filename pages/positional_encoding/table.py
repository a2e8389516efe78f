"""The numbers by which positions are told apart, and where one of them comes from."""

import math

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.positions import frequencies, sinusoidal_positions
from attention_core.experiments.english_heads import CONFIG, trained_positions
from attention_core.experiments.position_kinds import SLOPE, numbers_of_kind
from attention_core.experiments.position_similarity import closest_rows
from pages.charts.chart import rung
from pages.charts.heatmap import Axes
from pages.look import cards, thumbnails
from pages.look.html import number
from pages.look.sentences import largest_number
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.common import SMALL, SMALL_BASE, choose_table, is_picture, numbers_map
from pages.positional_encoding.scene import TURNED, Scene

STEP = Step(
    "table",
    "Every position gets its own row",
    "So each position gets a row of numbers, as wide as a word’s vector, to be added to the word that stands "
    "there. The first transformer took sines and cosines. Click a number and see how it is made.",
)

TABLE_AXES = Axes("position", "column", "number")
WHAT = {
    "none": "Nothing is told: every position has the same row of zeros.",
    "sinusoidal": "These numbers are added to the words.",
    "learned": "These numbers are added to the words; before training they are random.",
    "RoPE": "Nothing is added: these are the sines and cosines of the angles by which pairs of q and k are turned.",
    "ALiBi": f"Nothing is added to the words: this is added to the scores, −{SLOPE} for each step of distance.",
}


def draw(page: Page, scene: Scene) -> None:
    """Show the numbers by which positions are told apart, and where one of them comes from."""
    controls, run = page.controls, page.recipe.run
    whose = choose_table(page, scene)
    if whose == "trained":
        numbers = run("encoding", trained_positions, min(scene.length, CONFIG.max_len))
        note = f"Trained with the model of lesson 1: {CONFIG.max_len} positions, width {CONFIG.d_model}, and no more."
    else:
        numbers = run("encoding", numbers_of_kind, scene.kind, scene.length, scene.d_model, scene.base, scene.seed)
        note = WHAT[scene.kind]
    left, right = st.columns([1.7, 1], gap="medium")
    with right:
        card = st.container(border=True)
        with st.container(horizontal=True):
            row = controls.whole("position", "Position · row", 0, 255, 3, width=140)
            column = controls.whole("dimension", "Column", 1, 256, 5, width=140)
    row, column = min(row, numbers.shape[0] - 1), min(column, numbers.shape[1]) - 1
    with card:
        page.write(number_card(numbers, scene, whose, row, column))
    with left:
        rows, columns = [str(i) for i in range(len(numbers))], [str(j + 1) for j in range(numbers.shape[1])]
        sentence = largest_number(numbers, rows, columns, "Number")
        if scene.kind not in ("none", "ALiBi"):
            sentence = closest_sentence(scene.kind, *run("closest", closest_rows, numbers))
        limit = limit_of(scene, whose)
        chart = numbers_map(numbers, columns, TABLE_AXES, limit, "encoding", (row, column), sentence)
        picked = None if is_picture(chart) else lambda i, j: controls.put(position=i, dimension=j + 1)
        page.show(chart, picked, note=note)


def thumbnail(scene: Scene) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(sinusoidal_positions(SMALL, SMALL, SMALL_BASE), 1.0)


def closest_sentence(kind: str, one: int, other: int, cosine: float) -> str:
    """Return which rows point most nearly the same way."""
    which = f"rows {one} and {other}"
    if kind in TURNED:  # only the distance counts
        apart = other - one
        which = f"{'neighbours' if apart == 1 else f'rows {apart} apart'}, wherever they stand"
    return f"Most alike are {which}: their cosine is {number(cosine, 4)}, and 1 is one direction."


def limit_of(scene: Scene, whose: str) -> float:
    """Return the end of the colours of a table."""
    if whose == "trained":
        return 0.05
    return {"learned": 4.0, "ALiBi": rung(SLOPE * scene.length)}.get(scene.kind, 1.0)


def number_card(numbers: Array, scene: Scene, whose: str, row: int, column: int) -> Markup:
    """Return where one number of the table comes from."""
    value = float(numbers[row, column])
    title = f"Position {row}, column {column + 1}: {number(value, 4)}"
    paragraph = Markup("<p>{}</p>")
    if whose == "trained":
        return cards.card(title, paragraph.format("Training found it. No formula stands behind it."))
    if scene.kind == "none":
        return cards.card(title, paragraph.format("With no encoding there is nothing to add."))
    if scene.kind == "learned":
        told = f"Drawn with seed {scene.seed}. Training would change it step by step."
        return cards.card(title, paragraph.format(told))
    if scene.kind == "ALiBi":
        away = abs(row - column)
        return cards.card(title, cards.chain(("distance", f"from {row} to {column}", away), ("× −½", "", value)))
    pair, width = column // 2, numbers.shape[1]
    slow = 1 / float(frequencies(width, scene.base)[pair])
    lines = (
        ("exponent", f"2 · {pair} ÷ {width}, for pair {pair}", 2 * pair / width),
        ("base to it", f"{number(scene.base, 0)} to that power", slow),
        ("angle", f"position {row} ÷ {number(slow)}", row / slow),
        ("cos" if column % 2 else "sin", "of the angle", value),
    )
    told = f"Pair {pair} comes round after {number(2 * math.pi * slow, 1)} positions."
    return cards.card(title, cards.chain(*lines), Markup('<p class="soft">{}</p>').format(told))
