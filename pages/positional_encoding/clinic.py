"""The bug clinic: common bugs, and the check that catches each."""

from functools import partial
from typing import Any

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.data_files import read_table
from attention_core.equations.positions import sinusoidal_positions
from attention_core.experiments.positions.position_kinds import one_word
from attention_core.experiments.positions.position_similarity import (
    diagonal_spread,
    encoding_invariants,
    gram_matrix,
    rope_products,
)
from attention_core.experiments.qkv.wrong_on_purpose import (
    complaint_about_slices,
    positions_side_by_side,
    positions_with_raw_exponent,
    rope_products_of_mixed_pairs,
)
from attention_core.rows import largest_difference
from pages.charts.chart import rung
from pages.charts.matrix_image import matrix_picture
from pages.look.facts import differs
from pages.look.html import prose, table, tiny
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.common import PAIR_AXES, show_asked
from pages.positional_encoding.scene import PositionScene
from pages.questions.kinds import Choice

STEP = Step(
    "bugs",
    "Checks can catch bugs that raise no error",
    "Four bugs in position encodings are common. One stops with an error. The others run, and every shape is right, "
    "but a number that should be 0 is not.",
    then="Choose a bug and read the checks.",
    experiment="mistake",
)

BUGS: dict[str, dict[str, Any]] = read_table(__file__)
NONE, RAW, ODD, HALVES, MIXED = BUGS
SAME = "{}. At one distance all numbers are the same."
APART = "{}. At one distance the numbers differ by {}."
SHIFT = 5
CHECKS = (
    "difference of p · p at one distance",
    "difference of lengths (norms)",
    "error of a rotation by one step",
    f"change of RoPE’s scores with a shift by {SHIFT}",
)
ASKED_BUGS = [name for name, bug in BUGS.items() if "asked" in bug]  # by variant
SIDE = 360  # pixels of a picture


def draw(page: Page, scene: PositionScene) -> bool:
    """Show P Pᵀ under a bug, and the value of each check."""
    run, variant = page.recipe.run, page.variant("meter")
    question = page.question("meter", partial(meter_question, scene.length, scene.d_model, scene.base))
    if not page.ask(question, then=lambda: show_asked(page, variant, mistake=ASKED_BUGS[variant % 3])):
        return False
    which = page.controls.select("mistake", "Bug", tuple(BUGS), RAW, width=340)
    encoding, products, drift = make_bug(page, which, scene)
    checks = run("checks", encoding_invariants, encoding, scene.base)
    left, right = st.columns(2, gap="medium")
    with left:
        page.head("With the bug" if which != NONE else "Correct")
        what = "q · k of one word everywhere" if which == MIXED else "p · p"
        spread = run("spread", diagonal_spread, products)
        page.prints("difference at one distance", "spread")
        sentence = APART.format(what, tiny(spread)) if differs(0.0, spread) else SAME.format(what)
        limit = rung(scene.d_model / 2)
        page.show(matrix_picture(products, PAIR_AXES, limit=limit, name="clinic", sentence=sentence, height=SIDE))
    if which != NONE:
        if which == MIXED:
            same = run("one_word", one_word, scene.length, scene.d_model)
            correct = run("correct", rope_products, same, same, scene.base)
        else:
            rows = run("correct_table", sinusoidal_positions, scene.length, scene.d_model, scene.base)
            correct = run("correct", gram_matrix, rows)
        with right:
            page.head("Correct")
            told = SAME.format(f"{what}, computed correctly")
            page.show(matrix_picture(correct, PAIR_AXES, limit=limit, name="correct", sentence=told, height=SIDE))
    under, beside = st.columns(2, gap="medium")
    with under:
        page.write(Markup('<pre tabindex="0"><code>{}</code></pre>').format(BUGS[which]["code"]))
        readings = zip(CHECKS, (checks.diagonals, checks.norms, checks.steps, drift), strict=True)
        page.write(table(("check", "result", ""), [(name, *reading(value)) for name, value in readings]))
    with beside:
        page.say(BUGS[which]["verdict"], "")
        if which == ODD:
            odd = scene.d_model - 1
            complaint = run("complaint", complaint_about_slices, scene.length, odd, scene.base)
            page.write(Markup("At width {}, NumPy says: <code>{}</code>.").format(odd, complaint), "note")
    return True


def make_bug(page: Page, which: str, scene: PositionScene) -> tuple[Array, Array, float]:
    """Return the encoding under a bug, the products that show it, and how much a shift changes RoPE's scores."""
    run, long, width, base = page.recipe.run, scene.length, scene.d_model, scene.base
    if which == RAW:
        encoding = run("table", positions_with_raw_exponent, long, width, base)
    elif which == HALVES:
        encoding = run("table", positions_side_by_side, long, width, base)
    else:
        encoding = run("table", sinusoidal_positions, long, width - 1 if which == ODD else width, base)
    same = run("same", one_word, long, width)
    scores = rope_products_of_mixed_pairs if which == MIXED else rope_products
    here, shifted = run("here", scores, same, same, base), run("shifted", scores, same, same, base, SHIFT)
    products = here if which == MIXED else run("products", gram_matrix, encoding)
    return encoding, products, run("drift", largest_difference, here, shifted)


def reading(value: float) -> tuple[Markup, Markup]:
    line = Markup('<span style="white-space:nowrap{}">{}</span>')
    if differs(0.0, value):
        return line.format("", tiny(value)), line.format(";color:var(--wrong)", "✕ not 0")
    return line.format("", "0"), line.format(";color:var(--right)", "✓ 0")


def meter_question(length: int, d_model: int, base: float, variant: int) -> Choice:
    """Ask which check a bug leaves at 0, or which one catches it."""
    bug = ASKED_BUGS[variant % 3]
    same = one_word(length, d_model)
    rope = rope_products_of_mixed_pairs if bug == MIXED else rope_products
    tables = {RAW: positions_with_raw_exponent, HALVES: positions_side_by_side, MIXED: sinusoidal_positions}
    values = (
        *encoding_invariants(tables[bug](length, d_model, base), base),
        largest_difference(rope(same, same, base), rope(same, same, base, SHIFT)),
    )
    caught = differs(0.0, values).tolist()
    right = [option for option, is_caught in zip(CHECKS, caught, strict=True) if is_caught != (bug == RAW)]
    shown = ", ".join(tiny(value) if is_caught else "0" for value, is_caught in zip(values, caught, strict=True))
    why = f"In this order, the checks are {shown}."
    reasons = dict(zip(CHECKS, BUGS[bug]["reasons"], strict=True))
    return Choice.of("meter", prose(BUGS[bug]["asked"]), right, why, reasons)
