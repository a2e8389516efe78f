"""The mask as it is added: its forms, how other libraries write it, and what comes of a mask that is read inverted."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.masks import Blocked, additive_mask
from attention_core.experiments.masks.painted_masks import toggle_cells
from attention_core.experiments.qkv.explain import explain_weight
from attention_core.experiments.qkv.one_head import attend
from attention_core.experiments.qkv.wrong_on_purpose import (
    softmax_of_sum,
    softmax_with_large_number,
    triangle_times_infinity,
)
from pages.causal_mask.common import MASK_AXES, SCORE_LIMIT, cell_of, words_for
from pages.causal_mask.scene import Masked
from pages.charts.bars import fraction_bars
from pages.charts.chart import Chart, rung
from pages.charts.heatmap import (
    ATTENTION_AXES,
    CLICK,
    NO_LEGEND,
    SCORE_AXES,
    SMALL,
    Layer,
    heatmap,
    hide,
    outline,
    scale,
    write,
)
from pages.look import cards
from pages.look.html import in_role, inline, number, prose, table
from pages.page.fields.chosen_cell import ChosenCell
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.reproduce.recipe import Short

STEP = Step(
    "+ −∞",
    "Masking adds −∞ to a score",
    "A mask is boolean, or it is added to the scaled scores: 0 changes nothing, and −∞ makes the exponential 0. But "
    "True means *blocked* in some libraries and *allowed* in others, and a mask that is read inverted raises no error.",
    asks="What does an inverted mask do?",
    words="bits",
    experiment="form reads row_has",
    helps="filled multiplied sums",
)
FORMS = ("True / False", "0 / −∞", "score + mask", "attention weights")
READS = ("blocked", "allowed")
KEYS = ("none", "as in the mask")
CONVENTIONS = (  # where, argument, and what stands there for a blocked and for an allowed key
    ("this course", "`mask`", "True", "False"),
    ("PyTorch `nn.MultiheadAttention`", "`attn_mask`", "True", "False"),
    ("PyTorch `F.scaled_dot_product_attention`", "`attn_mask`", "False", "True"),
    ("all three, additive (float)", "the same", "−∞", "0"),
    ("`nn.MultiheadAttention`, padding", "`key_padding_mask`", "True", "False"),
    ("Hugging Face models, padding", "`attention_mask`", "0", "1"),
)


def draw(page: Page, scene: Masked) -> bool:
    """Show the mask in its forms, read as it is meant or inverted."""
    run, cell = page.recipe.run, cell_of(page, scene)
    inverted = run("inverted_mask", additive_mask, page.recipe.given("inverted", ~scene.blocked, Short("~blocked")))
    weights = run("inverted_weights", softmax_of_sum, scene.plain.scores, inverted)

    def draw_usual() -> None:
        page.show(form_map(scene, FORMS[2], scene.blocked, scene.masked.weights, (None, None)))

    if not page.ask(
        inverted_question(scene, weights), draw_usual, then=lambda: page.controls.put(form=FORMS[3], reads=READS[1])
    ):
        return False
    with page.fields:
        form = page.controls.choice("form", "Show", FORMS, FORMS[2])
        reads = page.controls.choice("reads", "True is read as", READS, READS[0])
    row, column = cell.chosen
    usual = reads == READS[0]
    left, right = st.columns([1.18, 1], gap="medium")
    mask = page.recipe.text(scene.mask if usual else inverted)
    kept = "blocked" if usual or form == FORMS[0] else "inverted"
    shown = "masked.weights" if usual else "inverted_weights"
    forms = (kept, mask, f"({page.recipe.text(scene.plain.scores)} + {mask})", shown)
    page.prints(f"{form}: {scene.labels[row]}, {scene.labels[column]}", f"{forms[FORMS.index(form)]}[{row}, {column}]")
    with left:
        blocked = scene.blocked if usual or form == FORMS[0] else ~scene.blocked
        chart = form_map(scene, form, blocked, scene.masked.weights if usual else weights, (row, column))
        page.show(chart, cell.choose, note="" if form in FORMS[:2] else scene.origin)
    with right, st.container(border=True):
        lines = [(Markup("{} <br>{}").format(*map(inline, one[:2])), *one[2:]) for one in CONVENTIONS]
        page.write(cards.card("The same mask in libraries", table(("where", "blocked", "allowed"), lines, folds=True)))
    page.look_closer("The way of one score through the mask", partial(follow, page, scene, cell))
    page.look_closer("−10⁹ in place of −∞", partial(large_number, page, scene, row))
    page.look_closer("0 · −∞ is not a number", partial(zero_times_infinity, page, scene))
    return True


def form_map(
    scene: Masked, form: str, blocked: Blocked, weights: Array, chosen: tuple[int | None, int | None]
) -> Chart:
    """Return a mask in one of its forms, or what it does to the scores; rows that are not a number say so."""
    labels, mask = scene.labels, np.where(blocked, -np.inf, 0.0)
    told = "Grey cells are blocked."
    axes, values = MASK_AXES, mask
    more: tuple[Layer, ...] = (NO_LEGEND,)
    if form == FORMS[0]:
        values, texts = blocked.astype(float), np.where(blocked, "True", "False").astype(object)
    elif form == FORMS[1]:
        texts = np.where(blocked, "−∞", "0").astype(object)
    elif form == FORMS[2]:
        axes, values = SCORE_AXES, scene.plain.scores + mask
        limit = SCORE_LIMIT if scene.kind == "random" else rung(float(abs(scene.plain.scores).max(initial=0)))
        more, texts = (scale(limit),), words_for(blocked, values)
    else:
        lost = np.isnan(weights)
        axes, values, more = ATTENTION_AXES, np.where(lost, 0.0, weights), ()
        texts = words_for(blocked, weights)
        texts[blocked & ~lost] = ""
        if lost.any():
            told += " Where no key is left, the formula is 0 ÷ 0, and PyTorch can return NaN."
    layers = outline(*chosen), hide(blocked), CLICK, write(texts)
    return heatmap(values, labels, labels, axes, *more, *layers, name=form, sentence=told)


def follow(page: Page, scene: Masked, cell: ChosenCell) -> None:
    """Follow one score through the mask, and let the cell be chosen."""
    with st.container(horizontal=True):
        chosen = cell.fields()
    page.write(mask_card(scene, *chosen))


def mask_card(scene: Masked, row: int, column: int) -> Markup:
    steps = explain_weight(scene.masked, row, column)
    total = steps.score + steps.added
    shifted = [(f"− {number(steps.shift)}", "the row’s maximum", total - steps.shift)] if steps.shift else []
    lines = [
        ("scaled score", inline("q · k ÷ √d_k"), steps.score),
        ("+ mask", "blocked" if steps.blocked else "allowed", steps.added),
        ("score + mask", "", total),
        *shifted,
        (Markup("e<sup>{}</sup>").format(number(total - steps.shift)), "", steps.exponential),
        ("÷ row sum", cards.sum_of(steps), steps.row_sum),
        ("attention weight", "", steps.weight),
    ]
    title = Markup("How {} → {} became {}").format(
        in_role(scene.labels[row], "query"), in_role(scene.labels[column], "key"), number(steps.weight)
    )
    return cards.card(title, cards.chain(*lines))


def large_number(page: Page, scene: Masked, row: int) -> None:
    """Compare −10⁹ with −∞ in a row that has keys left, and in one that has none."""
    page.say(
        "Much code adds −10⁹. If a row has an allowed key, this gives the same weights, because e to the power −10⁹ is "
        "rounded to 0. But if no key is left, it is added to every score, and softmax ignores such a constant. In 64 "
        "bits the row is then as without a mask. In 32 bits, numbers near 10⁹ are 64 apart, so small differences are "
        "lost.",
        "",
    )
    controls = page.controls
    with st.container(horizontal=True, vertical_alignment="bottom"):
        has = controls.choice("row_has", "Allowed keys", KEYS, KEYS[0])
        bits = int(controls.choice("bits", "Bits per number", ("64", "32"), "64"))
    cells = [(row, j) for j in scene.positions if not scene.blocked[row, j]] if has == KEYS[0] else []
    run = page.recipe.run
    blocked = run("row_blocked", toggle_cells, scene.blocked, cells)
    infinite = run("with_infinity", attend, scene.x, scene.head, run("row_mask", additive_mask, blocked)).weights
    large = run("with_large_number", softmax_with_large_number, scene.plain.scores, blocked, bits).astype(float)
    grid = st.grid(3, min_column_width=230, gap="medium")
    told = {
        "without a mask": (scene.plain.weights, "The row when nothing is blocked."),
        "with −∞": (infinite, "The row with −∞ added."),
        "with −10⁹": (large, "The row with −10⁹ added."),
    }
    for title, (weights, sentence) in told.items():
        with grid.cell():
            page.show(fraction_bars(scene.labels, weights[row], name=title, sentence=sentence, title=title, of="key"))


def zero_times_infinity(page: Page, scene: Masked) -> None:
    """Show the mask that is made by multiplying a triangle of ones by −∞, and what it does."""
    page.say(
        "A tempting line multiplies a triangle by −∞: ones above the diagonal, zeros elsewhere. But 0 · −∞ is not a "
        "number (NaN), and one NaN in a row of scores makes the whole row NaN. Select 0 or −∞ with `np.where`.",
        "",
    )
    run, labels = page.recipe.run, scene.labels
    times = run("times_infinity", triangle_times_infinity, len(labels))
    spoilt = run("spoilt", softmax_of_sum, scene.plain.scores, times)
    for column, name, values in zip(
        st.columns(2, gap="medium"), ("triangle times −∞", "weights from it"), (times, spoilt), strict=True
    ):
        lost = np.isnan(values)
        texts = np.array([number(value, 0) for value in values.ravel()], dtype=object).reshape(values.shape)
        layers = scale(4.0, amounts=True), hide(~lost), write(texts), SMALL, NO_LEGEND
        axes, told = MASK_AXES._replace(value="NaN"), "Coloured: not a number."
        with column:
            page.head(name)
            page.show(heatmap(lost.astype(float), labels, labels, axes, *layers, name=name, sentence=told))


def inverted_question(scene: Masked, weights: Array) -> Choice:
    """Ask what an inverted causal mask leaves to the last word."""
    text = prose(
        "You pass the causal mask of this course, in which True means blocked, to a function that reads True as "
        "allowed. What becomes of the row of the last word, {word}?",
        word=scene.labels[-1],
    )
    right = "No key is left: NaN"
    reasons = {
        "It attends to itself alone": "The diagonal is False in the mask, so it is now blocked as well.",
        "It attends to all words, as before": "For the last word the mask is False everywhere. Here False blocks.",
        "The function raises an error": "The mask has the right shape and type, so nothing complains.",
    }
    assert np.isnan(weights[-1]).all()
    why = "Its row of the mask is False everywhere, so every key is blocked, and softmax becomes 0 ÷ 0."
    return Choice.of("inverted", text, right, why, reasons, 1)
