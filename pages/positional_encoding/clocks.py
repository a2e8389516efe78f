"""Pairs of a row as the hands of clocks, and the matrix that rotates them all by some steps."""

import math
from functools import partial

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.positions import frequencies, sinusoidal_positions, wavelengths
from attention_core.experiments.positions.position_kinds import shift_matrix, shift_positions
from attention_core.rows import largest_difference
from pages.charts.chart import Chart
from pages.charts.heatmap import SMALL, Axes, heatmap, scale
from pages.charts.vector_plane import Vector, plane
from pages.look.html import number, prose, residual
from pages.motion.clocks import Clock, Hand, moving_clocks
from pages.motion.sliders import over_numbers
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.scene import PositionScene
from pages.questions.kinds import Choice

STEP = Step(
    "clocks",
    "One step further is one rotation",
    "Think of the two numbers of a pair as the hand of a clock: the cosine across, the sine up. Each hand has its own "
    "speed.",
    asks="How far does a hand rotate?",
    then="One step rotates a hand by a fixed angle, wherever it starts. Drag t, then n. So a head can learn “three "
    "words back” for all positions. But p is added to x, so a score also multiplies words with positions: it changes "
    "if all words come later.",
    experiment="here steps",
)

MATRIX_AXES = Axes("from", "to", "m")
CLOCKS = ("first", "second", "third")
N_POSITIONS = 48  # positions of a clock
FURTHEST = 12  # steps
AT_0 = (1.0, 0.0)  # the cosine and the sine of every pair at position 0
FROM, STEPS, FAR = 4, 3, (30, 17, 40)  # of the question: position and steps that are seen, and elsewhere by variant


def draw(page: Page, scene: PositionScene) -> bool:
    """Draw pairs of a row as the hands of clocks, before and after some steps."""
    controls, run = page.controls, page.recipe.run
    here = controls.bare_number("here", "Position t", 0, N_POSITIONS - 1, FROM, 1)
    steps = controls.bare_number("steps", "Steps n", -FURTHEST, FURTHEST, STEPS, 1)
    place = st.container()
    angles = frequencies(scene.d_model, scene.base)
    question = page.question("turn", partial(turn_question, float(angles[0])))
    answered = page.ask(question, then=lambda: controls.put(here=FAR[page.variant("turn") % len(FAR)], steps=STEPS))
    if not answered:
        here, steps = FROM, STEPS
    encoding = run("encoding", sinusoidal_positions, 2 * N_POSITIONS, scene.d_model, scene.base)
    there = run("moved_on", shift_positions, encoding, steps, scene.base)
    page.prints(f"position {here + steps}, entry 1", there, here, 0)
    long = wavelengths(scene.d_model, scene.base)
    pairs = (0, max(1, len(long) // 8), max(2, len(long) // 4))
    hands = (
        Hand("t + n", "output", AT_0, ("here", "steps"), since=("here",)),
        Hand("t", "ink", AT_0, ("here",), since=None),
    )
    clocks = [
        Clock(f"Pair {pair} · one round in {number(long[pair], 1)} positions", pair, float(angles[pair]), hands)
        for pair in pairs
    ]
    sliders = (
        over_numbers("here", "Position t", range(N_POSITIONS), here, not answered),
        over_numbers("steps", "Steps n", range(-FURTHEST, FURTHEST + 1), steps, not answered),
    )
    with place:
        moving_clocks(page, clocks, 1.0, sliders)
    page.drawing.shown += [  # where the sliders stand, for the files of the page
        clock(encoding, there[here], here, pair, which) for which, pair in zip(CLOCKS, pairs, strict=True)
    ]
    if answered:
        page.tell_on()
        matrix = run("shift", shift_matrix, steps, scene.d_model, scene.base)
        page.look_closer("The rotation as one matrix", partial(draw_matrix, page, matrix, encoding, there, here, steps))
    return answered


def draw_matrix(page: Page, matrix: Array, encoding: Array, there: Array, here: int, steps: int) -> None:
    """Draw the matrix that takes every position some steps further, and check it at one position."""
    shown = min(8, len(matrix))
    names = [str(i) for i in range(shown)]
    told = "A rotation for each pair, zeros elsewhere."
    left, right = st.columns(2, gap="medium")
    with left:
        part = matrix[:shown, :shown]
        page.show(heatmap(part, names, names, MATRIX_AXES, scale(1.0), SMALL, name="shift", sentence=told))
    with right:
        page.say("M(n) takes the vector PE of *any* position n steps further: PE[t] · M(n) = PE[t\xa0+\xa0n].")
        goal = here + steps
        if goal >= 0:
            gap = largest_difference(there[here], encoding[goal])
            told = Markup("Here PE[{}] · M({}) differs from PE[{}] by a number {}.")
            page.write(told.format(here, number(steps, 0), goal, residual(gap)), "note")


def clock(encoding: Array, there: Array, here: int, pair: int, which: str) -> Chart:
    """Return one pair of a row as the hand of a clock, before and after some steps; its other positions as points."""
    sine, cosine = 2 * pair, 2 * pair + 1

    def hand(row: Array, label: str, role: str) -> Vector:
        return Vector(float(row[cosine]), float(row[sine]), label, role)

    arrows = [hand(encoding[here], "t", "ink"), hand(there, "t + n", "attention")]
    points = [hand(row, "", "ink") for row in encoding[:N_POSITIONS:2]]
    told = f"Pair {pair} at position t and at t + n."
    return plane(arrows, limit=1.5, points=points, name=f"{which} clock", sentence=told, small=True)


def turn_question(angle: float, variant: int) -> Choice:
    """Ask how far a hand rotates between two positions that are as far apart as those in view."""
    far = FAR[variant % len(FAR)]
    right, whole, start = (f"by {number(math.degrees(n * angle), 1)}°" for n in (STEPS, far + STEPS, far))
    text = prose(
        f"From position {FROM} to {FROM + STEPS}, the hand of pair 0 rotates {right}. How far does it rotate from "
        f"position {far} to {far + STEPS}?"
    )
    reasons = {
        whole: f"That is its rotation since position 0. Count the {STEPS} steps from {far} to {far + STEPS}.",
        start: f"So far it has rotated from position 0 to {far}. Count the steps after that.",
        "that depends on the word": "The clocks read only the position. No word moves them.",
    }
    why = f"Each step rotates it by {number(math.degrees(angle), 1)}°, and it is {STEPS} steps again."
    return Choice.of("turn", text, right, why, reasons, variant)
