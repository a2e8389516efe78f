"""The similarity of two positions: the dot product of every two rows, and the same against the distance."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.positions import frequencies, sinusoidal_positions
from attention_core.experiments.multi_head.english_heads import CONFIG, trained_positions
from attention_core.experiments.positions.position_kinds import table_before_training
from attention_core.experiments.positions.position_similarity import by_distance, cosine_matrix, gram_matrix
from attention_core.experiments.qkv.explain import product_terms
from attention_core.rows import row_norms
from attention_core.text.word_vectors import SUBSCRIPTS
from pages.charts.chart import rung
from pages.charts.heatmap import CLICK, SMALL, heatmap, outline, scale
from pages.charts.lines import line_chart
from pages.charts.matrix_image import matrix_picture
from pages.look import cards
from pages.look.facts import several
from pages.look.html import in_role, number, prose
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.common import PAIR_AXES, show_asked
from pages.positional_encoding.scene import PositionScene
from pages.questions.kinds import Mistake, Number

STEP = Step(
    "p · p",
    "With sinusoids, similarity depends only on the distance",
    "Multiply each position vector with each other one. The dot product tells how similar two positions are.",
    asks="How similar are two positions?",
    then="With sinusoids, each diagonal holds one number. Compare learned vectors.",
    experiment="alike_kind first second",
)

BY_DISTANCE = "Both pairs are {} apart, and the product depends only on the distance."
CELLS = 1600  # a larger table is drawn as an image, without cells to click
WAVES, RANDOM, TRAINED = VECTORS = ("sinusoidal", "learned, untrained", "learned, trained")
NOTES = {
    RANDOM: "These are cosines, because learned vectors differ in length. Random vectors show no pattern.",
    TRAINED: f"These are cosines. Toy English has {CONFIG.max_len} positions. Training made neighbours similar.",
}


def draw(page: Page, scene: PositionScene) -> bool:
    """Show every position times every other, and the same against the distance."""
    run, controls = page.recipe.run, page.controls
    with page.fields:
        kind = controls.choice("alike_kind", "Position vectors", VECTORS, WAVES)
    if kind == WAVES:
        vectors = run("vectors", sinusoidal_positions, scene.length, scene.d_model, scene.base)
        variant = page.variant("own_product")
        question = page.question("own_product", partial(product_question, vectors))
        row, column = (question and question.place) or (0, 0)
        if not page.ask(question, then=lambda: show_asked(page, variant, first=row, second=column)):
            return False
        alike, limit, what = run("similarity", gram_matrix, vectors), rung(scene.d_model / 2), PAIR_AXES.value
    else:
        if kind == TRAINED:
            controls.leave_out("base", "d_model")
            vectors = run("vectors", trained_positions, min(scene.length, CONFIG.max_len))
        else:
            controls.leave_out("base")
            vectors = run("vectors", table_before_training, scene.length, scene.d_model, scene.seed)
        alike, limit, what = run("similarity", cosine_matrix, vectors), 1.0, "cosine"
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        card = st.container(border=True)
        with st.container(horizontal=True):
            first = controls.integer("first", "Position · row", 0, 255, 0, width=150)
            second = controls.integer("second", "Position · column", 0, 255, 1, width=150)
    first, second = (min(position, len(alike) - 1) for position in (first, second))
    page.prints(f"similarity of positions {first} and {second}", alike, first, second)
    with card:
        page.write(similarity_card(vectors, alike, scene, kind, (first, second)))
    with left:
        told = "How similar every two positions are."
        names, axes = [str(position) for position in range(len(alike))], PAIR_AXES._replace(value=what)
        if alike.size > CELLS:
            chart, choose = matrix_picture(alike, axes, limit=limit, name="similarity", sentence=told, height=480), None
        else:
            layers = scale(limit), SMALL, outline(first, second), CLICK
            chart = heatmap(alike, names, names, axes, *layers, name="similarity", sentence=told)
            choose = lambda i, j: controls.put(first=i, second=j)  # noqa: E731
        page.show(chart, choose, note=NOTES.get(kind, ""), quiet=True)
    along = run("along", by_distance, alike)
    line = line_chart(
        along.distance,
        {kind: along.mean},
        band={kind: (along.low, along.high)},
        x_title="distance in positions",
        y_title=what,
        y_domain=(-limit, limit),
        name="similarity by distance",
        sentence="The band has all numbers at one distance.",
        number="",
    )
    with right:
        page.show(line)
    return True


def similarity_card(vectors: Array, alike: Array, scene: PositionScene, kind: str, cell: tuple[int, int]) -> Markup:
    value, distance = float(alike[cell]), abs(cell[0] - cell[1])
    names = (f"p{place}".translate(SUBSCRIPTS) for place in cell)
    one, other = map(in_role, names, ("query", "key"))
    if kind != WAVES:
        terms, long = product_terms(*vectors[list(cell)]), row_norms(vectors)
        lengths = [(f"length (norm) of {position}", "", number(long[position], 4)) for position in cell]
        above = cards.listed([("dot product", "", number(terms.total, 4)), *lengths])
        result = cards.chain(("cosine", "dot product ÷ both lengths", value))
        return cards.card(Markup("cosine of {} and {}").format(one, other), above + result)
    turns = np.cos(distance * frequencies(scene.d_model, scene.base))
    last = len(turns) - 1
    lines = [(f"pair {i}", f"cos of {distance} · its angle", number(turns[i], 4)) for i in (0, 1, 2, last)]
    between = [("…", "", "")] * (last > 3)
    total = cards.chain(("sum", f"over all {len(turns)} pairs, at distance {distance}", value))
    title = Markup("{} · {} = {}").format(one, other, number(value, 3))
    return cards.card(title, cards.listed([*lines[:3], *between, lines[3]]) + total)


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
        why = BY_DISTANCE.format(several(apart, "position"))
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
