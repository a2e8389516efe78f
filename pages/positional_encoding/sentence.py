"""A sentence without positions and with them: shuffled, and told of positions in five ways."""

from html import escape

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.experiments.explain import explain_weight
from attention_core.experiments.one_head import LONGEST, HeadMatrices, random_head
from attention_core.experiments.perturb import moved
from attention_core.experiments.position_kinds import KINDS, SLOPE, placed_attention
from attention_core.rows import largest_difference, reorder, shuffled_order
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.charts.heatmap import Axes, attention_heatmap, heatmap
from pages.look import cards
from pages.look.colours import QUERY
from pages.look.html import number, typed
from pages.look.sentences import brightest_cell, largest_number, rows_that_moved
from pages.page.page import Page
from pages.positional_encoding.questions import MOVES, order_question, stay_question
from pages.positional_encoding.settings import Settings, settings

HEAD = 8  # the width of the head over the sentence
SERIES = 7  # of the orders into which the words are shuffled
OUTPUT_AXES = Axes("query", "dimension", "output", row_colour=QUERY)


def head_over(page: Page, words: list[str], scene: Settings, width: int = HEAD) -> tuple[Array, HeadMatrices]:
    """Return the vectors of the words and a random head over them."""
    page.recipe.given("words", words)
    x = page.recipe.run("x", word_vectors, words, scene.d_model, scene.seed)
    return x, page.recipe.run("head", random_head, scene.d_model, width, scene.seed)


def attended(page: Page, name: str, x: Array, head: HeadMatrices, scene: Settings, offset: int = 0) -> AttentionCache:
    """Return the head's attention over words whose positions are told as the scene says."""
    return page.recipe.run(name, placed_attention, x, head, scene.kind, scene.base, offset, scene.strength, scene.seed)


def chosen_cell(page: Page, labels: list[str]) -> tuple[int, int]:
    """Return the row and the column that are chosen."""
    with st.container(horizontal=True):
        row = page.controls.whole("q", "Query · row", 1, LONGEST, 3, width=150)
        column = page.controls.whole("k", "Key · column", 1, LONGEST, 2, width=150)
    return min(row, len(labels)) - 1, min(column, len(labels)) - 1


def order_stage(page: Page, words: list[str], scene: Settings) -> None:
    """Show the outputs before and after a shuffle, without positions and with them."""
    controls, run = page.controls, page.recipe.run
    x, head = head_over(page, words, scene)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        mix = controls.whole("shuffle", "Shuffle number", 1, 999, 1, width=150)
        row = controls.whole("q", "Query · row", 1, LONGEST, 3, width=150)
        told = controls.switch("told", "Tell the positions")
        beside = st.container(horizontal=True, width="content")
    order = run("order", shuffled_order, len(words), mix, SERIES)
    shuffled = run("shuffled", reorder, x, order)
    scene = settings(page, ("kind", "base", "strength"), scene, "kind", beside) if told else scene._replace(kind="none")
    before = attended(page, "before", x, head, scene)
    after = attended(page, "after", shuffled, head, scene)
    expected = run("expected", reorder, before.output, order)
    labels = position_labels(words)
    there = [labels[i] for i in order]
    changed = run("changed", moved, expected, after.output)
    columns = [str(j + 1) for j in range(HEAD)]
    row = min(row, len(labels)) - 1
    place = there.index(labels[row])
    ready = told or page.ask(order_question(expected, after.output, there, order, page.variant("order")))
    left, right = st.columns(2, gap="medium")
    with left:
        page.write("<b>Output</b>, the words as you typed them", "shape")
        sentence = largest_number(before.output, labels, columns, "Output")
        options = {"limit": 4.0, "chosen": (row, None), "clickable": True}
        chart = heatmap(before.output, labels, columns, OUTPUT_AXES, name="output", sentence=sentence, **options)
        page.show(chart, lambda i, j: controls.put(q=i + 1))
    if not ready:
        return
    with right:
        page.write("<b>Output</b>, the words shuffled", "shape")
        sentence = rows_that_moved(changed, "Against the same word’s row on the left")
        sentence += "; what moved is outlined." if changed.any() else "."
        options = {"limit": 4.0, "chosen": (place, None), "moved": changed if changed.any() else None}
        chart = heatmap(after.output, there, columns, OUTPUT_AXES, name="shuffled", sentence=sentence, **options)
        page.show(chart)
    gap = largest_difference(expected[place], after.output[place])
    page.write(
        f"The output of {typed(labels[row])} stands in row {row + 1} as typed and in row {place + 1} shuffled; its "
        f"numbers {'are the same' if gap < MOVES else f'differ by up to {number(gap, 3)}'}. "
        + ("" if told else "Now switch on <b>Tell the positions</b>, and try each way."),
        "note",
    )


def five_stage(page: Page, words: list[str], scene: Settings) -> None:
    """Show one sentence under five encodings and the same matrices, and what sliding it along changes."""
    controls = page.controls
    x, head = head_over(page, words, scene)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        offset = controls.slider("offset", "Slide the sentence on by", 0, 100, 0, 1, width=320)
    asked = offset or 5
    at_start = {kind: attended(page, f"{kind.lower()}_at_0", x, head, scene._replace(kind=kind)) for kind in KINDS}
    slid = {kind: attended(page, f"{kind.lower()}_slid", x, head, scene._replace(kind=kind), asked) for kind in KINDS}
    changes = {kind: largest_difference(at_start[kind].weights, slid[kind].weights) for kind in KINDS}
    if not page.ask(stay_question(changes, asked, len(words), page.variant("stay"))):
        return
    labels = position_labels(words)
    shown = slid if offset else at_start
    grid = st.grid(3, min_column_width=280, gap="medium")
    row, column = chosen_cell(page, labels)
    for kind in KINDS:
        with grid.cell():
            now, before = shown[kind].weights, at_start[kind].weights
            change = changes[kind] if offset else 0.0
            told = "stays put" if change < MOVES else f"moved by up to {number(change, 3)}"
            page.write(f"<b>{kind}</b>" + (f" · {told}" if offset else ""), "shape")
            where = np.abs(now - before) > MOVES
            sentence = f"{kind}: {brightest_cell(now, labels)}"
            page.show(
                attention_heatmap(
                    now,
                    labels,
                    name=kind,
                    sentence=sentence,
                    small=True,
                    sums="",
                    moved=where if where.any() else None,
                    chosen=(row, column),
                    clickable=True,
                ),
                lambda i, j: controls.put(q=i + 1, k=j + 1),
                quiet=True,
            )
    with grid.cell(), st.container(border=True):
        steps = explain_weight(shown["ALiBi"], row, column)
        page.write(five_card(shown, labels, row, column, steps.added, SLOPE * scene.strength))
    page.say(
        "**What to notice.** What a slide moves is outlined. RoPE and ALiBi tell distances and nothing else. "
        "Sinusoidal rows keep their products p · p, but W_Q and W_K, random here, mix the pairs. A learned table has "
        "another row for every position, and a last one.",
        "note",
    )


def five_card(
    shown: dict[str, AttentionCache], labels: list[str], row: int, column: int, penalty: float, slope: float
) -> str:
    """Return one weight under all five encodings."""
    title = f'<b class="query">{escape(labels[row])}</b> → <b class="key">{escape(labels[column])}</b>'
    lines = "".join(
        f"<tr><td>{kind}</td><td>{number(float(cache.scores[row, column]))}</td>"
        f"<td>{number(float(cache.weights[row, column]))}</td></tr>"
        for kind, cache in shown.items()
    )
    head = "<tr><th>encoding</th><th>scaled score</th><th>weight</th></tr>"
    note = f"ALiBi adds {number(penalty)} to its scaled score: {number(-slope, 3)} for each step between the two."
    return cards.card(title, f"<table>{head}{lines}</table>", f'<p class="soft">{note}</p>')
