"""The numbers by which positions are told apart, and where one of them comes from."""

import math

import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.positions import frequencies
from attention_core.experiments.english_heads import CONFIG, trained_positions
from attention_core.experiments.position_kinds import SLOPE, numbers_of_kind
from attention_core.experiments.position_similarity import closest_rows
from pages.charts.chart import Chart, rung
from pages.charts.heatmap import Axes, heatmap
from pages.charts.matrix_image import matrix_picture
from pages.look import cards
from pages.look.colours import KEY, QUERY
from pages.look.html import number
from pages.look.sentences import largest_number
from pages.page.page import Page
from pages.positional_encoding.settings import TURNED, Settings

TABLE_AXES = Axes("position", "column", "number")
PAIR_AXES = Axes("position", "other", "product", QUERY, KEY)
CELLS = 1600  # above, a picture is drawn in place of cells that can be clicked
WHOSE = ("random", "trained")
WHAT = {
    "none": "Nothing is told: every position has the same row of zeros.",
    "sinusoidal": "These numbers are added to the words.",
    "learned": "These numbers are added to the words; before training they are random.",
    "RoPE": "Nothing is added: these are the sines and cosines of the angles by which pairs of q and k are turned.",
    "ALiBi": f"Nothing is added to the words: this is added to the scores, −{SLOPE} for each step of distance.",
}


def table_stage(page: Page, scene: Settings) -> None:
    """Show the numbers by which positions are told apart, and where one of them comes from."""
    controls = page.controls
    whose = choose_table(page, scene)
    if whose == "trained":
        numbers = page.recipe.run("encoding", trained_positions, min(scene.length, CONFIG.max_len))
        note = f"Trained with the model of lesson 1: {CONFIG.max_len} positions, width {CONFIG.d_model}, and no more."
    else:
        numbers = page.recipe.run(
            "encoding", numbers_of_kind, scene.kind, scene.length, scene.d_model, scene.base, scene.seed
        )
        note = WHAT[scene.kind]
    left, right = st.columns([1.7, 1], gap="medium")
    with right:
        card = st.container(border=True)
        with st.container(horizontal=True):
            row = controls.whole("position", "Position · row", 0, 255, 3, width=140)
            column = controls.whole("dimension", "Column", 1, 256, 5, width=140)
    row, column = min(row, numbers.shape[0] - 1), min(column, numbers.shape[1]) - 1
    with card:
        page.write(cell_card(numbers, scene, whose, row, column))
    with left:
        told = ""
        if scene.kind not in ("none", "ALiBi"):
            one, other, alike = page.recipe.run("closest", closest_rows, numbers)
            which = f"rows {one} and {other}"
            if scene.kind in TURNED:  # only the distance counts
                apart = other - one
                which = f"{'neighbours' if apart == 1 else f'rows {apart} apart'}, wherever they stand"
            told = f"Most alike are {which}: their cosine is {number(alike, 4)}, and 1 is one direction."
        chart = numbers_map(numbers, TABLE_AXES, limit_of(scene, whose), "encoding", (row, column), told)
        picked = None if is_picture(chart) else lambda i, j: controls.put(position=i, dimension=j + 1)
        page.show(chart, picked, note=note)


def choose_table(page: Page, scene: Settings) -> str:
    """Return whose table is looked at; only a learned one can be trained."""
    if scene.kind != "learned":
        return "formula"
    return page.controls.choice("whose", "Whose table", WHOSE, "random")


def limit_of(scene: Settings, whose: str) -> float:
    """Return the end of the colours of a table."""
    if whose == "trained":
        return 0.05
    return {"learned": 4.0, "ALiBi": rung(SLOPE * scene.length)}.get(scene.kind, 1.0)


def numbers_map(
    values: Array, axes: Axes, limit: float, name: str, chosen: tuple[int, int], sentence: str = ""
) -> Chart:
    """Return a table as cells that can be clicked, or as a picture where there are too many."""
    rows, columns = ([str(i) for i in range(n)] for n in values.shape)
    if axes is TABLE_AXES:
        columns = [str(j + 1) for j in range(values.shape[1])]
    sentence = sentence or largest_number(values, rows, columns, axes.value.capitalize())
    if values.size > CELLS:
        return matrix_picture(values, axes, limit=limit, name=name, sentence=sentence, height=480)
    return heatmap(
        values, rows, columns, axes, name=name, sentence=sentence, limit=limit, chosen=chosen, clickable=True
    )


def is_picture(chart: Chart) -> bool:
    """Tell whether a chart is a picture, which has no cells to click."""
    return chart.numbers is not None


def cell_card(numbers: Array, scene: Settings, whose: str, row: int, column: int) -> str:
    """Return where one number of the table comes from."""
    value = float(numbers[row, column])
    title = f"Position {row}, column {column + 1}: {number(value, 4)}"
    if whose == "trained":
        return cards.card(title, "<p>Training found it. No formula stands behind it.</p>")
    if scene.kind == "none":
        return cards.card(title, "<p>With no encoding there is nothing to add.</p>")
    if scene.kind == "learned":
        return cards.card(title, f"<p>Drawn with seed {scene.seed}. Training would change it step by step.</p>")
    if scene.kind == "ALiBi":
        away = abs(row - column)
        return cards.card(title, cards.chain(("distance", f"from {row} to {column}", away), ("× −½", "", value)))
    pair, width = column // 2, numbers.shape[1]
    slow = 1 / float(frequencies(width, scene.base)[pair])
    wave = "cos" if column % 2 else "sin"
    lines = (
        ("exponent", f"2 · {pair} ÷ {width}, for pair {pair}", 2 * pair / width),
        ("base to it", f"{number(scene.base, 0)} to that power", slow),
        ("angle", f"position {row} ÷ {number(slow)}", row / slow),
        (wave, "of the angle", value),
    )
    told = f"<p class='soft'>Pair {pair} comes round after {number(2 * math.pi * slow, 1)} positions.</p>"
    return cards.card(title, cards.chain(*lines), told)
