"""Positions added to words: how many of both can be read back from their sum."""

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.position_kinds import ADDED, add_positions, added_positions
from attention_core.experiments.probes import NEARLY, ByStrength, nearest, probe_by_strength
from attention_core.text.small_english import WORDS
from attention_core.text.word_vectors import word_vectors
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look import thumbnails
from pages.look.colours import ATTENTION, INK, SOFT
from pages.look.html import table
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.common import NOTHING, few_rows, few_words
from pages.positional_encoding.scene import Scene

STEP = Step(
    "x + p",
    "A sum still holds both parts",
    "In many dimensions two random directions hardly meet, so a word can be read back from the sum, and so can a "
    "position that is strong enough. Raise the strength until words get lost; then give both more width.",
)

MOST_STRENGTH = 8.0
N_PLACES = 24


def draw(page: Page, scene: Scene) -> None:
    """Add positions to words and read both back from the sum."""
    run, words = page.recipe.run, scene.words
    names = list(dict.fromkeys([*WORDS, *(word.lower() for word in words)]))
    page.recipe.given("words", words)
    x = run("x", word_vectors, words, scene.d_model, scene.seed)
    known = run("known", word_vectors, names, scene.d_model, scene.seed)
    places = run("places", added_positions, scene.kind, N_PLACES, scene.d_model, scene.base, 0, scene.seed)
    sums = run("sums", add_positions, x, places[: len(words)], scene.strength)
    word, place = run("word", nearest, sums, known).row, run("place", nearest, sums, places).row
    found = run("share", probe_by_strength, scene.kind, N_PLACES, scene.d_model, scene.base, scene.seed)
    right_words = [names[i] == own.lower() for i, own in zip(word, words, strict=True)]
    right_places = [int(i) == t for t, i in enumerate(place)]
    n_words, n_places = (f"{sum(right)} of {len(words)}" for right in (right_words, right_places))
    adds = scene.kind in ADDED
    sentence = f"Of this sentence {n_words} words are read back, and no position."
    if adds:
        sentence = (
            f"Of this sentence, at strength {scene.strength:g}: {n_words} words and {n_places} positions are read back."
        )
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        note = f"The lines: 400 random words at random positions up to {N_PLACES - 1}, width {scene.d_model}."
        page.show(shares_chart(found, scene.strength, sentence), note=note)
        if not adds:
            page.write(f"{NOTHING[scene.kind]}, so no position can be read from them.", "note")
    with right:
        lines = [
            (str(t), own, check_mark(right_words[t], names[i]), check_mark(right_places[t], str(j)) if adds else "–")
            for t, (own, i, j) in enumerate(zip(words, word, place, strict=True))
        ]
        page.write(table(("position", "word", "word read", "position read"), lines, left=4))
        page.write(
            f"What is read is what points most nearly the same way, of {len(names)} words and {N_PLACES} positions.",
            "note",
        )


def thumbnail(scene: Scene) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(add_positions(few_words(scene), few_rows(scene)), 4.0)


def shares_chart(found: ByStrength, strength: float, sentence: str) -> Chart:
    """Return the shares of words and positions read back, against the strength."""
    return line_chart(
        found.strengths,
        {"words": found.words, f"positions ± {NEARLY}": found.places_nearly, "positions": found.places},
        baselines={"guessing a position": 1 / N_PLACES},
        x_title="strength",
        y_title="share read back right",
        x_domain=(0.0, MOST_STRENGTH),
        y_domain=(0.0, 1.0),
        colours=(ATTENTION, SOFT, INK),
        here=strength,
        name="read back",
        sentence=sentence,
        number="",
    )


def check_mark(right: bool, text: str) -> Markup:
    """Return what was read, after a mark that tells whether it is right."""
    mark = Markup('<span style="color:var(--{})">{}</span> {}')
    return mark.format(*(("right", "✓") if right else ("wrong", "✕")), text)
