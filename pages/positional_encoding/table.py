"""The numbers that encode positions, and where one of them comes from."""

import math

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.positions import frequencies
from attention_core.experiments.multi_head.english_heads import CONFIG, trained_positions
from attention_core.experiments.positions.position_kinds import SLOPE, numbers_of_kind
from attention_core.experiments.positions.position_similarity import closest_rows
from pages.charts.chart import rung
from pages.charts.heatmap import Axes
from pages.look import cards
from pages.look.html import number
from pages.look.sentences import largest_number
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.common import choose_table, is_picture, numbers_map
from pages.positional_encoding.scene import ROTATED, Scene

STEP = Step(
    "table",
    "Sinusoids give each position its own vector",
    "The original transformer adds sines and cosines of the position to each word. They stay between −1 and 1. Choose "
    "a position and a column to see how the number is computed. Positions and pairs are counted from 0, columns from "
    "1.",
    words="dimension position rows table_kind table_whose",
)

TABLE_AXES = Axes("position", "column", "number")
WHAT = {
    "none": "Without an encoding, every position has the same vector of zeros.",
    "sinusoidal": "These vectors are added to the word vectors.",
    "learned": "These vectors are added to the word vectors. Before training they are random.",
    "RoPE": "RoPE adds nothing. These are the sines and cosines of its rotation angles, for a head of this width.",
    "ALiBi": f"These numbers are added to the scores, and nothing to the words: −{SLOPE} per position of distance.",
}


def draw(page: Page, scene: Scene) -> None:
    """Show the numbers that encode positions, and where one of them comes from."""
    controls, run = page.controls, page.recipe.run
    with st.container(horizontal=True, gap="medium"):
        whose = choose_table(page, scene, "table_whose")
        n_rows = min(scene.length, CONFIG.max_len)  # of the trained ones: at first as many as of other tables
        if whose == "trained" and "length" not in controls.locked:
            n_rows = controls.slider("rows", "Number of positions", 4, CONFIG.max_len, n_rows, 1, width=200)
    if whose == "trained":
        controls.leave_out("length", "d_model", "seed")
        numbers = run("encoding", trained_positions, n_rows)
        note = f"Learned by Toy English: {CONFIG.max_len} positions of width {CONFIG.d_model}, and none after them."
    else:
        numbers = run("encoding", numbers_of_kind, scene.kind, scene.length, scene.d_model, scene.base, scene.seed)
        note = WHAT[scene.kind]
    left, right = st.columns([1.7, 1], gap="medium")
    with right:
        card = st.container(border=True)
        with st.container(horizontal=True):
            row = controls.integer("position", "Position · row", 0, 255, 3, width=140)
            column = controls.integer("dimension", "Column", 1, 256, 5, width=140)
    row, column = min(row, numbers.shape[0] - 1), min(column, numbers.shape[1]) - 1
    page.prints(f"position {row}, column {column + 1}", numbers, row, column)
    with card:
        page.write(number_card(numbers, scene, whose, row, column))
    with left:
        rows, columns = [str(i) for i in range(len(numbers))], [str(j + 1) for j in range(numbers.shape[1])]
        sentence = largest_number(numbers, rows, columns, "Number")
        if scene.kind not in ("none", "ALiBi"):
            one, other, cosine = run("closest", closest_rows, numbers)
            which = f"rows {one} and {other}"
            if scene.kind in ROTATED:  # only the distance matters
                which = "any two neighbours" if other - one == 1 else f"any two rows {other - one} apart"
            sentence = f"The vectors of {which} are the most similar. Their cosine is {number(cosine, 4)}."
        limit = {"learned": 4.0, "ALiBi": rung(SLOPE * scene.length)}.get(scene.kind, 1.0)
        limit = 0.05 if whose == "trained" else limit
        chart = numbers_map(numbers, columns, TABLE_AXES, limit, "encoding", (row, column), sentence)
        picked = None if is_picture(chart) else lambda i, j: controls.put(position=i, dimension=j + 1)
        page.show(chart, picked, note=note)


def number_card(numbers: Array, scene: Scene, whose: str, row: int, column: int) -> Markup:
    """Return where one number of the table comes from."""
    value = float(numbers[row, column])
    title = f"Position {row}, column {column + 1}: {number(value, 4)}"
    paragraph = Markup("<p>{}</p>")
    if whose == "trained":
        return cards.card(title, paragraph.format("Training set this number. No formula gives it."))
    if scene.kind == "none":
        return cards.card(title, paragraph.format("Without an encoding, nothing is added."))
    if scene.kind == "learned":
        told = f"Random, from seed {scene.seed}. Training would change it step by step."
        return cards.card(title, paragraph.format(told))
    if scene.kind == "ALiBi":
        away = abs(row - column)
        return cards.card(
            title, cards.chain(("distance", f"from position {row} to {column}", away), (f"× −{SLOPE}", "", value))
        )
    pair, width = column // 2, numbers.shape[1]
    slow = 1 / float(frequencies(width, scene.base)[pair])
    lines = (
        ("exponent", f"2 · {pair} ÷ {width}, for pair {pair}", f"{2 * pair / width:.6g}"),
        ("power", f"{number(scene.base, 0)} to the exponent", number(slow, 4)),
        ("wavelength", "2π · the power, in positions", number(2 * math.pi * slow, 1)),
        ("angle", f"position {row} ÷ {number(slow, 4)}", number(row / slow, 4)),
    )
    result = cards.chain(("cos" if column % 2 else "sin", "of the angle, in radians", value))
    return cards.card(title, cards.listed(lines) + result)
