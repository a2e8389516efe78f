"""The similarity of two positions: every row times every other, and the same against the distance."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.positions import frequencies
from attention_core.experiments.english_heads import CONFIG, trained_positions
from attention_core.experiments.position_kinds import SLOPE, explain_similarity, numbers_of_kind, similarity_table
from attention_core.experiments.position_similarity import ByDistance, by_distance, cosine_matrix, diagonal_spread
from attention_core.rows import row_norms
from pages.charts.chart import Chart, rung
from pages.charts.lines import line_chart
from pages.look import cards, thumbnails
from pages.look.html import in_role, number, prose
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.page.steps import Step
from pages.positional_encoding.common import (
    PAIR_AXES,
    ROUNDING,
    SMALL,
    SMALL_BASE,
    choose_table,
    is_picture,
    numbers_map,
)
from pages.positional_encoding.scene import TURNED, Scene

STEP = Step(
    "p · p",
    "Near positions are alike",
    "Multiply the rows of two positions and you learn how far apart they are, not where they stand: each diagonal "
    "holds one number. Then try the other ways of telling positions, most of all “learned”.",
)

OTHER = {"random": "trained", "trained": "random"}
ALIKE = {
    "learned": "Cosines, because learned rows differ in length. Before training no position is near any other; in the "
    "trained model of lesson 1 neighbours have become alike, which nobody told it.",
    "RoPE": "One vector, turned to each two positions: the very numbers of the sinusoidal table.",
    "ALiBi": "What is added to the scores: the distance, and nothing else.",
    "none": "Nothing tells one position from another.",
}


def draw(page: Page, scene: Scene) -> bool:
    """Show every position times every other, and the same against the distance."""
    run, whose = page.recipe.run, choose_table(page, scene)
    numbers = (scene.kind, scene.length, scene.d_model, scene.base, scene.seed)
    beside: dict[str, Array] = {}
    if scene.kind == "learned":
        drawn = run("drawn", numbers_of_kind, *numbers)
        trained = run("trained", trained_positions, min(scene.length, CONFIG.max_len))
        table, other = (trained, drawn) if whose == "trained" else (drawn, trained)
        alike, limit = run("alike", cosine_matrix, table), 1.0
        beside[f"learned, {OTHER[whose]}"] = run("beside", by_distance, run("other_alike", cosine_matrix, other)).mean
    else:
        table = run("encoding", numbers_of_kind, *numbers)
        if scene.kind == "sinusoidal" and not page.ask(own_product_question(table, page.variant("own_product"))):
            return False
        alike = run("alike", similarity_table, *numbers)
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
        told = f"Position 0 with itself: {number(alike[0, 0])}; with position 1: {number(alike[0, 1])}."
        columns = [str(j) for j in range(len(alike))]
        chart = numbers_map(alike, columns, PAIR_AXES, limit, "alike", (first, second), told)
        picked = None if is_picture(chart) else lambda i, j: page.controls.put(first=i, second=j)
        page.show(chart, picked, note=ALIKE.get(scene.kind, ""))
    with right:
        page.show(distance_chart(along, scene, whose, beside, limit, spread))
    return True


def thumbnail(scene: Scene) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(similarity_table("sinusoidal", SMALL, SMALL, SMALL_BASE), SMALL / 2)


def alike_card(table: Array, alike: Array, scene: Scene, first: int, second: int) -> Markup:
    """Return where the similarity of two positions comes from."""
    value, distance = float(alike[first, second]), abs(first - second)
    one, other = in_role(str(first), "query"), in_role(str(second), "key")
    if scene.kind == "learned":
        terms, long = explain_similarity(table, first, second), row_norms(table)
        told = f"product {number(terms.total, 4)}, row_norms {number(long[first], 4)} and {number(long[second], 4)}"
        title = Markup("cosine of {} and {}").format(one, other)
        chain = cards.chain(("cosine", "product ÷ both row_norms", value))
        return cards.card(title, Markup("<p>{}</p>").format(told), chain)
    title = Markup("{} · {} = {}").format(one, other, number(value, 3))
    if scene.kind not in TURNED:
        return cards.card(title, cards.chain(("distance", "in positions", distance), ("number", "", value)))
    turns = np.cos(distance * frequencies(scene.d_model, scene.base))
    shown = dict.fromkeys([0, 1, 2, len(turns) - 1])
    lines = [(f"pair {i}", f"cos of {distance} · its angle", float(turns[i])) for i in shown]
    total = ("sum", f"over all {len(turns)} pairs, at distance {distance}", value)
    return cards.card(title, cards.chain(*lines, total))


def distance_chart(
    along: ByDistance, scene: Scene, whose: str, beside: dict[str, Array], limit: float, spread: float
) -> Chart:
    """Return the similarity against the distance, with a band from the least to the most at each distance."""
    kind = f"learned, {whose}" if scene.kind == "learned" else scene.kind
    sentence = f"At one distance the numbers differ by up to {number(spread, 4)}."
    if spread < ROUNDING:
        sentence = "At one distance all numbers are the same: it does not matter where the two stand, "
        sentence += "only how far apart they are."
    return line_chart(
        along.distance,
        {kind: along.mean, **{name: resize(other, len(along.mean)) for name, other in beside.items()}},
        band={kind: (along.low, along.high)},
        x_title="distance in positions",
        y_title="likeness",
        x_domain=(0.0, float(max(len(along.mean) - 1, 1))),
        y_domain=(-limit, 0.0 if scene.kind == "ALiBi" else limit),
        name="likeness by distance",
        sentence=sentence,
        number="",
    )


def resize(line: Array, length: int) -> Array:
    """Return a line cut to a length, or filled up with NaN."""
    full = np.full(length, np.nan)
    full[: len(line)] = line[:length]
    return full


def own_product_question(table: Array, variant: int) -> Number:
    """Ask for the product of a row of waves with itself."""
    place = int(np.random.default_rng([variant, 33]).integers(len(table)))
    width = table.shape[1]
    right = float(table[place] @ table[place])
    hint = f"Its {width} numbers are {width // 2} pairs, each the sine and the cosine of one angle."
    why = f"sin² + cos² = 1 for each of {width // 2} pairs: {number(right)}, at every position."
    mistakes = (
        Mistake(float(width), "That would be 1 for each column; it is 1 for each pair of columns."),
        Mistake(1.0, "That is what a single pair gives."),
        Mistake(0.0, "A product of a row with itself is a sum of squares: it is 0 for a row of zeros alone."),
        Mistake(float(row_norms(table)[place]), "That is the length of the row; the product is its square."),
    )
    text = prose(f"What is the dot product of row {place} with itself? {hint}")
    return Number("own_product", text, right, max(0.05, 0.01 * right), why, mistakes, "")
