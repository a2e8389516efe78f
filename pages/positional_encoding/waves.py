"""The table of sines and cosines, and its columns as waves along the positions, each pair with its wavelength."""

import math
from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.positions import frequencies, sinusoidal_positions, wavelengths
from attention_core.experiments.positions.position_kinds import positions_between
from pages.charts.heatmap import CLICK, SMALL, Axes, heatmap, outline, scale
from pages.charts.stacked_waves import waves
from pages.look import cards
from pages.look.facts import smallest
from pages.look.html import number, prose
from pages.page.fields.chosen_cell import ChosenCell
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.scene import PositionScene
from pages.questions.kinds import Choice

STEP = Step(
    "waves",
    "Each pair of columns has its own wavelength",
    "**Sinusoids** are added to the words: a row of this table for each position, between −1 and 1. Two columns make "
    "a **pair**, the sine and the cosine of one angle. Columns and pairs are counted from 0 too. The base sets how "
    "long the longest wave is.",
    asks="Which column changes fastest?",
    then="Choose a number to see how it is computed. Then drag the base and see which waves change.",
    experiment="position dimension waves_base",
)

TABLE_AXES = Axes("position", "column", "number")
ROWS, LANES = 12, 4  # of the table that are shown, and pairs
CLEARLY = 1.5  # times the wavelength of the fastest: less is not seen in the fewest rows
PARTS = 4  # of the way from one position to the next, so that the shortest wave is drawn with 25 points


def draw(page: Page, scene: PositionScene) -> bool:
    """Draw some pairs of the table as numbers, and once the fastest was asked for, as waves."""
    run, width = page.recipe.run, scene.d_model
    long = run("wavelengths_of_pairs", wavelengths, width, scene.base)
    pairs = np.unique(np.geomspace(1, len(long), LANES).round().astype(int)) - 1  # more of the fast ones
    encoding = run("encoding", sinusoidal_positions, scene.length, width, scene.base)
    columns = [column for pair in pairs.tolist() for column in (2 * pair, 2 * pair + 1)]
    part = encoding[:ROWS, columns]
    rows, names = [str(t) for t in range(len(part))], [str(column) for column in columns]
    cell = ChosenCell(page.controls, rows, names, (3, 2), ("position", "dimension"), ("Position", "Column"))
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        answered = page.ask(page.question("wavelength", partial(wavelength_question, long, pairs)))
    if answered:
        with page.fields:
            row, column = cell.fields()
        page.prints(f"position {row}, column {columns[column]}", f"encoding[{row}][{columns[column]}]")
    with left:
        told = f"Positions 0 to {len(part) - 1}, and some of the columns, in pairs."
        layers = (CLICK, outline(row, column)) if answered else ()
        chart = heatmap(part, rows, names, TABLE_AXES, scale(1.0), SMALL, *layers, name="encoding", sentence=told)
        page.show(chart, cell.choose if answered else None)
    if answered:
        page.tell_on()
        with right:
            lanes = [f"pair {i}, columns {2 * i}, {2 * i + 1}: {number(long[i], 1)} positions" for i in pairs]
            fractional, between = positions_between(encoding, PARTS, scene.base)
            sines, cosines = 2 * pairs, 2 * pairs + 1
            drawn = waves(
                np.arange(scene.length),
                encoding[:, sines],
                lanes,
                name="waves",
                sentence="The sine is filled, the cosine dashed.",
                between=(fractional, between[:, sines]),
                dashed=(encoding[:, cosines], between[:, cosines]),
            )
            page.show(drawn)
        page.write(computed(scene, row, columns[column], float(part[row, column])))
    return answered


def computed(scene: PositionScene, row: int, column: int, value: float) -> Markup:
    pair = column // 2
    slow = 1 / float(frequencies(scene.d_model, scene.base)[pair])
    power = Markup("{}<sup>2 · {} ÷ {}</sup>").format(number(scene.base, 0), pair, scene.d_model)
    steps = (
        (Markup("angle"), Markup("{} ÷ {}").format(row, power), f"{row} ÷ {number(slow, 4)} = {number(row / slow, 4)}"),
        (Markup("wavelength"), Markup("2π · {}").format(power), f"{number(2 * math.pi * slow, 1)} positions"),
    )
    kind = "cosine" if column % 2 else "sine"
    title = f"Position {row}, column {column}: the {kind} of pair {pair}"
    result = cards.chain((f"{kind[:3]} of the angle", "in radians", value))
    return cards.card(title, cards.listed(steps) + result)


def wavelength_question(long: Array, drawn: Array, variant: int) -> Choice:
    """Ask which of some columns oscillates fastest, all of pairs that are shown and none nearly as fast as it."""
    rng = np.random.default_rng([variant, 32])
    pairs = rng.permutation(drawn[(long[drawn] >= CLEARLY * long[drawn[0]]) | (drawn == drawn[0])])
    best = smallest(long[pairs], 1)
    columns = [f"column {2 * pair + rng.integers(2)}" for pair in pairs]
    said = "It takes {} positions for a wave. Another column takes fewer."
    wrong = {column: said.format(number(long[pair], 1)) for column, pair in zip(columns, pairs, strict=True)}
    why = f"It takes {best.shown} positions for a wave. Pairs get slower from left to right."
    text = prose("Read down the columns. Which of these goes up and down fastest along the positions?")
    return Choice.of("wavelength", text, columns[best.first], why, wrong)
