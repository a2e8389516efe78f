"""The stages that look at positions by themselves: the table, its waves, how alike its rows are, and its clocks."""

import math

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.likeness import (
    ByDistance,
    by_distance,
    closest_rows,
    cosines,
    diagonal_spread,
    largest_change,
    lengths,
)
from attention_core.places import SLOPE, likeness_of, likeness_table, numbers_of_kind, turned_table
from attention_core.positions import frequencies, shift_matrix, sinusoidal_positions, wavelengths
from attention_core.trained import CONFIG, trained_positions
from pages.positional_encoding.questions import own_product_question, wavelength_question
from pages.positional_encoding.settings import Settings
from pages.shared import cards
from pages.shared.charts.chart import Chart, rung
from pages.shared.charts.heatmap import Axes, heatmap
from pages.shared.charts.lines import line_chart
from pages.shared.charts.picture import matrix_picture
from pages.shared.charts.plane import Vector, plane
from pages.shared.charts.waves import waves
from pages.shared.colours import KEY, QUERY
from pages.shared.frame import Page
from pages.shared.markup import number
from pages.shared.sentences import largest_number

TABLE_AXES = Axes("position", "dimension", "number")
PAIR_AXES = Axes("position", "other", "product", QUERY, KEY)
MATRIX_AXES = Axes("from", "to", "m")
CELLS = 1600  # above, a picture is drawn in place of cells that can be clicked
LANES = 6
CLOCKS = ("first", "second", "third")
SHOWN = 48  # positions of a clock
WHOSE = ("random", "trained")
OTHER = {"random": "trained", "trained": "random"}
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
            told = f"No two rows are the same; most alike are {one} and {other}, with a cosine of {number(alike, 4)}."
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
        ("base to it", f"{scene.base:,.0f} to that power", slow),
        ("angle", f"position {row} ÷ {number(slow)}", row / slow),
        (wave, "of the angle", value),
    )
    told = f"<p class='soft'>Pair {pair} comes round after {number(2 * math.pi * slow, 1)} positions.</p>"
    return cards.card(title, cards.chain(*lines), told)


def waves_stage(page: Page, scene: Settings) -> None:
    """Draw some columns as waves, each with its length in tokens."""
    long = page.recipe.run("lengths_of_waves", wavelengths, scene.d_model, scene.base)
    if not page.ask(wavelength_question(long, page.variant("wavelength"))):
        return
    encoding = page.recipe.run("encoding", sinusoidal_positions, scene.length, scene.d_model, scene.base)
    pairs = np.unique(np.geomspace(1, len(long), LANES).round().astype(int)) - 1  # more of the fast ones
    lanes = [f"columns {2 * i + 1} and {2 * i + 2}: round after {number(long[i], 1)} positions" for i in pairs]
    finished = int((long <= scene.length - 1).sum())
    sentence = (
        f"The sines of {len(pairs)} of {len(long)} pairs. The first comes round after {number(long[0], 1)} positions, "
        f"the last after {number(long[-1], 1)}; within these {scene.length} positions {finished} of {len(long)} do."
    )
    page.show(waves(np.arange(scene.length), encoding[:, 2 * pairs], lanes, name="waves", sentence=sentence))


def alike_stage(page: Page, scene: Settings) -> None:
    """Show every position times every other, and the same against the distance."""
    run, whose = page.recipe.run, choose_table(page, scene)
    numbers = (scene.kind, scene.length, scene.d_model, scene.base, scene.seed)
    beside: dict[str, Array] = {}
    if scene.kind == "learned":
        drawn = run("drawn", numbers_of_kind, *numbers)
        trained = run("trained", trained_positions, min(scene.length, CONFIG.max_len))
        table, other = (trained, drawn) if whose == "trained" else (drawn, trained)
        alike, limit = run("alike", cosines, table), 1.0
        beside[f"learned, {OTHER[whose]}"] = run("beside", by_distance, run("other_alike", cosines, other)).mean
    else:
        table = run("encoding", numbers_of_kind, *numbers)
        if scene.kind == "sinusoidal" and not page.ask(own_product_question(table, page.variant("own_product"))):
            return
        alike = run("alike", likeness_table, *numbers)
        limit = {"none": 1.0, "ALiBi": rung(SLOPE * scene.length)}.get(scene.kind, rung(scene.d_model / 2))
    along, spread = run("along", by_distance, alike), run("spread", diagonal_spread, alike)
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        card = st.container(border=True)
        with st.container(horizontal=True):
            first = page.controls.whole("first", "One position · row", 0, 255, 0, width=150)
            second = page.controls.whole("second", "Another · column", 0, 255, 1, width=150)
    first, second = (min(place, len(alike) - 1) for place in (first, second))
    with card:
        page.write(alike_card(table, alike, scene, first, second))
    with left:
        chart = numbers_map(alike, PAIR_AXES, limit, "alike", (first, second))
        picked = None if is_picture(chart) else lambda i, j: page.controls.put(first=i, second=j)
        page.show(chart, picked, note=ALIKE.get(scene.kind, ""))
    with right:
        page.show(distance_chart(along, scene, whose, beside, limit, spread))


ALIKE = {
    "learned": "Cosines, because learned rows differ in length. Before training no position is near any other; in the "
    "model of lesson 1 neighbours have become alike, which nobody told it.",
    "RoPE": "One and the same vector at every two positions, turned: the very numbers of the sinusoidal table.",
    "ALiBi": "What is added to the scores: the distance, and nothing else.",
    "none": "Nothing tells one position from another.",
}


def alike_card(table: Array, alike: Array, scene: Settings, first: int, second: int) -> str:
    """Return where the likeness of two positions comes from."""
    value, distance = float(alike[first, second]), abs(first - second)
    title = f'<b class="query">{first}</b> · <b class="key">{second}</b> = {number(value, 3)}'
    if scene.kind == "learned":
        terms, long = likeness_of(table, first, second), lengths(table)
        told = (
            f"<p>product {number(terms.total, 4)}, lengths {number(long[first], 4)} and {number(long[second], 4)}</p>"
        )
        title = f'cosine of <b class="query">{first}</b> and <b class="key">{second}</b>'
        return cards.card(title, told, cards.chain(("cosine", "product ÷ both lengths", value)))
    if scene.kind not in ("sinusoidal", "RoPE"):
        return cards.card(title, cards.chain(("distance", "in positions", distance), ("number", "", value)))
    turns = np.cos(distance * frequencies(scene.d_model, scene.base))
    shown = dict.fromkeys([0, 1, 2, len(turns) - 1])
    lines = [(f"pair {i}", f"cos of {distance} · its angle", float(turns[i])) for i in shown]
    total = ("sum", f"over all {len(turns)} pairs, at distance {distance}", value)
    return cards.card(title, cards.chain(*lines, total))


def distance_chart(
    along: ByDistance, scene: Settings, whose: str, beside: dict[str, Array], limit: float, spread: float
) -> Chart:
    """Return likeness against distance, with a band from the least to the most at each distance."""
    kind = f"learned, {whose}" if scene.kind == "learned" else scene.kind
    sentence = f"At one distance the numbers differ by up to {number(spread, 4)}."
    if spread < 1e-9:
        sentence += " So where the two stand makes no difference, only how far apart they are."
    return line_chart(
        along.distance,
        {kind: along.mean, **{name: as_long_as(along.mean, other) for name, other in beside.items()}},
        band={kind: (along.low, along.high)},
        x_title="distance in positions",
        y_title="likeness",
        x_domain=(0.0, float(max(len(along.mean) - 1, 1))),
        y_domain=(-limit, 0.0 if scene.kind == "ALiBi" else limit),
        name="likeness by distance",
        sentence=sentence,
        number="",
    )


def as_long_as(line: Array, other: Array) -> Array:
    """Return another line cut to the length of one, or filled up with nothing."""
    full = np.full(len(line), np.nan)
    full[: len(other)] = other[: len(line)]
    return full


def clocks_stage(page: Page, scene: Settings) -> None:
    """Draw pairs of a row as the hands of clocks, before and after some steps."""
    controls = page.controls
    with st.container(horizontal=True, vertical_alignment="bottom"):
        here = controls.slider("here", "Position t", 0, SHOWN - 1, 4, 1, width=300)
        steps = controls.slider("steps", "Steps k", -12, 12, 3, 1, width=300)
    run = page.recipe.run
    encoding = run("encoding", sinusoidal_positions, 2 * SHOWN, scene.d_model, scene.base)
    matrix = run("shift", shift_matrix, steps, scene.d_model, scene.base)
    there = run("moved_on", turned_table, encoding, steps, scene.base)
    goal = here + steps
    gap = largest_change(there[here], encoding[goal]) if goal >= 0 else None
    long = wavelengths(scene.d_model, scene.base)
    pairs = (0, max(1, len(long) // 8), max(2, len(long) // 4))
    grid = st.grid(3, min_column_width=260, gap="medium")
    for place, pair in zip(CLOCKS, pairs, strict=True):
        with grid.cell():
            page.write(f"<b>pair {pair}</b> · once round in {number(long[pair], 1)} positions", "shape")
            page.show(clock(encoding, there[here], here, steps, pair, place))
    told = f"Every pair of row {here}, turned by k times its own angle, "
    told += f"gives row {goal} to within {gap:.0e}." if gap else f"gives row {goal} exactly."
    if goal < 0:
        told = f"There is no position {goal}, and yet the matrix knows where it would be."
    page.write(told + " The turn depends on k alone: drag t, and M(k) below stays as it is.", "note")
    shown = min(8, scene.d_model)
    names = [str(i + 1) for i in range(shown)]
    sentence = f"The first {shown} rows and columns of M({steps}): a turn for each pair, zeros elsewhere."
    left, right = st.columns([1, 1], gap="medium")
    with left:
        part = matrix[:shown, :shown]
        page.show(heatmap(part, names, names, MATRIX_AXES, name="shift", sentence=sentence, limit=1.0, small=True))
    with right:
        page.say(
            "**What to notice.** One matrix M(k) takes the row of *any* position to the row k further on: "
            "PE[t] · M(k) = PE[t + k]. A matrix W_Q or W_K can therefore learn “three places back” once, for the "
            "whole sentence. RoPE takes this idea and leaves out the adding.",
            "",
        )


def clock(encoding: Array, there: Array, here: int, steps: int, pair: int, place: str) -> Chart:
    """Return one pair of a row as the hand of a clock, before and after some steps; its other positions as points."""
    sine, cosine = 2 * pair, 2 * pair + 1

    def hand(row: Array, label: str, role: str) -> Vector:
        return Vector(float(row[cosine]), float(row[sine]), label, role)

    arrows = [hand(encoding[here], "t", "ink"), hand(there, "t + k", "attention")]
    points = [hand(row, "", "ink") for row in encoding[:SHOWN:2]]
    told = f"Pair {pair} at position {here} and {steps} steps on."
    return plane(arrows, limit=1.5, points=points, name=f"{place} clock", sentence=told)
