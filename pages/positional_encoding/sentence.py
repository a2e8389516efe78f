"""The stages in which a sentence has positions: shuffled, added and read back, the four terms, RoPE, all five ways."""

import re
from html import escape

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.attention import AttentionCache
from attention_core.derivation import explain_weight
from attention_core.grammar import WORDS
from attention_core.hand_set import LONGEST, HeadMatrices, random_head
from attention_core.likeness import largest_change
from attention_core.places import (
    ADDED,
    KINDS,
    SLOPE,
    place_table,
    placed_attention,
    reordered,
    score_terms,
    shuffled_order,
    summed_terms,
    turned_score,
    with_places,
)
from attention_core.read_back import NEARLY, nearest, read_by_strength
from attention_core.what_if import moved
from attention_core.words import position_labels, word_vectors
from pages.positional_encoding.questions import MOVES, order_question, same_score_question, stay_question
from pages.positional_encoding.settings import Settings, settings
from pages.shared import cards
from pages.shared.charts.chart import Chart, rung
from pages.shared.charts.heatmap import SCORE_AXES, Axes, attention_heatmap, heatmap
from pages.shared.charts.lines import line_chart
from pages.shared.charts.plane import Vector, plane, reach
from pages.shared.colours import ATTENTION, INK, QUERY, SOFT
from pages.shared.frame import Page
from pages.shared.markup import number, typed
from pages.shared.sentences import brightest_cell, largest_number, rows_that_moved

HEAD = 8  # the width of the head over the sentence
ROPE_HEAD = 6  # three pairs: three clocks
OUTPUT_AXES = Axes("query", "dimension", "output", row_colour=QUERY)
MOST_STRENGTH = 8.0
TERMS = {
    "word_word": "word asks, word answers",
    "word_place": "word asks, place answers",
    "place_word": "place asks, word answers",
    "place_place": "place asks, place answers",
}


def head_over(page: Page, words: list[str], scene: Settings, width: int = HEAD) -> tuple[Array, HeadMatrices]:
    """Return the vectors of the words and a random head over them."""
    page.recipe.given("words", words)
    x = page.recipe.run("x", word_vectors, words, scene.d_model, scene.seed)
    return x, page.recipe.run("head", random_head, scene.d_model, width, scene.seed)


def attended(page: Page, name: str, x: Array, head: HeadMatrices, scene: Settings, offset: int = 0) -> AttentionCache:
    """Return the head's attention over words whose positions are told as the scene says."""
    return page.recipe.run(name, placed_attention, x, head, scene.kind, scene.base, offset, scene.strength, scene.seed)


def order_stage(page: Page, words: list[str], scene: Settings) -> None:
    """Show the outputs before and after a shuffle, without positions and with them."""
    controls, run = page.controls, page.recipe.run
    x, head = head_over(page, words, scene)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        mix = controls.whole("shuffle", "Shuffle number", 1, 999, 1, width=150)
        row = controls.whole("q", "Query · row", 1, LONGEST, 3, width=150)
        told = controls.switch("told", "Tell the positions")
    order = run("order", shuffled_order, len(words), mix)
    shuffled = run("shuffled", reordered, x, order)
    scene = settings(page, ("kind", "base", "strength"), scene) if told else scene._replace(kind="none")
    before = attended(page, "before", x, head, scene)
    after = attended(page, "after", shuffled, head, scene)
    expected = run("expected", reordered, before.output, order)
    labels = position_labels(words)
    there = [labels[i] for i in order]
    changed = run("changed", moved, expected, after.output)
    columns = [str(j + 1) for j in range(HEAD)]
    row = min(row, len(labels)) - 1
    place = there.index(labels[row])
    left, right = st.columns(2, gap="medium")
    with left:
        page.write("<b>Output</b>, the words as you typed them", "shape")
        sentence = largest_number(before.output, labels, columns, "Output")
        options = {"limit": 4.0, "chosen": (row, None), "clickable": True}
        chart = heatmap(before.output, labels, columns, OUTPUT_AXES, name="output", sentence=sentence, **options)
        page.show(chart, lambda i, j: controls.put(q=i + 1))
    with right:
        if not told and not page.ask(order_question(expected, after.output, there, page.variant("order"))):
            return
        page.write("<b>Output</b>, the words shuffled", "shape")
        sentence = rows_that_moved(changed, "Against the same word’s row on the left")
        sentence += "; what moved is outlined." if changed.any() else "."
        options = {"limit": 4.0, "chosen": (place, None), "moved": changed if changed.any() else None}
        chart = heatmap(after.output, there, columns, OUTPUT_AXES, name="shuffled", sentence=sentence, **options)
        page.show(chart)
    gap = largest_change(expected[place], after.output[place])
    page.write(
        f"The output of {typed(labels[row])} stands in row {row + 1} as typed and in row {place + 1} shuffled; its "
        f"numbers {'are the same' if gap < MOVES else f'differ by up to {number(gap, 3)}'}. "
        + ("" if told else "Now switch on <b>Tell the positions</b>, and try each way of telling them."),
        "note",
    )


def add_stage(page: Page, words: list[str], scene: Settings) -> None:
    """Add positions to words and read both back from the sum."""
    run = page.recipe.run
    n_places = 24
    names = list(dict.fromkeys([*WORDS, *(word.lower() for word in words)]))
    page.recipe.given("words", words)
    x = run("x", word_vectors, words, scene.d_model, scene.seed)
    known = run("known", word_vectors, names, scene.d_model, scene.seed)
    places = run("places", place_table, scene.kind, n_places, scene.d_model, scene.base, 0, scene.seed)
    sums = run("sums", with_places, x, places[: len(words)], scene.strength)
    word, place = run("word", nearest, sums, known), run("place", nearest, sums, places)
    found = run("share", read_by_strength, scene.kind, n_places, scene.d_model, scene.base, scene.seed)
    right_words = [names[i] == own.lower() for i, own in zip(word.row, words, strict=True)]
    right_places = [int(i) == t for t, i in enumerate(place.row)]
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        sentence = (
            f"Of this sentence, at strength {scene.strength:g}: {sum(right_words)} of {len(words)} words and "
            f"{sum(right_places)} of {len(words)} positions are read back."
        )
        chart = line_chart(
            found.strengths,
            {"words": found.words, f"positions ± {NEARLY}": found.places_nearly, "positions": found.places},
            baselines={"guessing a position": 1 / n_places},
            x_title="strength",
            y_title="share read back right",
            x_domain=(0.0, MOST_STRENGTH),
            y_domain=(0.0, 1.0),
            colours=(ATTENTION, SOFT, INK),
            here=scene.strength,
            name="read back",
            sentence=sentence,
            number="",
        )
        page.show(chart, note=f"The lines: 400 random words at random places among {n_places}, width {scene.d_model}.")
        if scene.kind not in ADDED:
            page.write(f"{scene.kind} adds nothing to the words, so no position can be read from them.", "note")
    with right:
        rows = []
        for t, (own, i, j) in enumerate(zip(words, word.row, place.row, strict=True)):
            cells = (t, escape(own), mark(right_words[t], escape(names[i])), mark(right_places[t], str(int(j))))
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        head = "".join(f"<th>{name}</th>" for name in ("position", "word", "word read", "position read"))
        page.write(f'<div class="wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>')
        page.write(
            f"Read is what points most nearly the same way: of {len(names)} words, and of {n_places} positions.", "note"
        )


def mark(right: bool, text: str) -> str:
    """Return what was read, with a mark that says whether it is right."""
    return f'<span class="{"value" if right else "key"}">{"✓" if right else "✕"}</span> {text}'


def terms_stage(page: Page, words: list[str], scene: Settings) -> None:
    """Take the scores of x + p apart into four terms."""
    run = page.recipe.run
    x, head = head_over(page, words, scene)
    table = run("table", place_table, scene.kind, len(words), scene.d_model, scene.base, 0, scene.seed)
    nothing = run("nothing", place_table, "none", len(words), scene.d_model)
    places = run("places", with_places, nothing, table, scene.strength)
    terms = run("terms", score_terms, x, places, head)
    total = run("total", summed_terms, terms)
    scores = run("attention", placed_attention, with_places(x, places), head, "none").scores
    labels = position_labels(words)
    gap = largest_change(total, scores)
    limit = rung(4 * max(1.0, scene.strength**2 / 2))
    grid = st.grid(3, min_column_width=260, gap="medium")
    row, column = chosen_cell(page, labels)
    maps = {what: getattr(terms, name) for name, what in TERMS.items()}
    for what, values in [*maps.items(), ("the sum: the scores", total)]:
        with grid.cell():
            page.write(f"<b>{what}</b>", "shape")
            told = largest_number(values, labels, labels, what.capitalize())
            options = {"limit": limit, "small": True, "chosen": (row, column), "clickable": True}
            name = re.sub("[,:]", "", what)
            chart = heatmap(values, labels, labels, SCORE_AXES, name=name, sentence=told, **options)
            page.show(chart, lambda i, j: page.controls.put(q=i + 1, k=j + 1), quiet=True)
    with grid.cell(), st.container(border=True):
        parts = [(what, "", float(values[row, column])) for what, values in maps.items()]
        title = f'<b class="query">{escape(labels[row])}</b> → <b class="key">{escape(labels[column])}</b>'
        page.write(cards.card(title, cards.chain(*parts, ("score", "the sum", float(total[row, column])))))
    page.write(
        f"Added up, the four maps differ from the scores of x + p by up to {gap:.0e}. "
        + ("" if scene.kind in ADDED else f"{scene.kind} adds nothing to the words: three of the four are 0."),
        "note",
    )


def chosen_cell(page: Page, labels: list[str]) -> tuple[int, int]:
    """Return the row and the column that are chosen."""
    with st.container(horizontal=True):
        row = page.controls.whole("q", "Query · row", 1, LONGEST, 3, width=150)
        column = page.controls.whole("k", "Key · column", 1, LONGEST, 2, width=150)
    return min(row, len(labels)) - 1, min(column, len(labels)) - 1


def rope_stage(page: Page, words: list[str], scene: Settings) -> None:
    """Turn a query and a key by their positions, pair by pair, and see on what their score depends."""
    controls, run = page.controls, page.recipe.run
    x, head = head_over(page, words, scene, ROPE_HEAD)
    plain = run("plain", placed_attention, x, head, "none")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asks = min(controls.whole("asks", "Query word", 1, LONGEST, 2, width=130), len(words)) - 1
        answers = min(controls.whole("answers", "Key word", 1, LONGEST, 3, width=130), len(words)) - 1
        q_at = controls.slider("q_at", "Query’s position", 0, 30, 2, 1, width=200)
        k_at = controls.slider("k_at", "Key’s position", 0, 30, 5, 1, width=200)
        slide = controls.slider("slide", "Slide both on by", 0, 100, 0, 1, width=200)
    q, k, v = (rows[i] for rows, i in ((plain.q, asks), (plain.k, answers), (plain.v, answers)))
    if not page.ask(same_score_question(q, k, (q_at, k_at), scene.base, page.variant("same_score"))):
        return
    q, k, v = page.recipe.given("q", q), page.recipe.given("k", k), page.recipe.given("v", v)
    here = run("here", turned_score, q, k, q_at, k_at, scene.base)
    there = run("there", turned_score, q, k, q_at + slide, k_at + slide, scene.base)
    labels = position_labels(words)
    limit = reach(*(rows.reshape(-1, 2) for rows in (q, k, v)))
    grid = st.grid(3, min_column_width=260, gap="medium")
    for pair, (name, share) in enumerate(zip(("first", "second", "third"), there.by_pair, strict=True)):
        with grid.cell():
            page.write(f"<b>pair {pair}</b> · adds {number(share)} to q · k", "shape")
            page.show(turned_plane(there.q_turned, there.k_turned, q, k, v, pair, limit, f"{name} pair"))
    left, right = st.columns([1, 1], gap="medium")
    with left, st.container(border=True):
        parts = [(f"pair {pair}", "", float(share)) for pair, share in enumerate(there.by_pair)]
        whole = ("sum", "q · k", float(there.by_pair.sum()))
        title = (
            f'<b class="query">{escape(labels[asks])}</b> at {q_at + slide} → <b class="key">{escape(labels[answers])}'
        )
        title += f"</b> at {k_at + slide}"
        page.write(cards.card(title, cards.chain(*parts, whole, ("score", f"÷ √{ROPE_HEAD}", there.score))))
    with right:
        gap = abs(there.score - here.score)
        again = "the same to the last digits" if gap < MOVES else f"off by {number(gap, 4)}"
        slid = f"slid on by {slide} it is {number(there.score, 4)}, {again}." if slide else "slide both on."
        page.say(
            f"At {q_at} and {k_at} the score is {number(here.score, 4)}; {slid} "
            "Drag one of the two alone, and it moves.",
            "",
        )
        page.say(
            "The points are where q "
            "and k pointed before the turn. :value[**v**] stays where it is at every position: what is handed over is "
            "not turned, so the output does not depend on where the sentence stands.",
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
    return plane(arrows, limit=limit, points=points, name=name, sentence=f"Pair {pair} of q, k and v.")


def five_stage(page: Page, words: list[str], scene: Settings) -> None:
    """Show one sentence under five encodings and the same matrices, and what sliding it along changes."""
    controls = page.controls
    x, head = head_over(page, words, scene)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        offset = controls.slider("offset", "Slide the sentence on by", 0, 100, 0, 1, width=320)
    asked = offset or 5
    at_start = {kind: attended(page, f"{kind.lower()}_at_0", x, head, scene._replace(kind=kind)) for kind in KINDS}
    slid = {kind: attended(page, f"{kind.lower()}_slid", x, head, scene._replace(kind=kind), asked) for kind in KINDS}
    changes = {kind: largest_change(at_start[kind].weights, slid[kind].weights) for kind in KINDS}
    if not page.ask(stay_question(changes, asked, page.variant("stay"))):
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
        page.write(five_card(shown, labels, row, column, steps.added))
    page.say(
        "**What to notice.** Outlined is what the slide has moved. RoPE and ALiBi tell distances and nothing else. "
        "Sinusoidal rows keep their products p · p on a slide, but W_Q and W_K, random here, mix the pairs, and what a "
        "word and a position have in common changes as well. To a learned table every row is a stranger, and it has a "
        "last one.",
        "note",
    )


def five_card(shown: dict[str, AttentionCache], labels: list[str], row: int, column: int, penalty: float) -> str:
    """Return one weight under all five encodings."""
    title = f'<b class="query">{escape(labels[row])}</b> → <b class="key">{escape(labels[column])}</b>'
    lines = "".join(
        f"<tr><td>{kind}</td><td>{number(float(cache.scores[row, column]))}</td>"
        f"<td>{number(float(cache.weights[row, column]))}</td></tr>"
        for kind, cache in shown.items()
    )
    head = "<tr><th>encoding</th><th>score</th><th>weight</th></tr>"
    note = f"ALiBi adds {number(penalty)} to its score: −{SLOPE} for each step between the two."
    return cards.card(title, f"<table>{head}{lines}</table>", f'<p class="soft">{note}</p>')
