"""The similarity of two positions: the dot product of every two rows, and the same against the distance."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.positions import frequencies
from attention_core.experiments.multi_head.english_heads import CONFIG, trained_positions
from attention_core.experiments.positions.position_kinds import (
    SLOPE,
    explain_similarity,
    numbers_of_kind,
    similarity_table,
)
from attention_core.experiments.positions.position_similarity import (
    ByDistance,
    by_distance,
    cosine_matrix,
    diagonal_spread,
)
from attention_core.rows import row_norms
from pages.charts.chart import Chart, rung
from pages.charts.lines import line_chart
from pages.look import cards
from pages.look.html import in_role, number, prose
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.page.steps import Step
from pages.positional_encoding.common import (
    PAIR_AXES,
    ROUNDING,
    added_up,
    choose_table,
    is_picture,
    numbers_map,
    show_asked,
)
from pages.positional_encoding.scene import ROTATED, Scene

STEP = Step(
    "p · p",
    "Sinusoids make nearby positions similar",
    "Multiply each position vector with each other one. The dot product tells how similar two positions are.",
    asks="How similar are two positions?",
    then="With sinusoids it depends only on the distance, so each diagonal holds one number. It is largest at distance "
    "0. With few columns and a large base, some distant positions are similar too. Compare other encodings, above all "
    "“learned”.",
    words="alike_kind alike_whose first second",
)

OTHER = {"random": "trained", "trained": "random"}
NOTES = {
    "learned": "These are cosines, because learned vectors differ in length. Random vectors show no pattern. In Toy "
    "English, training made neighbours similar.",
    "RoPE": "One vector, rotated to both positions. These are the numbers of the sinusoidal table.",
    "ALiBi": f"ALiBi subtracts {SLOPE} from the score for each position of distance between query and key.",
    "none": "Without an encoding, no position differs from another.",
}
SIMILARITY = {"learned": "cosine", "ALiBi": "added to the score"}  # of the others: a dot product


def draw(page: Page, scene: Scene) -> bool:
    """Show every position times every other, and the same against the distance."""
    run, whose = page.recipe.run, choose_table(page, scene, "alike_whose")
    numbers = (scene.kind, scene.length, scene.d_model, scene.base, scene.seed)
    beside: dict[str, Array] = {}
    if scene.kind == "learned":
        random = run("random", numbers_of_kind, *numbers)
        trained = run("trained", trained_positions, min(scene.length, CONFIG.max_len))
        table, other = (trained, random) if whose == "trained" else (random, trained)
        alike, limit = run("similarity", cosine_matrix, table), 1.0
        beside[f"learned, {OTHER[whose]}"] = run(
            "beside", by_distance, run("other_similarity", cosine_matrix, other)
        ).mean
    else:
        table = run("encoding", numbers_of_kind, *numbers)
        if scene.kind == "sinusoidal":
            variant = page.variant("own_product")
            question = product_question(table, variant)
            row, column = question.place or (0, 0)
            if not page.ask(question, then=lambda: show_asked(page, variant, first=row, second=column)):
                return False
        alike = run("similarity", similarity_table, *numbers)
        limit = {"none": 1.0, "ALiBi": rung(SLOPE * scene.length)}.get(scene.kind, rung(scene.d_model / 2))
    along, spread = run("along", by_distance, alike), run("spread", diagonal_spread, alike)
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        card = st.container(border=True)
        with st.container(horizontal=True):
            first = page.controls.integer("first", "Position · row", 0, 255, 0, width=150)
            second = page.controls.integer("second", "Position · column", 0, 255, 1, width=150)
    first, second = (min(position, len(alike) - 1) for position in (first, second))
    page.prints(f"similarity of positions {first} and {second}", alike, first, second)
    with card:
        page.write(similarity_card(table, alike, scene, first, second))
    with left:
        told = f"Position 0 with itself: {number(alike[0, 0])}. Positions 0 and 1: {number(alike[0, 1])}."
        axes = PAIR_AXES._replace(value=SIMILARITY.get(scene.kind, PAIR_AXES.value))
        columns = [str(j) for j in range(len(alike))]
        chart = numbers_map(alike, columns, axes, limit, "similarity", (first, second), told)
        picked = None if is_picture(chart) else lambda i, j: page.controls.put(first=i, second=j)
        page.show(chart, picked, note=NOTES.get(scene.kind, ""))
    with right:
        page.show(distance_chart(along, scene, whose, beside, limit, spread))
    return True


def similarity_card(table: Array, alike: Array, scene: Scene, first: int, second: int) -> Markup:
    """Return where the similarity of two positions comes from."""
    value, distance = float(alike[first, second]), abs(first - second)
    one, other = in_role(str(first), "query"), in_role(str(second), "key")
    if scene.kind == "learned":
        terms, long = explain_similarity(table, first, second), row_norms(table)
        title = Markup("cosine of {} and {}").format(one, other)
        lengths = [(f"length (norm) of {position}", "", number(long[position], 4)) for position in (first, second)]
        above = cards.listed([("dot product", "", number(terms.total, 4)), *lengths])
        return cards.card(title, above + cards.chain(("cosine", "dot product ÷ both lengths", value)))
    if scene.kind not in ROTATED:
        above = cards.listed([("distance", "in positions", number(distance, 0))])
        result = cards.chain((SIMILARITY.get(scene.kind, PAIR_AXES.value), "", value))
        return cards.card(Markup("{} and {}").format(one, other), above + result)
    title = Markup("{} · {} = {}").format(one, other, number(value, 3))
    turns = np.cos(distance * frequencies(scene.d_model, scene.base))
    shown = dict.fromkeys([0, 1, 2, len(turns) - 1])
    lines = [(f"pair {i}", f"cos of {distance} · its angle", float(turns[i])) for i in shown]
    total = ("sum", f"over all {len(turns)} pairs, at distance {distance}", value)
    return cards.card(title, added_up(lines, total))


def distance_chart(
    along: ByDistance, scene: Scene, whose: str, beside: dict[str, Array], limit: float, spread: float
) -> Chart:
    """Return the similarity against the distance, with a band from the least to the most at each distance."""
    kind = f"learned, {whose}" if scene.kind == "learned" else scene.kind
    sentence = f"At one distance the numbers differ by up to {number(spread, 4)}."
    if spread < ROUNDING:
        sentence = "At each distance all numbers are equal."
    return line_chart(
        along.distance,
        {kind: along.mean, **{name: resize(other, len(along.mean)) for name, other in beside.items()}},
        band={kind: (along.low, along.high)},
        x_title="distance in positions",
        y_title=SIMILARITY.get(scene.kind, PAIR_AXES.value),
        y_domain=(-limit, 0.0 if scene.kind == "ALiBi" else limit),
        name="similarity by distance",
        sentence=sentence,
        number="",
    )


def resize(line: Array, length: int) -> Array:
    """Return a line cut to a length, or filled up with NaN."""
    full = np.full(length, np.nan)
    full[: len(line)] = line[:length]
    return full


def product_question(table: Array, variant: int) -> Number:
    """Ask for the product of a row of waves with itself, or with the row so far away that another product is told."""
    rng = np.random.default_rng([variant, 33])
    width = table.shape[1]
    n_pairs = width // 2
    if variant % 2:
        apart = int(rng.integers(1, min(4, len(table) - 2) + 1))
        here, there = (int(start) for start in rng.choice(len(table) - apart, 2, replace=False))
        place, told = (here, here + apart), float(table[there] @ table[there + apart])
        text = prose(
            f"The dot product of the vectors of positions {there} and {there + apart} is {number(told)}. What is the "
            f"dot product for positions {here} and {here + apart}?"
        )
        why = f"Both pairs are {apart} apart, and the product depends only on the distance."
        otherwise = "Compare the distances in both pairs of positions."
    else:
        place = (int(rng.integers(len(table))),) * 2
        text = prose(
            f"The {width} numbers of a position vector are {n_pairs} pairs, each the sine and the cosine of one angle. "
            f"What is the dot product of the vector of position {place[0]} with itself?"
        )
        why = f"Each pair gives sin² + cos² = 1, and {n_pairs} pairs give {n_pairs}, at every position."
        otherwise = "Multiply each number with itself, and add up within each pair first."
    right, length = float(table[place[0]] @ table[place[1]]), float(row_norms(table)[place[0]])
    perpendicular = Mistake(
        0.0, "You thought that the vectors are perpendicular. Add up the products of their numbers."
    )
    mistakes: tuple[Mistake, ...] = (
        Mistake(float(width), f"You counted 1 for each of {width} columns. Count 1 for each pair of columns."),
        Mistake(1.0, f"You counted one pair. Add up all {n_pairs} pairs."),
        perpendicular,
        Mistake(length, f"You gave the length (norm). A vector times itself gives its square, {number(length, 4)}²."),
    )
    if variant % 2:
        itself = "That is the product of a position with itself. These two positions differ."
        mistakes = (perpendicular, Mistake(float(n_pairs), itself))
    return Number("own_product", text, right, max(0.05, 0.01 * right), why, mistakes, otherwise, place=place)
