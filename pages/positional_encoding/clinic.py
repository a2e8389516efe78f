"""The bug clinic: famous mistakes, and the meter that notices each."""

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.positions import sinusoidal_positions
from attention_core.experiments.position_kinds import one_word
from attention_core.experiments.position_similarity import (
    Invariants,
    diagonal_spread,
    encoding_invariants,
    gram_matrix,
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
from pages.look import thumbnails
from pages.look.html import number, power_of_ten, prose, table
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.positional_encoding.common import PAIR_AXES, ROUNDING, SMALL, SMALL_BASE
from pages.positional_encoding.scene import Scene

STEP = Step(
    "clinic",
    "Four mistakes and their meters",
    "The table is four lines of code, and there are four famous ways to get them wrong. All but one run without an "
    "error, and no shape gives them away. What does is a number that should be 0.",
)

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


def draw(page: Page, scene: Scene) -> bool:
    """Show P Pᵀ under a mistake, and what each meter says of it."""
    if not page.ask(meter_question(scene.length, scene.d_model, scene.base, page.variant("meter"))):
        return False
    which = page.controls.select("mistake", "The mistake", MISTAKES, RAW, width=340)
    encoding, alike, drift = make_mistake(page, which, scene)
    meters = page.recipe.run("meters", encoding_invariants, encoding, scene.base)
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        what = "q · k of one word everywhere" if which == MIXED else "p · p"
        spread = page.recipe.run("spread", diagonal_spread, alike)
        least = "less than 0.00001" if spread > ROUNDING else "nothing"
        told = f"up to {number(spread, 5)}" if spread >= 0.00001 else least
        sentence = f"{what}: at one distance the numbers differ by {told}."
        limit = rung(scene.d_model / 2)
        page.show(matrix_picture(alike, PAIR_AXES, limit=limit, name="clinic", sentence=sentence, height=440))
    with right:
        page.write(Markup('<pre tabindex="0"><code>{}</code></pre>').format(CODE[which]))
        page.write(meter_table(meters, drift))
        page.say(VERDICTS[which], "")
        if which == ODD:
            odd = scene.d_model - 1
            complaint = page.recipe.run("complaint", complaint_about_slices, scene.length, odd, scene.base)
            page.write(Markup("At width {}, NumPy says: <code>{}</code>.").format(odd, complaint), "note")
    return True


def thumbnail(scene: Scene) -> Markup:
    """Return the small picture of the step."""
    wrong = positions_with_raw_exponent(SMALL, SMALL, SMALL_BASE)
    return thumbnails.thumbnail(gram_matrix(wrong), SMALL / 2)


def make_mistake(page: Page, which: str, scene: Scene) -> tuple[Array, Array, float]:
    """Return the encoding under a mistake, the picture that shows it, and how far RoPE's scores move on a slide."""
    run, long, width, base = page.recipe.run, scene.length, scene.d_model, scene.base
    if which == RAW:
        encoding = run("table", positions_with_raw_exponent, long, width, base)
    elif which == APART:
        encoding = run("table", positions_side_by_side, long, width, base)
    else:
        encoding = run("table", sinusoidal_positions, long, width - 1 if which == ODD else width, base)
    same = run("same", one_word, long, width)
    scores = rope_products_of_mixed_pairs if which == MIXED else rope_products
    here, slid = run("here", scores, same, same, base), run("slid", scores, same, same, base, SLIDE)
    alike = here if which == MIXED else run("alike", gram_matrix, encoding)
    return encoding, alike, run("drift", largest_difference, here, slid)


def meter_table(meters: Invariants, drift: float) -> Markup:
    """Return each meter with what it shows; right is 0."""
    readings = (
        ("p · p at one distance differs by", meters.diagonals),
        ("lengths of rows differ by", meters.norms),
        ("a step misses the next row by", meters.steps),
        (f"RoPE’s scores, slid on by {SLIDE}, move by", drift),
    )
    return table(("meter", "now", ""), [(name, *reading(value)) for name, value in readings])


def reading(value: float) -> tuple[Markup, Markup]:
    """Return what a meter shows, and whether that is right."""
    line = Markup('<span style="white-space:nowrap{}">{}</span>')
    if value <= ROUNDING:
        return line.format("", "0"), line.format(";color:var(--right)", "✓ 0")
    shown = number(value, 5) if value >= 0.00001 else power_of_ten(value)
    return line.format("", shown), line.format(";color:var(--wrong)", "✕ not 0")


def meter_question(length: int, d_model: int, base: float, variant: int) -> Choice:
    """Ask which meter notices that columns stand apart, or that RoPE's pairs are mixed."""
    same = one_word(length, d_model)
    mixed = variant % 2 == 1
    rope = rope_products_of_mixed_pairs if mixed else rope_products
    encoding = (sinusoidal_positions if mixed else positions_side_by_side)(length, d_model, base)
    values = (
        *encoding_invariants(encoding, base),
        largest_difference(rope(same, same, base), rope(same, same, base, SLIDE)),
    )
    options = (
        "how far p · p differs along a diagonal",
        "how far the lengths of two rows differ",
        "how far a turn by one step misses the next row",
        "how far RoPE’s scores move on a slide",
    )
    right = tuple(i for i, value in enumerate(values) if value > ROUNDING)
    if mixed:
        what = "turns q in pairs of neighbours, (1, 2), (3, 4) …, and k in pairs a half apart"
        table_is_whole = "The table of sines and cosines is not touched by it."
        reasons = (table_is_whole, table_is_whole, table_is_whole, "")
    else:
        what = "writes all sines into the first half of the columns and all cosines into the second"
        reasons = (
            "A product of two rows does not ask in which order the columns stand.",
            "Each row holds the same numbers, so it is as long as it was.",
            "",
            "RoPE makes its own angles and does not read this table.",
        )
    text = prose(f"Someone {what}. Which of these numbers is not 0 any more and gives it away?")
    mistakes = tuple("" if i in right else reasons[i] for i in range(4))
    shown = "; ".join(f"{options[i]}: {number(values[i], 4)}" for i in right)
    return Choice("meter", text, options, right, f"Measured: {shown}. The others are 0.", mistakes)
