"""What each head writes into the output, and the output without some of them."""

import numpy as np
import streamlit as st

from attention_core.equations.multi_head import head_writes
from attention_core.experiments.head_parts import sum_of_heads, switched_off, where_written, without_output_matrix
from attention_core.rows import row_distances, row_norms
from pages.charts.bars import stacked_bars
from pages.charts.chart import rung
from pages.charts.heatmap import Axes, heatmap
from pages.look import cards
from pages.look.html import number, quoted, typed
from pages.multi_head.looking import chosen_word
from pages.multi_head.questions import sum_question
from pages.multi_head.scenes import HeadScene
from pages.multi_head.views import off_buttons
from pages.page.page import Page

W_O = ("as it is", "W_O = 1, a reshape alone")
WRITTEN_AXES = Axes("written by", "columns of", "share")
MOST_COLUMNS = 16


def writing(page: Page, scene: HeadScene, labels: list[str], off: list[int]) -> None:
    """Show the output of one word as the sum of what the heads write, and let heads be switched off."""
    if not page.ask(sum_question(scene.writes, labels, page.variant("sum"))):
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shape = page.controls.choice("w_o", "W_O", W_O, W_O[0])
        row = chosen_word(page, "q", "Word · row", labels)
        start = 1
        if scene.x.shape[1] > MOST_COLUMNS:
            start = page.controls.whole("d", "From number", 1, 64, 1, width=130)
    start = min(start, max(1, scene.x.shape[1] - MOST_COLUMNS + 1)) - 1
    writes, output = scene.writes, scene.output
    if shape != W_O[0]:
        plain = page.recipe.run("reshaped", without_output_matrix, scene.heads)
        writes = page.recipe.run("writes_side_by_side", head_writes, scene.attention.output, plain.w_o)
        output = page.recipe.run("output_side_by_side", sum_of_heads, writes)
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        page.write(cards.chips(labels, row))
        off_buttons(page, scene.n_heads, off)
        kept = page.recipe.run("kept", switched_off, writes, off)
        after = page.recipe.run("output_after", sum_of_heads, kept)
        moves = page.recipe.run("moves", row_distances, output, after)
        size = page.recipe.run("size", row_norms, output)[row]
        names = " and ".join(f"head {head + 1}" for head in off)
        page.write(
            f"Without {names} the output of {typed(labels[row])} moves by <b>{number(moves[row])}</b>; its length was "
            f"{number(size)}."
            if off
            else f"All heads are on; the output of {typed(labels[row])} has length {number(size)}."
        )
        where = page.recipe.run("where", where_written, writes)
        heads = [f"{head + 1}" for head in range(scene.n_heads)]
        own = ", ".join(number(share) for share in where.diagonal())
        told = f"The share of what a head writes that lands in its own columns, head by head: {own}."
        page.show(
            heatmap(where, heads, heads, WRITTEN_AXES, name="where heads write", sentence=told, sums="rows", small=True)
        )
    with left:
        columns = slice(start, start + MOST_COLUMNS)
        values = kept[:, row, columns].T
        places = [str(place + 1) for place in range(scene.x.shape[1])[columns]]
        parts = [f"{head + 1}" for head in range(scene.n_heads)]
        far = float(np.abs(writes[:, row]).sum(axis=0).max())
        limit = max(2.0, rung(far)) if scene.steady else rung(far)
        sentence = (
            f"What each head writes into the output of {quoted(labels[row])}: to the right what it adds, to the left "
            "what it takes away. The mark is the sum."
        )
        bars = stacked_bars(
            places,
            parts,
            values,
            limit=limit,
            name="what heads write",
            sentence=sentence,
            title="written by head 1, 2, …",
            of="number",
            part="head",
        )
        page.show(bars, note=scene.origin)
