"""The bug clinic: famous mistakes as switches, and the meter that notices each."""

from html import escape

import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.positions import sinusoidal_positions
from attention_core.experiments.position_kinds import one_word
from attention_core.experiments.position_similarity import (
    Meters,
    diagonal_spread,
    encoding_meters,
    products,
    rope_products,
)
from attention_core.experiments.wrong_on_purpose import (
    complaint_about_slices,
    positions_side_by_side,
    positions_with_raw_exponent,
    rope_products_of_mixed_pairs,
)
from attention_core.rows import largest_difference
from pages.charts.chart import rung
from pages.charts.matrix_image import matrix_picture
from pages.look.html import number, power_of_ten
from pages.page.page import Page
from pages.positional_encoding.questions import meter_question
from pages.positional_encoding.settings import Settings
from pages.positional_encoding.table import PAIR_AXES

RAW, ODD, APART, MIXED = (
    "exponent from the raw index",
    "an odd width",
    "all sines, then all cosines",
    "RoPE in two kinds of pairs",
)
MISTAKES = ("none", RAW, ODD, APART, MIXED)
CODE = {
    "none": "angle = t / base ** (2 * (j // 2) / d_model)",
    RAW: "angle = t / base ** (2 * j / d_model)",
    ODD: "pe[:, 0::2] = np.sin(angles)\npe[:, 1::2] = np.cos(angles)",
    APART: "pe = np.concatenate([sines, cosines], axis=-1)",
    MIXED: "scores = rotate(q) @ rotate_halves(k).T",
}
VERDICTS = {
    "none": "All four are 0 up to rounding: likeness depends on the distance alone, every row is equally long, a step "
    "turns each pair by its own angle, and RoPE does not notice where the sentence starts.",
    RAW: "Here j counts columns, where j // 2 would count pairs, so the sine and the cosine of a pair run at different "
    "speeds. No clock is left: rows differ in length, and likeness depends on where one stands. Nothing stops with an "
    "error: one must measure.",
    ODD: "Filling even and odd columns by slices stops with an error, which is the kindest kind of mistake. With the "
    "cosines cut to fit, the last sine stands without its partner. It is the slowest of all, so at a large base the "
    "meters hardly move; choose a small base and they do.",
    APART: "Dot products and lengths do not ask in which order columns stand, so the first two meters see nothing, and "
    "W_Q and W_K could learn that order too. It goes wrong where someone takes neighbours for a pair, as M(k) does.",
    MIXED: "Neighbours, (1, 2), (3, 4) …, or halves, (1, K/2 + 1) …: each pairing is right by itself. Mixed, as "
    "when weights of one library are loaded into another, q and k turn in different planes, and the scores change "
    "with the place where the sentence starts.",
}
SLIDE = 5
NOTICES = 1e-9  # above, it is more than rounding


def clinic_stage(page: Page, scene: Settings) -> None:
    """Show P Pᵀ under a mistake, and what each meter says of it."""
    if not page.ask(meter_question(scene.length, scene.d_model, scene.base, page.variant("meter"))):
        return
    which = page.controls.select("mistake", "The mistake", MISTAKES, RAW, width=340)
    table, alike, drift = examined(page, which, scene)
    meters = page.recipe.run("meters", encoding_meters, table, scene.base)
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        what = "q · k of one word everywhere" if which == MIXED else "p · p"
        spread = page.recipe.run("spread", diagonal_spread, alike)
        least = "less than 0.00001" if spread > NOTICES else "nothing"
        told = f"up to {number(spread, 5)}" if spread >= 0.00001 else least
        sentence = f"{what}: at one distance the numbers differ by {told}."
        limit = rung(scene.d_model / 2)
        page.show(matrix_picture(alike, PAIR_AXES, limit=limit, name="clinic", sentence=sentence, height=440))
    with right:
        page.write(f'<pre tabindex="0"><code>{escape(CODE[which])}</code></pre>')
        page.write(meter_table(meters, drift))
        page.say(VERDICTS[which], "")
        if which == ODD:
            odd = scene.d_model - 1
            complaint = page.recipe.run("complaint", complaint_about_slices, scene.length, odd, scene.base)
            page.write(f"At width {odd}, NumPy says: <code>{escape(complaint)}</code>.", "note")


def examined(page: Page, which: str, scene: Settings) -> tuple[Array, Array, float]:
    """Return the encoding under a mistake, the picture that shows it, and how far RoPE's scores move on a slide."""
    run, long, width, base = page.recipe.run, scene.length, scene.d_model, scene.base
    if which == RAW:
        table = run("table", positions_with_raw_exponent, long, width, base)
    elif which == APART:
        table = run("table", positions_side_by_side, long, width, base)
    else:
        table = run("table", sinusoidal_positions, long, width - 1 if which == ODD else width, base)
    same = run("same", one_word, long, width)
    scores = rope_products_of_mixed_pairs if which == MIXED else rope_products
    here, slid = run("here", scores, same, same, base), run("slid", scores, same, same, base, SLIDE)
    alike = here if which == MIXED else run("alike", products, table)
    return table, alike, run("drift", largest_difference, here, slid)


def meter_table(meters: Meters, drift: float) -> str:
    """Return each meter with what it shows; right is 0."""
    lines = []
    readings = (
        ("p · p at one distance differs by", meters.diagonals),
        ("lengths of rows differ by", meters.norms),
        (
            "a step misses the next row by",
            meters.steps,
        ),
        (f"RoPE’s scores, slid on by {SLIDE}, move by", drift),
    )
    for name, value in readings:
        caught = value > NOTICES
        look, sign = ("wrong", "✕ not 0") if caught else ("right", "✓ 0")
        shown = (number(value, 5) if value >= 0.00001 else power_of_ten(value)) if caught else "0"
        mark = f'<td style="color:var(--{look});white-space:nowrap">{sign}</td>'
        lines.append(f'<tr><td>{name}</td><td style="white-space:nowrap">{shown}</td>{mark}</tr>')
    return f"<table><tr><th>meter</th><th>now</th><th></th></tr>{''.join(lines)}</table>"
