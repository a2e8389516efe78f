"""Positions added to words: how many of both can be recovered from their sum."""

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.positions.position_kinds import add_positions, added_positions
from attention_core.experiments.positions.probes import DRAWS, NEARLY, ByStrength, nearest, probe_by_strength
from attention_core.text.small_english import WORDS
from attention_core.text.word_vectors import word_vectors
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK, SOFT
from pages.look.html import table
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.scene import USUAL_STRENGTH, Scene

STEP = Step(
    "x + p",
    "One vector can hold word and position",
    "In high dimensions, random vectors are nearly perpendicular. So a word can be recovered from the sum x + p, and "
    "so can a position whose vector is long enough. Lower the scale until positions cannot be recovered. Then raise "
    "it until words cannot.",
    experiment="add_strength",
)

N_POSITIONS = 24


def draw(page: Page, scene: Scene) -> None:
    """Add positions to words and recover both from the sum."""
    run, words = page.recipe.run, scene.words
    names = list(dict.fromkeys([*WORDS, *(word.lower() for word in words)]))
    page.recipe.given("words", words)
    x = run("x", word_vectors, words, scene.d_model, scene.seed)
    known = run("known", word_vectors, names, scene.d_model, scene.seed)
    positions = run("positions", added_positions, scene.kind, N_POSITIONS, scene.d_model, scene.base, 0, scene.seed)
    sums = run("sums", add_positions, x, positions[: len(words)], scene.strength)
    word = run("word", nearest, sums, known).row
    position = run("position", nearest, sums, positions).row
    found = run("recovered", probe_by_strength, scene.kind, N_POSITIONS, scene.d_model, scene.base, scene.seed)
    page.prints("how often the position is recovered, by scale", "recovered.places")
    right_words, right_positions = compare(word, position, names, words)
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        note = f"Lines: {DRAWS} random words at random positions from 0 to {N_POSITIONS - 1}, width {scene.d_model}."
        note += f" In other steps the scale is {USUAL_STRENGTH:g}."
        page.show(recovery_chart(found, scene.strength), note=note)
    with right:
        lines = [
            (str(t), own, check_mark(right_words[t], names[i]), check_mark(right_positions[t], str(j)))
            for t, (own, i, j) in enumerate(zip(words, word, position, strict=True))
        ]
        page.write(table(("position", "word", "recovered word", "recovered position"), lines, left=4))
        page.write(
            f"The word and the position that are recovered have the highest cosine with the sum, of {len(names)} words "
            f"and {N_POSITIONS} positions.",
            "note",
        )
    page.write(
        "Concatenation, [x, p], would keep both apart, but at twice the width in every layer. Addition is its "
        "special case in which both use the same matrix: (x + p) W = x W + p W.",
        "note",
    )


def compare(word: Array, position: Array, names: list[str], words: list[str]) -> tuple[list[bool], list[bool]]:
    right_words = [names[i] == own.lower() for i, own in zip(word, words, strict=True)]
    return right_words, [int(i) == t for t, i in enumerate(position)]


def recovery_chart(found: ByStrength, strength: float) -> Chart:
    """Return the fractions of words and positions recovered, against the scale."""
    return line_chart(
        found.strengths,
        {"words": found.words, f"positions ± {NEARLY}": found.places_nearly, "positions": found.places},
        baselines={"guessing a position": 1 / N_POSITIONS},
        x_title="scale of the position vectors",
        y_title="fraction recovered",
        colours=(ATTENTION, SOFT, INK),
        here=strength,
        name="recovered",
        sentence=f"The upright line is at scale {strength:g}.",
        number="",
    )


def check_mark(right: bool, text: str) -> Markup:
    """Return what was recovered, after a mark that tells whether it is right."""
    mark = Markup('<span style="color:var(--{})">{}</span> {}')
    return mark.format(*(("right", "✓") if right else ("wrong", "✕")), text)
