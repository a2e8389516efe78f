"""Positions added to words: both read back from their sum, and a score taken apart into four terms."""

import re
from html import escape

import streamlit as st

from attention_core.experiments.position_kinds import (
    ADDED,
    place_table,
    placed_attention,
    score_terms,
    summed_terms,
    with_places,
)
from attention_core.experiments.probes import NEARLY, nearest, read_by_strength
from attention_core.rows import largest_difference
from attention_core.text.small_english import WORDS
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.charts.chart import rung
from pages.charts.heatmap import SCORE_AXES, heatmap
from pages.charts.lines import line_chart
from pages.look import cards
from pages.look.colours import ATTENTION, INK, SOFT
from pages.look.html import tiny
from pages.look.sentences import largest_number
from pages.page.page import Page
from pages.positional_encoding.sentence import chosen_cell, head_over
from pages.positional_encoding.settings import Settings

MOST_STRENGTH = 8.0
NOTHING = {
    "none": "Nothing is added to the words",
    "RoPE": "RoPE adds nothing to the words",
    "ALiBi": "ALiBi adds nothing to the words",
}
TERMS = {
    "word_word": "word asks, word answers",
    "word_place": "word asks, position answers",
    "place_word": "position asks, word answers",
    "place_place": "position asks, position answers",
}


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
    adds = scene.kind in ADDED
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        sentence = (
            f"Of this sentence, at strength {scene.strength:g}: {sum(right_words)} of {len(words)} words and "
            f"{sum(right_places)} of {len(words)} positions are read back."
        )
        if not adds:
            sentence = f"Of this sentence {sum(right_words)} of {len(words)} words are read back, and no position."
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
        page.show(
            chart, note=f"The lines: 400 random words at random positions up to {n_places - 1}, width {scene.d_model}."
        )
        if not adds:
            page.write(f"{NOTHING[scene.kind]}, so no position can be read from them.", "note")
    with right:
        rows = []
        for t, (own, i, j) in enumerate(zip(words, word.row, place.row, strict=True)):
            told = mark(right_places[t], str(int(j))) if adds else "–"
            cells = (t, escape(own), mark(right_words[t], escape(names[i])), told)
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        head = "".join(f"<th>{name}</th>" for name in ("position", "word", "word read", "position read"))
        page.write(f'<div class="wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>')
        page.write(
            f"What is read is what points most nearly the same way, of {len(names)} words and {n_places} positions.",
            "note",
        )


def mark(right: bool, text: str) -> str:
    """Return what was read, with a mark that says whether it is right."""
    return f'<span style="color:var(--{"right" if right else "wrong"})">{"✓" if right else "✕"}</span> {text}'


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
    gap = largest_difference(total, scores)
    limit = rung(4 * max(1.0, scene.strength**2 / 2))
    grid = st.grid(3, min_column_width=280, gap="medium")
    row, column = chosen_cell(page, labels)
    maps = {what: getattr(terms, name) for name, what in TERMS.items()}
    for what, values in [*maps.items(), ("the sum: scaled scores", total)]:
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
        page.write(cards.card(title, cards.chain(*parts, ("scaled score", "the sum", float(total[row, column])))))
    page.write(
        f"Added up, the four maps differ from the scaled scores of x + p by up to {tiny(gap)}. "
        + ("" if scene.kind in ADDED else f"{NOTHING[scene.kind]}: three of the four are 0."),
        "note",
    )
