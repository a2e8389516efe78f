"""Heads taken apart: how they are split, what they read, what they write, and what is missed of them."""

import inspect
from html import escape

import numpy as np
import streamlit as st

from attention_core.derivation import product_terms
from attention_core.head_sets import attend_heads, head_of
from attention_core.heads import merge_heads, split_heads
from attention_core.heads_apart import (
    how_far,
    key_removed,
    lengths,
    most_idle,
    sliced_heads,
    sum_of_heads,
    switched_off,
    three_ways,
    where_written,
    without_output_matrix,
)
from attention_core.measures import contributions, removal_effects
from attention_core.multi_head import head_writes, multi_head_attention, multi_head_by_einsum, multi_head_by_loop
from attention_core.what_if import moved, one_number_changed
from pages.multi_head.looking import blocked, chosen_cell, chosen_word
from pages.multi_head.questions import missed_question, reads_question, split_question, sum_question
from pages.multi_head.scenes import HeadScene
from pages.multi_head.views import head_buttons, off_buttons, query_card, table, trace
from pages.shared import cards
from pages.shared.charts.bars import stacked_bars
from pages.shared.charts.chart import rung
from pages.shared.charts.heatmap import ATTENTION_AXES, Axes, heatmap
from pages.shared.charts.picture import matrix_picture
from pages.shared.colours import KEY, QUERY
from pages.shared.frame import Page
from pages.shared.heads import put_button
from pages.shared.markup import number, quoted, typed

WAYS = {
    "a loop over heads": multi_head_by_loop,
    "a reshape": multi_head_attention,
    "einsum": multi_head_by_einsum,
}
READS = ("the whole vector", "only its slice")
W_O = ("as it is", "W_O = 1, a reshape alone")
MATRIX_AXES = Axes("number of x", "number of q", "w")
QUERY_AXES = Axes("word", "number of q", "q", row_colour=QUERY)
WRITTEN_AXES = Axes("written by", "columns of", "share")
MOST_COLUMNS = 16


def split(page: Page, scene: HeadScene) -> None:
    """Trace the shapes, and compute the same output in three ways."""
    length, d_model = scene.x.shape
    if not page.ask(split_question(length, d_model, scene.n_heads, page.variant("split"))):
        return
    projected = page.recipe.run("projected", merge_heads, scene.attention.q)
    page.recipe.run("q", split_heads, projected, scene.n_heads)
    joined = page.recipe.run("joined", merge_heads, scene.attention.output)
    head = f"q = x @ w_q, cut into {scene.n_heads} heads of {scene.d_head} columns each: the lines are the cuts."
    limit = 4.0 if scene.steady else rung(float(np.abs(projected).max()))
    page.show(
        matrix_picture(
            projected, QUERY_AXES, limit=limit, name="Q", sentence=head, height=250, first=1, blocks=scene.n_heads
        ),
        note=scene.origin,
    )
    page.write(trace(scene, projected, joined))
    shapes = (scene.x, scene.attention.q, scene.attention.weights, scene.output)
    way = " → ".join(f"({', '.join(map(str, array.shape))})" for array in shapes)
    page.write(f"In short: {way}.", "note")

    st.header("Three ways, the same numbers", anchor=False)
    same = page.recipe.run("same", three_ways, scene.x, scene.heads, scene.n_heads, *blocked(scene))
    page.write(
        f"Head after head in a loop, one product and a reshape, or einsum with the heads as one more axis: the largest "
        f"difference between any two of their {3 * scene.output.size} numbers is <b>{same.largest_difference:.1e}</b>, "
        "which is rounding. The reshape asks the computer for one large product in place of many small ones.",
        "lead",
    )
    way = page.controls.choice("way", "Read the code of", list(WAYS), "a reshape")
    page.write(f'<pre tabindex="0">{escape(inspect.getsource(WAYS[way]))}</pre>')


def reading(page: Page, scene: HeadScene, labels: list[str], head: int) -> None:
    """Show which numbers of a word a head reads: all of them, unless it were cut down to its slice."""
    d_model = scene.x.shape[1]
    asks = labels[page.variant("reads") % len(labels)]
    if not page.ask(reads_question(d_model, scene.d_head, head, asks)):
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        reads = page.controls.choice("reads", "A head reads", READS, READS[0])
        row = chosen_word(page, "q", "Query · row", labels)
        column = page.controls.whole("d", "Number of the query", 1, 64, 1, width=160)
    head_buttons(page, scene.n_heads, head)
    column = min(column, scene.d_head) - 1
    cut = page.recipe.run("cut", sliced_heads, scene.heads, scene.n_heads)
    heads = scene.heads if reads == READS[0] else cut
    first, last = head * scene.d_head + 1, (head + 1) * scene.d_head
    limit = 4 / d_model**0.5 if scene.steady else rung(float(np.abs(scene.heads.w_q).max()))
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        sentence = f"W_Q, {d_model} × {d_model}. Outlined is what head {head + 1} owns: columns {first} to {last}."
        if reads == READS[1]:
            sentence += " With slices, all numbers outside of the blocks on the diagonal would be 0."
        picture = matrix_picture(
            heads.w_q,
            MATRIX_AXES,
            limit=limit,
            name="W_Q",
            sentence=sentence,
            height=430,
            first=1,
            blocks=scene.n_heads,
            chosen=head,
        )
        page.show(picture, note=scene.origin)
    with right, st.container(border=True):
        weights = heads.w_q[:, first - 1 + column]
        used = int(np.count_nonzero(weights))
        page.write(query_card(product_terms(scene.x[row], weights), labels[row], head, column, used))

    st.header("Change a number, see who notices", anchor=False)
    page.say(
        "Add something to one number of a word’s vector. A head that reads the whole vector notices; a head that had "
        "only its slice would notice a change in its slice alone.",
        "",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        word = chosen_word(page, "change_row", "In word", labels, 1)
        place = page.controls.whole("change_column", "Number", 1, 64, 16, width=110)
        by = page.controls.slider("change_by", "Add to it", -3.0, 3.0, 2.0, 0.5, width=200)
    place = min(place, d_model) - 1
    changed = page.recipe.run("changed", one_number_changed, scene.x, word, place, by)
    first_map, second_map = st.columns(2, gap="medium")
    mask = [] if scene.attention.mask is None else [scene.attention.mask]
    for title, slot, matrices, name in (
        ("reads the whole vector", first_map, scene.heads, "projected"),
        ("reads only its slice", second_map, cut, "cut"),
    ):
        before = page.recipe.run(f"{name}_before", attend_heads, scene.x, matrices, scene.n_heads, *mask)
        after = page.recipe.run(f"{name}_after", attend_heads, changed, matrices, scene.n_heads, *mask)
        found = page.recipe.run(f"{name}_moved", moved, before.weights, after.weights)[head]
        said = f"Head {head + 1} if it {title}: {int(found.sum())} of {found.size} weights moved."
        options = {"name": f"head that {title}", "sentence": said, "moved": found, "small": True}
        with slot:
            page.show(heatmap(after.weights[head], labels, labels, ATTENTION_AXES, **options))
    owner = place // scene.d_head
    page.write(
        f"Number {place + 1} of {typed(labels[word])} is in the slice of head {owner + 1}. Outlined is what moved.",
        "note",
    )


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
        moves = page.recipe.run("moves", how_far, output, after)
        size = page.recipe.run("size", lengths, output)[row]
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


def mattering(page: Page, scene: HeadScene, labels: list[str], head: int) -> None:
    """Show weight, contribution and effect of every key as three maps."""
    a, run = scene.attention, page.recipe.run
    effects = run("effects", removal_effects, a.q, a.k, a.v, scene.heads.w_o, *blocked(scene))
    if not page.ask(missed_question(a.weights, effects, labels, page.variant("missed"))):
        return
    added = run("added", contributions, a.weights, a.v, scene.heads.w_o)
    head_buttons(page, scene.n_heads, head)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        row, column = chosen_cell(page, labels, labels)
        gone = page.controls.switch("gone", "Take this key away")
    own = run("one_head", head_of, a, head)
    usual = rung(0.75 * scene.d_head**0.5)
    limit = usual if scene.steady else rung(float(max(added.max(), effects.max())))
    without = run("without", key_removed, own, column)
    maps = (
        ("weight", "How much of a key’s value is taken.", without.weights if gone else own.weights, None),
        ("contribution", "How much that adds: the weight times the length of v · W_O.", added[head], limit),
        ("effect", "How far the output moves when this key is gone.", effects[head], limit),
    )
    grid = st.grid(2, min_column_width=290, gap="medium")
    for name, sentence, values, end in maps:
        with grid.cell(), st.container(gap="xsmall"):
            axes = Axes("query", "key", name, QUERY, KEY, words=True)
            title = "weight, the key gone" if name == "weight" and gone else name
            page.write(f"<b>{title}</b>", "shape")
            chart = heatmap(
                values,
                labels,
                labels,
                axes,
                name=name,
                sentence=sentence,
                limit=end,
                chosen=(row, column),
                clickable=name == "weight",
                small=True,
                amounts=end is not None,
            )
            pick = (lambda i, j: page.controls.put(q=labels[i], k=labels[j])) if name == "weight" else None
            page.show(chart, pick)
    with grid.cell():
        page.write(f"<b>the row of {typed(labels[row])}</b>", "shape")
        lines = [
            (typed(label), number(own.weights[row, i]), number(added[head, row, i]), number(effects[head, row, i]))
            for i, label in enumerate(labels)
        ]
        page.write(table(("key", "weight", "contribution", "effect"), lines, bold=column))
        page.write(
            f"Contribution and effect are lengths of vectors that head {head + 1} writes. {scene.origin}", "note"
        )
    share, move = own.weights[row, column], effects[head, row, column]
    page.say(
        f"In head {head + 1}, {{asks}} gives {number(share)} of its look to {{answers}}. Without it the other keys "
        f"share what is free, and what the head writes for {{asks}} moves by **{number(move)}**; the key missed most "
        f"is {{most}}, {number(effects[head, row].max())}.",
        "",
        asks=labels[row],
        answers=labels[column],
        most=labels[int(effects[head, row].argmax())],
    )
    idle = run("idle", most_idle, a.weights, effects)
    with st.container(horizontal=True, vertical_alignment="center"):
        page.write(
            f"The brightest key that is missed least: head {idle.head + 1}, {typed(labels[idle.query])} → "
            f"{typed(labels[idle.key])}. Its weight is {number(idle.weight)}, the largest of its row; its effect is "
            f"{number(100 * idle.effect_share, 1)} % of the largest."
        )
        there = {"head": str(idle.head + 1), "q": labels[idle.query], "k": labels[idle.key]}
        put_button(page, "Look at it", there, "idle", ":material/arrow_forward:")
