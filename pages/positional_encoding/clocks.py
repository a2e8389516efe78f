"""Pairs of a row as the hands of clocks, and the matrix that rotates them all by some steps."""

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.positions import frequencies, shift_matrix, sinusoidal_positions, wavelengths
from attention_core.experiments.positions.position_kinds import shift_positions
from attention_core.rows import largest_difference
from pages.charts.chart import Chart
from pages.charts.heatmap import SMALL, Axes, heatmap, scale
from pages.charts.vector_plane import Vector, plane
from pages.look.html import number, tiny
from pages.motion.clocks import Clock, Hand, moving_clocks
from pages.motion.sliders import over_numbers
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.scene import Scene

STEP = Step(
    "clocks",
    "A step along the sentence is a rotation",
    "Think of the two numbers of a pair as the hand of a clock. One step along the sentence rotates each hand by a "
    "fixed angle, wherever you start. Drag t, then k.",
    words="here steps",
)

MATRIX_AXES = Axes("from", "to", "m")
CLOCKS = ("first", "second", "third")
N_POSITIONS = 48  # positions of a clock
FURTHEST = 12  # steps
AT_0 = (1.0, 0.0)  # the cosine and the sine of every pair at position 0


def draw(page: Page, scene: Scene) -> None:
    """Draw pairs of a row as the hands of clocks, before and after some steps."""
    controls, run = page.controls, page.recipe.run
    here = controls.number("here", "Position t", 0, N_POSITIONS - 1, 4, 1)
    steps = controls.number("steps", "Steps k", -FURTHEST, FURTHEST, 3, 1)
    encoding = run("encoding", sinusoidal_positions, 2 * N_POSITIONS, scene.d_model, scene.base)
    matrix = run("shift", shift_matrix, steps, scene.d_model, scene.base)
    there = run("moved_on", shift_positions, encoding, steps, scene.base)
    page.prints(f"first number of position {here + steps}", there, here, 0)
    long, angles = wavelengths(scene.d_model, scene.base), frequencies(scene.d_model, scene.base)
    pairs = (0, max(1, len(long) // 8), max(2, len(long) // 4))
    hands = (
        Hand("t + k", "output", AT_0, ("here", "steps"), since=("here",)),
        Hand("t", "ink", AT_0, ("here",), since=None),
    )
    clocks = [
        Clock(f"Pair {pair} · one round in {number(long[pair], 1)} positions", pair, float(angles[pair]), hands)
        for pair in pairs
    ]
    sliders = (
        over_numbers("here", "Position t", range(N_POSITIONS), here),
        over_numbers("steps", "Steps k", range(-FURTHEST, FURTHEST + 1), steps),
    )
    moving_clocks(page, clocks, 1.0, sliders)
    page.drawing.shown += [  # where the sliders stand, for the files of the page
        clock(encoding, there[here], here, steps, pair, which) for which, pair in zip(CLOCKS, pairs, strict=True)
    ]
    goal = here + steps
    arrival = Markup("There is no position {}, but the matrix still gives its vector.").format(number(goal, 0))
    if goal >= 0:
        gap = largest_difference(there[here], encoding[goal])
        exactly = Markup("to within {}").format(tiny(gap)) if gap else "exactly"
        told = Markup("Each pair of the vector of position {}, rotated by k times its angle, gives position {} {}.")
        arrival = told.format(here, goal, exactly)
    page.write(arrival + " The rotation depends only on k, so M(k) below stays the same when you drag t.", "note")
    shown = min(8, scene.d_model)
    names = [str(i + 1) for i in range(shown)]
    sentence = (
        f"The first {shown} rows and columns of M({number(steps, 0)}): a rotation for each pair, zeros elsewhere."
    )
    left, right = st.columns([1, 1], gap="medium")
    with left:
        part = matrix[:shown, :shown]
        page.show(heatmap(part, names, names, MATRIX_AXES, scale(1.0), SMALL, name="shift", sentence=sentence))
    with right:
        page.say(
            "**What to notice.** One matrix M(k) takes the vector of *any* position to the vector k positions later: "
            "PE[t] · M(k) = PE[t\xa0+\xa0k]. So W_Q or W_K can learn “three words back” once, for the whole "
            "sentence. RoPE uses the same rotations, but adds nothing.",
            "",
        )


def clock(encoding: Array, there: Array, here: int, steps: int, pair: int, which: str) -> Chart:
    """Return one pair of a row as the hand of a clock, before and after some steps; its other positions as points."""
    sine, cosine = 2 * pair, 2 * pair + 1

    def hand(row: Array, label: str, role: str) -> Vector:
        return Vector(float(row[cosine]), float(row[sine]), label, role)

    arrows = [hand(encoding[here], "t", "ink"), hand(there, "t + k", "attention")]
    points = [hand(row, "", "ink") for row in encoding[:N_POSITIONS:2]]
    which_way = "earlier" if steps < 0 else "later"
    told = f"Pair {pair} at position {here} and {abs(steps)} step{'s' * (abs(steps) != 1)} {which_way}."
    return plane(arrows, limit=1.5, points=points, name=f"{which} clock", sentence=told, small=True)
