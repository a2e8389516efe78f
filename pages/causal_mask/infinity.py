"""−10⁹ for −∞ in a row that has keys left and in one that has none, and the mask that is a product of 0 and −∞."""

import numpy as np
import streamlit as st

from attention_core.equations.masks import additive_mask, toggle_cells
from attention_core.experiments.qkv.one_head import attend
from attention_core.experiments.qkv.wrong_on_purpose import (
    softmax_of_sum,
    softmax_with_large_number,
    triangle_times_infinity,
)
from attention_core.rows import largest_difference, row_distances
from pages.causal_mask.common import MASK_AXES
from pages.causal_mask.scene import Masked
from pages.charts.bars import fraction_bars
from pages.charts.heatmap import NO_LEGEND, SMALL, heatmap, hide, scale, write
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions.kinds import Choice

KEYS = ("none", "as in the mask")


def large_number(page: Page, scene: Masked, row: int) -> None:
    """Compare −10⁹ with −∞ in a row that has keys left, and in one that has none."""
    page.say(
        "Much code adds −10⁹ instead of −∞. If a row has an allowed key, both give the same attention weights, because "
        "e to the power −10⁹ is rounded to 0. They differ if every key of a row is blocked.",
        "",
    )
    controls = page.controls
    with st.container(horizontal=True, vertical_alignment="bottom"):
        has = controls.choice("row_has", "Allowed keys", KEYS, KEYS[0])
        bits = int(controls.choice("bits", "Bits per number", ("64", "32"), "64"))
    if has == KEYS[0] and not page.ask(blocked_question(scene, row, bits)):
        return
    cells = [(row, j) for j in scene.positions if not scene.blocked[row, j]] if has == KEYS[0] else []
    run = page.recipe.run
    blocked = run("row_blocked", toggle_cells, scene.blocked, cells)
    infinite = run("with_infinity", attend, scene.x, scene.head, run("row_mask", additive_mask, blocked)).weights
    large = run("with_large_number", softmax_with_large_number, scene.plain.scores, blocked, bits).astype(float)
    gap = largest_difference(large[row : row + 1], infinite, [row])
    grid = st.grid(3, min_column_width=230, gap="medium")
    told = {
        "without a mask": (scene.plain.weights, "The row when nothing is blocked."),
        "with −∞": (infinite, "All attention weights are 0." if blocked[row].all() else "The row with −∞ added."),
        "with −10⁹": (large, f"Largest difference from −∞: {number(gap)}."),
    }
    for title, (weights, sentence) in told.items():
        with grid.cell():
            page.show(fraction_bars(scene.labels, weights[row], name=title, sentence=sentence, title=title, of="key"))


def zero_times_infinity(page: Page, scene: Masked) -> None:
    """Show the mask that is made by multiplying a triangle of ones by −∞, and what it does."""
    page.say(
        "A tempting line multiplies a triangle by −∞: ones above the diagonal, zeros elsewhere. The ones become −∞, as "
        "they should. But 0 · −∞ is not a number (NaN), and one NaN in a row of scores makes the whole row NaN. "
        "Select 0 or −∞ instead, with `np.where`.",
        "",
    )
    run, labels = page.recipe.run, scene.labels
    times = run("times_infinity", triangle_times_infinity, len(labels))
    spoilt = run("spoilt", softmax_of_sum, scene.plain.scores, times)
    n_mask, n_weights = int(np.isnan(times).sum()), int(np.isnan(spoilt).sum())
    sentence = f"{n_weights} of {spoilt.size} attention weights are NaN, and so is every output."
    first, second = st.columns(2, gap="medium")
    for column, name, values, told in (
        (first, "triangle times −∞", times, f"{n_mask} of {times.size} cells of this mask are NaN."),
        (second, "attention weights from it", spoilt, sentence),
    ):
        texts = np.array([number(value, 0) for value in values.ravel()], dtype=object).reshape(values.shape)
        with column:
            page.head(name)
            layers = scale(4.0, amounts=True), hide(~np.isnan(values)), write(texts), SMALL, NO_LEGEND
            page.show(
                heatmap(
                    np.isnan(values).astype(float),
                    labels,
                    labels,
                    MASK_AXES._replace(value="NaN"),
                    *layers,
                    name=name,
                    sentence=told,
                )
            )


def blocked_question(scene: Masked, row: int, bits: int) -> Choice:
    """Ask what −10⁹ does to a row in which every key is blocked.

    32-bit numbers near 10⁹ are 64 apart: scores within ±32 all vanish, larger ones are rounded to a multiple of 64.
    """
    length = len(scene.words)
    usual = scene.plain.weights[row : row + 1]
    weights = softmax_with_large_number(scene.plain.scores[row : row + 1], np.ones((1, length), bool), bits)  # (1, S)
    text = prose(
        f"Block every key of {{word}}, but add −10⁹ instead of −∞, in {bits}-bit numbers. What are the attention "
        "weights of its row?",
        word=scene.labels[row],
    )
    if length == 1:
        why = "−10⁹ lowers the only score, but softmax still gives a single key all of its attention."
        return Choice(
            "blocked", text, ("0", "1"), (1,), why, ("You treated −10⁹ as −∞. It is low, but it is still a score.", "")
        )
    options: tuple[str, ...] = ("All 0", "The same as without a mask", f"All {number(1 / length)} (uniform)", "All NaN")
    same = float(row_distances(weights, usual)[0]) < 1e-6
    uniform = float(np.ptp(weights)) < 1e-6
    rounded = bits == 32 and not uniform
    right = tuple(option for option, true in ((1, same), (2, uniform), (4, rounded)) if true)
    mistakes = [
        "You treated −10⁹ as −∞. But it is an ordinary number, so softmax still gives weights that sum to 1.",
        "You kept the differences between the scores. In 32 bits they are rounded beside 10⁹, and small ones are lost.",
        "You rounded away the differences between the scores. "
        + ("In 64 bits they survive beside 10⁹." if bits == 64 else "Those of this row are large enough to survive."),
        "You computed with −∞, and −∞ − (−∞) is NaN. But −10⁹ is an ordinary number.",
    ]
    if bits == 32:
        options += ("Everything on the largest scores",)
        mistakes.append("You let one score win, but the scores of this row are too close to be told apart.")
    return Choice("blocked", text, options, right, reason(bits, uniform), tuple(mistakes))


def reason(bits: int, uniform: bool) -> str:
    """Return why −10⁹ leaves a row as it was, makes it uniform, or puts all of it on its largest scores."""
    near = "Near 10⁹, 32-bit numbers are 64 apart, so "
    told = (
        "Softmax ignores a constant that is added to a whole row, and here −10⁹ is such a constant. "
        if bits == 64
        else near + "all scores become the same number. "
        if uniform
        else near + "scores are rounded to multiples of 64, and the largest multiple wins. "
    )
    return told + "With −∞ no key is left, and this course sets such a row to 0."
