"""How alike two positions are: every row times every other, and the same against the distance."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.positions import frequencies
from attention_core.experiments.english_heads import CONFIG, trained_positions
from attention_core.experiments.position_kinds import SLOPE, likeness_of, likeness_table, numbers_of_kind
from attention_core.experiments.position_similarity import ByDistance, by_distance, cosines, diagonal_spread
from attention_core.rows import row_norms
from pages.charts.chart import Chart, rung
from pages.charts.lines import line_chart
from pages.look import cards
from pages.look.html import number
from pages.page.page import Page
from pages.positional_encoding.questions import own_product_question
from pages.positional_encoding.settings import Settings
from pages.positional_encoding.table import PAIR_AXES, choose_table, is_picture, numbers_map

OTHER = {"random": "trained", "trained": "random"}
ALIKE = {
    "learned": "Cosines, because learned rows differ in length. Before training no position is near any other; in the "
    "trained model of lesson 1 neighbours have become alike, which nobody told it.",
    "RoPE": "One vector, turned to each two positions: the very numbers of the sinusoidal table.",
    "ALiBi": "What is added to the scores: the distance, and nothing else.",
    "none": "Nothing tells one position from another.",
}


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
        told = f"Position 0 with itself: {number(alike[0, 0])}; with position 1: {number(alike[0, 1])}."
        chart = numbers_map(alike, PAIR_AXES, limit, "alike", (first, second), told)
        picked = None if is_picture(chart) else lambda i, j: page.controls.put(first=i, second=j)
        page.show(chart, picked, note=ALIKE.get(scene.kind, ""))
    with right:
        page.show(distance_chart(along, scene, whose, beside, limit, spread))


def alike_card(table: Array, alike: Array, scene: Settings, first: int, second: int) -> str:
    """Return where the likeness of two positions comes from."""
    value, distance = float(alike[first, second]), abs(first - second)
    title = f'<b class="query">{first}</b> · <b class="key">{second}</b> = {number(value, 3)}'
    if scene.kind == "learned":
        terms, long = likeness_of(table, first, second), row_norms(table)
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
        sentence = "At one distance all numbers are the same: it does not matter where the two stand, "
        sentence += "only how far apart they are."
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
