"""The mask as it is added: its forms, the way of one score through it, −10⁹ for −∞, and 0 · −∞."""

from typing import Any

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.equations.masks import additive_mask, toggle_cells
from attention_core.experiments.explain import explain_weight
from attention_core.experiments.one_head import attend
from attention_core.experiments.perturb import masked_scores
from attention_core.experiments.wrong_on_purpose import (
    softmax_of_sum,
    softmax_with_large_number,
    triangle_times_infinity,
)
from attention_core.rows import largest_difference, row_distances
from pages.causal_mask.common import MASK_AXES, SCORE_LIMIT, chosen_cell, hidden_count, masked_map, picker, words_for
from pages.causal_mask.scene import Masked
from pages.charts.bars import share_bars
from pages.charts.chart import Chart, rung
from pages.charts.heatmap import SCORE_AXES, heatmap
from pages.look import cards, thumbnails
from pages.look.html import in_role, inline, number, prose
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step

STEP = Step(
    "+ −∞",
    "A blocked score has −∞ added",
    "A mask can be written as True and False, where True means blocked, or as what is added to the scaled scores: "
    "0 leaves a score as it is, −∞ makes its exponential 0. Click a hidden cell and follow it to its weight.",
)

FORMS = ("True / False", "0 / −∞", "score + mask", "weights")
CLOSER = ("−10⁹ for −∞", "0 · −∞")
ROWS = ("nothing to look at", "its usual keys")


def draw(page: Page, scene: Masked) -> bool:
    """Show the mask in its forms, and how one score goes through it."""
    form = page.controls.choice("form", "Show", FORMS, FORMS[2])
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        sentence, card = st.container(), st.container(border=True)
        row, column = chosen_cell(page, scene)
    with sentence:
        page.write(cards.chips(scene.labels, row, column))
    with card:
        page.write(mask_card(scene, row, column))
    with left:
        note = "" if form in FORMS[:2] else scene.origin
        page.show(form_map(scene, form, row, column), picker(page, scene), note=note)
    st.header("Look closer", anchor=False)
    closer = page.controls.choice("closer", "Look closer", CLOSER, CLOSER[0], label_visibility="collapsed")
    if closer == CLOSER[0]:
        large_number(page, scene, row)
    else:
        zero_times_infinity(page, scene)
    return True


def thumbnail(scene: Masked) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(masked_scores(scene.masked), SCORE_LIMIT)


def form_map(scene: Masked, form: str, row: int, column: int) -> Chart:
    """Return the mask in one of its forms, or what it does to the scores."""
    if form == FORMS[3]:
        return masked_map(scene, row, column)
    labels = scene.labels
    options: dict[str, Any] = {"chosen": (row, column), "hidden": scene.blocked, "clickable": True}
    if form == FORMS[2]:
        values = masked_scores(scene.masked)
        limit = SCORE_LIMIT if scene.whose == "random" else rung(float(abs(scene.plain.scores).max(initial=0)))
        texts = words_for(scene.blocked, values)
        sentence = f"The scores with the mask added. {hidden_count(scene)}"
        return heatmap(
            values, labels, labels, SCORE_AXES, name=form, sentence=sentence, limit=limit, texts=texts, **options
        )
    if form == FORMS[0]:
        values, texts = scene.blocked.astype(float), np.where(scene.blocked, "True", "False")
        sentence = f"The mask as True and False: True is blocked. {hidden_count(scene)}"
    else:
        values, texts = scene.mask, np.where(scene.blocked, "−∞", "0")
        sentence = f"The mask as it is added: 0 where a key may be seen, −∞ where not. {hidden_count(scene)}"
    return heatmap(
        values,
        labels,
        labels,
        MASK_AXES,
        name=form,
        sentence=sentence,
        texts=texts.astype(object),
        legend=False,
        **options,
    )


def mask_card(scene: Masked, row: int, column: int) -> Markup:
    """Return how one score went through the mask."""
    steps = explain_weight(scene.masked, row, column)
    note = "blocked" if steps.blocked else "allowed"
    total = steps.score + steps.added
    shifted = [(f"− {number(steps.shift)}", "the row’s maximum", total - steps.shift)] if steps.shift else []
    power = number(total - steps.shift)
    added = " + ".join(number(value, 1) for value in steps.row_exponentials[:8])
    more = " + …" if len(steps.row_exponentials) > 8 else ""
    lines = [
        ("scaled score", inline("q · k ÷ √d_k"), steps.score),
        ("+ mask", note, steps.added),
        ("score + mask", "", total),
        *shifted,
        (Markup("e<sup>{}</sup>").format(power), "", steps.exponential),
        ("÷ row sum", added + more, steps.row_sum),
        ("weight", "nothing to share" if steps.row_sum == 0 else "", steps.weight),
    ]
    title = Markup("How {} → {} became {}").format(
        in_role(scene.labels[row], "query"), in_role(scene.labels[column], "key"), number(steps.weight)
    )
    return cards.card(title, cards.chain(*lines))


def large_number(page: Page, scene: Masked, row: int) -> None:
    """Compare −10⁹ with −∞ in a row that has keys left, and in one that has none."""
    page.say(
        "Much code writes −10⁹ where −∞ is meant. While a row has a key left the two agree: e to the −10⁹ is too small "
        "for any number of a computer, so it is 0. The difference shows in a row where everything is blocked.",
        "",
    )
    controls = page.controls
    with st.container(horizontal=True, vertical_alignment="bottom"):
        has = controls.choice("row_has", "The row has", ROWS, ROWS[0])
        bits = int(controls.choice("bits", "Bits of a number", ("64", "32"), "64"))
    if has == ROWS[0] and not page.ask(blocked_question(scene, row, bits)):
        return
    cells = [(row, j) for j in scene.place if not scene.blocked[row, j]] if has == ROWS[0] else []
    run = page.recipe.run
    blocked = run("row_blocked", toggle_cells, scene.blocked, cells)
    infinite = run("with_infinity", attend, scene.x, scene.head, run("row_mask", additive_mask, blocked)).weights
    large = run("with_large_number", softmax_with_large_number, scene.plain.scores, blocked, bits).astype(float)
    gap = largest_difference(large[row : row + 1], infinite, [row])
    grid = st.grid(3, min_column_width=230, gap="medium")
    told = {
        "without a mask": (scene.plain.weights, "The row as it is when nothing is blocked."),
        "with −∞": (infinite, "All weights are 0." if blocked[row].all() else "The row with −∞ added."),
        "with −10⁹": (large, f"Largest difference to −∞: {number(gap)}."),
    }
    for title, (weights, sentence) in told.items():
        with grid.cell():
            page.show(share_bars(scene.labels, weights[row], name=title, sentence=sentence, title=title, of="key"))


def zero_times_infinity(page: Page, scene: Masked) -> None:
    """Show the mask that is made by multiplying a triangle of ones by −∞, and what it does."""
    page.say(
        "A tempting line makes the mask by multiplication: ones above the diagonal, zeros elsewhere, times −∞. The "
        "ones become −∞ as they should. But 0 · ∞ is no number, so the allowed cells become NaN, and a softmax that "
        "meets one NaN in a row gives NaN for the whole row. Choose between 0 and −∞ instead, as `np.where` does.",
        "",
    )
    run, labels = page.recipe.run, scene.labels
    times = run("times_infinity", triangle_times_infinity, len(labels))
    spoilt = run("spoilt", softmax_of_sum, scene.plain.scores, times)
    n_mask, n_weights = int(np.isnan(times).sum()), int(np.isnan(spoilt).sum())
    first, second = st.columns(2, gap="medium")
    for place, name, values, sentence in (
        (first, "triangle times −∞", times, f"{n_mask} of {times.size} cells of this mask are NaN."),
        (second, "weights after it", spoilt, f"{n_weights} of {spoilt.size} weights are NaN: the model says nothing."),
    ):
        texts = np.array([number(value, 0) for value in values.ravel()], dtype=object).reshape(values.shape)
        with place:
            page.head(name)
            page.show(
                heatmap(
                    np.isnan(values).astype(float),
                    labels,
                    labels,
                    MASK_AXES._replace(value="NaN"),
                    name=name,
                    sentence=sentence,
                    limit=4.0,
                    amounts=True,
                    hidden=~np.isnan(values),
                    texts=texts,
                    legend=False,
                    small=True,
                )
            )


def blocked_question(scene: Masked, row: int, bits: int) -> Choice:
    """Ask what −10⁹ does to a row in which every key is blocked."""
    length = len(scene.words)
    everything = np.ones((1, length), dtype=bool)
    weights = softmax_with_large_number(scene.plain.scores[row : row + 1], everything, bits)[0]
    usual = scene.plain.weights[row : row + 1]
    same = float(row_distances(weights[None], usual)[0]) < 1e-6
    even = float(np.ptp(usual)) < 1e-6
    text = prose(
        f"Block every key of {{word}}, and write −10⁹ where −∞ should stand, in numbers of {bits} bits. "
        "What are the weights of its row?",
        word=scene.labels[row],
    )
    options = (
        "All 0",
        "What they are without a mask",
        f"All {number(1 / length)}: the same share for each",
        "All NaN",
    )
    why = (
        "10⁹ was taken from every score alike, and softmax forgets what all scores of a row have in common. "
        if same
        else "Numbers of 32 bits near 10⁹ stand 64 apart, so every score becomes the same −10⁹. "
    ) + "With −∞ there is nothing left to share, and the course gives such a row zeros."
    if length == 1:
        return Choice("blocked", text, ("0", "1"), (1,), why, ("−10⁹ is low, but it is a score: it takes all.", ""))
    right = (1, 2) if same and even else (1,) if same else (2,)
    mistakes = [
        "That is what −∞ gives. −10⁹ is a number like any other, and softmax makes shares of it.",
        "That is so in 64 bits, where the differences between the scores survive beside 10⁹.",
        "That is so in 32 bits, where the scores are lost beside 10⁹.",
        "NaN comes from −∞ − (−∞); −10⁹ is a number.",
    ]
    told = tuple("" if i in right else mistake for i, mistake in enumerate(mistakes))
    return Choice("blocked", text, options, right, why, told)
