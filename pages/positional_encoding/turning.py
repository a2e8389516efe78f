"""Pairs of numbers that turn: the waves and clocks of the table, and the queries and keys of RoPE."""

from html import escape

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.positions import shift_matrix, sinusoidal_positions, wavelengths
from attention_core.experiments.one_head import LONGEST
from attention_core.experiments.position_kinds import placed_attention, turned_score, turned_table
from attention_core.rows import largest_difference
from attention_core.text.word_vectors import position_labels
from pages.charts.chart import Chart
from pages.charts.heatmap import Axes, heatmap
from pages.charts.stacked_waves import waves
from pages.charts.vector_plane import Vector, plane, reach
from pages.look import cards
from pages.look.html import number, tiny
from pages.page.page import Page
from pages.positional_encoding.questions import MOVES, same_score_question, wavelength_question
from pages.positional_encoding.sentence import head_over
from pages.positional_encoding.settings import Settings

MATRIX_AXES = Axes("from", "to", "m")
LANES = 6
CLOCKS = ("first", "second", "third")
SHOWN = 48  # positions of a clock
ROPE_HEAD = 6  # three pairs: three clocks


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
        f"the last after {number(long[-1], 1)}; {finished} pairs do within these {scene.length} positions."
    )
    page.show(waves(np.arange(scene.length), encoding[:, 2 * pairs], lanes, name="waves", sentence=sentence))


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
    gap = largest_difference(there[here], encoding[goal]) if goal >= 0 else None
    long = wavelengths(scene.d_model, scene.base)
    pairs = (0, max(1, len(long) // 8), max(2, len(long) // 4))
    grid = st.grid(3, min_column_width=240, gap="medium")
    for place, pair in zip(CLOCKS, pairs, strict=True):
        with grid.cell():
            page.write(f"<b>pair {pair}</b> · once round in {number(long[pair], 1)} positions", "shape")
            page.show(clock(encoding, there[here], here, steps, pair, place), quiet=True)
    told = f"Every pair of row {here}, turned by k times its own angle, "
    told += f"gives row {goal} to within {tiny(gap)}." if gap else f"gives row {goal} exactly."
    if goal < 0:
        told = f"There is no position {number(goal, 0)}, and yet the matrix knows where it would be."
    page.write(told + " The turn depends on k alone: drag t, and M(k) below stays as it is.", "note")
    shown = min(8, scene.d_model)
    names = [str(i + 1) for i in range(shown)]
    sentence = f"The first {shown} rows and columns of M({number(steps, 0)}): a turn for each pair, zeros elsewhere."
    left, right = st.columns([1, 1], gap="medium")
    with left:
        part = matrix[:shown, :shown]
        page.show(heatmap(part, names, names, MATRIX_AXES, name="shift", sentence=sentence, limit=1.0, small=True))
    with right:
        page.say(
            "**What to notice.** One matrix M(k) takes the row of *any* position to the row k further on: "
            "PE[t] · M(k) = PE[t + k]. A matrix W_Q or W_K can therefore learn “three words back” once, for the "
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
    told = f"Pair {pair} at position {here} and {abs(steps)} steps {'back' if steps < 0 else 'on'}."
    return plane(arrows, limit=1.5, points=points, name=f"{place} clock", sentence=told, small=True)


def rope_stage(page: Page, words: list[str], scene: Settings) -> None:
    """Turn a query and a key by their positions, pair by pair, and see on what their score depends."""
    controls, run = page.controls, page.recipe.run
    x, head = head_over(page, words, scene, ROPE_HEAD)
    plain = run("plain", placed_attention, x, head, "none")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asks = min(controls.whole("asks", "Query word", 1, LONGEST, 2, width=115), len(words)) - 1
        answers = min(controls.whole("answers", "Key word", 1, LONGEST, 3, width=115), len(words)) - 1
        q_at = controls.slider("q_at", "Query’s position", 0, 30, 2, 1, width=150)
        k_at = controls.slider("k_at", "Key’s position", 0, 30, 5, 1, width=150)
        slide = controls.slider("slide", "Slide both on by", 0, 100, 0, 1, width=150)
    q, k, v = (rows[i] for rows, i in ((plain.q, asks), (plain.k, answers), (plain.v, answers)))
    if not page.ask(same_score_question(q, k, (q_at, k_at), scene.base, page.variant("same_score"))):
        return
    q, k, v = page.recipe.given("q", q), page.recipe.given("k", k), page.recipe.given("v", v)
    here = run("here", turned_score, q, k, q_at, k_at, scene.base)
    there = run("there", turned_score, q, k, q_at + slide, k_at + slide, scene.base)
    labels = position_labels(words)
    limit = reach(*(rows.reshape(-1, 2) for rows in (q, k, v)))
    grid = st.grid(3, min_column_width=240, gap="medium")
    for pair, (name, share) in enumerate(zip(("first", "second", "third"), there.by_pair, strict=True)):
        with grid.cell():
            page.write(f"<b>pair {pair}</b> · adds {number(share)} to q · k", "shape")
            page.show(turned_plane(there.q_turned, there.k_turned, q, k, v, pair, limit, f"{name} pair"), quiet=True)
    left, right = st.columns([1, 1], gap="medium")
    with left, st.container(border=True):
        parts = [(f"pair {pair}", "", float(share)) for pair, share in enumerate(there.by_pair)]
        whole = ("sum", "q · k", float(there.by_pair.sum()))
        title = (
            f'<b class="query">{escape(labels[asks])}</b> at {q_at + slide} → <b class="key">{escape(labels[answers])}'
        )
        title += f"</b> at {k_at + slide}"
        page.write(cards.card(title, cards.chain(*parts, whole, ("scaled score", f"÷ √{ROPE_HEAD}", there.score))))
    with right:
        gap = abs(there.score - here.score)
        again = "the same to the last digits" if gap < MOVES else f"off by {number(gap, 4)}"
        slid = f"slid on by {slide} it is {number(there.score, 4)}, {again}." if slide else "slide both on."
        page.say(
            f"At {q_at} and {k_at} the scaled score is {number(here.score, 4)}; {slid} "
            "Then drag one of the two alone.\n\n"
            "Points are where q and k pointed before the turn. :value[**v**] is not turned: what a word hands over "
            "does not depend on where it stands.",
            "",
        )


def turned_plane(
    q_turned: Array, k_turned: Array, q: Array, k: Array, v: Array, pair: int, limit: float, name: str
) -> Chart:
    """Return one pair of a query, a key and a value: arrows after the turn, points before it."""

    def hand(vector: Array, label: str, role: str) -> Vector:
        return Vector(float(vector[2 * pair]), float(vector[2 * pair + 1]), label, role)

    arrows = [hand(q_turned, "q", "query"), hand(k_turned, "k", "key"), hand(v, "v", "value")]
    points = [hand(q, "", "query"), hand(k, "", "key")]
    told = f"Pair {pair} of q, k and v."
    return plane(arrows, limit=limit, points=points, name=name, sentence=told, small=True)
