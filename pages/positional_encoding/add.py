"""Positions added to words: how many of both can be recovered from their sum."""

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.positions.position_kinds import add_positions, added_positions
from attention_core.experiments.positions.probes import DRAWS, NEARLY, nearest, probe_by_strength
from attention_core.text.small_english import WORDS
from attention_core.text.word_vectors import word_vectors
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK, SOFT
from pages.look.html import table
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.scene import USUAL_STRENGTH, PositionScene

STEP = Step(
    "x + p",
    "One vector can hold word and position",
    "In high dimensions, random vectors are nearly perpendicular. So a word can be recovered from the sum x + p, and "
    "so can a position whose vector is long enough. Lower the scale until positions cannot be recovered. Then raise "
    "it until words cannot.",
    experiment="add_strength",
    helps="drown",
)

N_POSITIONS = 24


def draw(page: Page, scene: PositionScene) -> None:
    """Add positions to words and recover both from the sum."""
    run, words = page.recipe.run, scene.words
    names = list(dict.fromkeys([*WORDS, *(word.lower() for word in words)]))
    page.recipe.given("words", words)
    x = run("x", word_vectors, words, scene.d_model, scene.seed)
    known = run("known", word_vectors, names, scene.d_model, scene.seed)
    positions = run("positions", added_positions, scene.kind, N_POSITIONS, scene.d_model, scene.base, 0, scene.seed)
    sums = run("sums", add_positions, x, positions[: len(words)], scene.strength)
    word = run("word", nearest, sums, known)
    position = run("position", nearest, sums, positions)
    found = run("recovered", probe_by_strength, scene.kind, N_POSITIONS, scene.d_model, scene.base, scene.seed)
    page.prints("recovered positions, by scale", "recovered.places")
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        note = f"Lines: {DRAWS} random words at random positions. In other steps the scale is {USUAL_STRENGTH:g}."
        chart = line_chart(
            found.strengths,
            {"words": found.words, f"positions ± {NEARLY}": found.places_nearly, "positions": found.places},
            baselines={"guessing a position": 1 / N_POSITIONS},
            x_title="scale of the position vectors",
            y_title="fraction recovered",
            colours=(ATTENTION, SOFT, INK),
            here=scene.strength,
            name="recovered",
            sentence="The upright line is at the scale that is set.",
            number="",
        )
        page.show(chart, note=note)
    with right:
        lines = [
            (str(t), own, check_mark(names[i] == own.lower(), names[i]), check_mark(int(j) == t, str(j)))
            for t, (own, i, j) in enumerate(zip(words, word, position, strict=True))
        ]
        page.write(table(("position", "word", "recovered word", "recovered position"), lines, left=4))
        page.write("Recovered: the word and the position with the highest cosine with the sum.", "note")
    page.write(
        "Concatenation, [x, p], would keep both apart, but at twice the width in every layer. Addition is its "
        "special case in which both use the same matrix: (x + p) W = x W + p W.",
        "note",
    )


def check_mark(right: bool, text: str) -> Markup:
    """Return what was recovered, after a mark that tells whether it is right."""
    mark = Markup('<span style="color:var(--{})">{}</span> {}')
    return mark.format(*(("right", "✓") if right else ("wrong", "✕")), text)
