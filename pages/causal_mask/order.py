"""The rows of attention weights one by one, in any order."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.masks.dependence import rows_one_by_one
from attention_core.rows import largest_difference, shuffled_order
from pages.causal_mask.common import masked_map, words_for
from pages.causal_mask.scene import LETTERS, Masked, positions_of, rows_of
from pages.charts.chart import Chart
from pages.charts.heatmap import CLICK, attention_heatmap, hide, outline, write
from pages.look import cards
from pages.look.html import prose, table, tiny, typed
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step

STEP = Step(
    "rows",
    "Rows can be computed in any order",
    "The map looks as if a model reads it from top to bottom, a row for each word.",
    asks="Must rows be computed in order?",
    then="But no row needs another row, so a model can train on all positions in parallel. Click rows in any order and "
    "compare them with all rows at once.",
    experiment="rows",
)


def draw(page: Page, scene: Masked) -> bool:
    """Compute the rows one by one, in any order, and compare them with all at once."""
    controls, run = page.controls, page.recipe.run
    rows = rows_of(controls)
    question = first_question(scene, page.variant("first"))
    asked_row = question.place[0] if question.place else 0

    def draw_all() -> None:
        page.head("All rows at once")
        page.show(masked_map(scene, asked_row, None, clickable=False), note=scene.origin)

    if not page.ask(question, draw_all, lambda: controls.put(q=scene.labels[asked_row], rows=LETTERS[asked_row])):
        return False
    asked = positions_of(rows, len(scene.words))
    computed = run("one_by_one", rows_one_by_one, scene.x, scene.head, scene.mask, asked)
    gap = run("gap", largest_difference, computed, scene.masked.weights, asked)
    fixed = "rows" in controls.locked
    everything = LETTERS[: len(scene.words)]
    mixed = "".join(everything[i] for i in shuffled_order(len(everything), scene.seed))
    with st.container(horizontal=True):
        for label, key, value in (
            ("Compute first to last", "forward", everything),
            ("Compute last to first", "backward", everything[::-1]),
            ("Compute in random order", "mixed", mixed),
            ("Clear", "none", "-"),
        ):
            put_button(page, label, {"rows": value}, key, disabled=fixed)
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        card = st.container(border=True)
        row = controls.pick("q", "Query · row", scene.labels, 2)
        page.prints(f"weight of {scene.labels[row]} on {scene.labels[0]}", scene.masked.weights, row, 0)
        more = {"rows": rows.strip("-") + LETTERS[row]}
        put_button(page, "Compute this row", more, "compute", disabled=fixed or row in asked)

    def compute(i: int, j: int) -> None:
        more = {} if i in asked else {"rows": rows.strip("-") + LETTERS[i]}
        controls.put(q=scene.labels[i], **more)

    with left:
        page.show(rows_map(scene, asked, computed, row), compute, note=scene.origin)
    with card:
        gaps = [largest_difference(computed[i : i + 1], scene.masked.weights, [at]) for i, at in enumerate(asked)]
        lines = [
            (str(turn), typed(scene.labels[at]), tiny(apart))
            for turn, (at, apart) in enumerate(zip(asked, gaps, strict=True), start=1)
        ]
        told = Markup("Largest difference: <b>{}</b>.").format(tiny(gap)) if asked else "No row is computed yet."
        rows_table = table(("turn", "row", "difference from all at once"), lines, left=2)
        below = Markup('<p style="margin-top:10px">{}</p>').format(told)
        page.write(cards.card("Rows in the order computed", rows_table, below))
    return True


def rows_map(scene: Masked, asked: list[int], rows: Array, row: int) -> Chart:
    """Return the attention weights of those rows that were computed."""
    weights = np.zeros_like(scene.masked.weights)
    weights[asked] = rows
    waiting = np.ones(weights.shape, dtype=bool)
    waiting[asked] = False
    hidden = scene.blocked | waiting
    texts = words_for(hidden, weights)
    texts[hidden] = ""
    texts[waiting] = "?"
    layers = outline(row), hide(hidden), write(texts), CLICK
    sentence = f"{len(asked)} of {len(weights)} rows are computed, each by itself."
    return attention_heatmap(weights, scene.labels, *layers, name="rows computed", sentence=sentence)


def first_question(scene: Masked, variant: int) -> Choice:
    """Ask which rows must be there before another can be computed."""
    length = len(scene.words)
    row = length - 1 - variant % max(1, length // 2)
    alone = rows_one_by_one(scene.x, scene.head, scene.mask, [row])
    gap = largest_difference(alone, scene.masked.weights, [row])
    text = prose(
        f"You need row {row + 1} of {length}, the attention weights of {{word}}. Which other rows must be computed "
        "first?",
        word=scene.labels[row],
    )
    options = ("The row above it", "All rows above it", "None")
    why = Markup(
        "A row needs its own query and the keys. Both come from X, not from other rows. If this row is computed "
        "by itself, it differs from the row of the whole map by {}."
    ).format(tiny(gap))
    reason = "You read the map from top to bottom. But a mask only says which keys a row may use."
    return Choice("first", text, options, (2,), why, (reason, reason, ""), place=(row, 0))
