"""The mask as it is added: its forms, how other libraries write it, and the way of one score through it."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.qkv.explain import explain_weight, masked_scores
from pages.causal_mask.common import (
    MASK_AXES,
    SCORE_LIMIT,
    cell_of,
    masked_count,
    masked_map,
    words_for,
)
from pages.causal_mask.conventions import NOTES, conventions_card
from pages.causal_mask.infinity import large_number, zero_times_infinity
from pages.causal_mask.scene import Masked
from pages.charts.chart import Chart, rung
from pages.charts.heatmap import CLICK, NO_LEGEND, SCORE_AXES, heatmap, hide, outline, scale, write
from pages.look import cards
from pages.look.html import in_role, inline, number
from pages.page.page import Page
from pages.page.steps import Step

STEP = Step(
    "+ −∞",
    "Masking adds −∞ to a score",
    "A mask can be boolean (here True means blocked), or it is added to the scaled scores. Adding 0 changes nothing, "
    "but adding −∞ makes the exponential 0, and then the attention weight is 0 too. Click a masked cell.",
    words="form",
    view="closer",
    views={"−10⁹ for −∞": large_number, "0 · −∞": lambda page, scene, _: zero_times_infinity(page, scene)},
)

FORMS = ("True / False", "0 / −∞", "score + mask", "attention weights")


def draw(page: Page, scene: Masked) -> bool:
    """Show the mask in its forms, and how one score goes through it."""
    form = page.controls.choice("form", "Show", FORMS, FORMS[2])
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        sentence, card = st.container(), st.container(border=True)
        cell = cell_of(page, scene)
        row, column = cell.fields()
    forms = ("blocked", "mask", f"({page.recipe.text(scene.plain.scores)} + mask)", "masked.weights")
    what = f"{form}: {scene.labels[row]}, {scene.labels[column]}"
    page.prints(what, f"{forms[FORMS.index(form)]}[{row}, {column}]")
    with sentence:
        page.write(cards.chips(scene.labels, row, column))
    with card:
        page.write(mask_card(scene, row, column))
    with left:
        note = "" if form in FORMS[:2] else scene.note
        page.show(form_map(scene, form, row, column), cell.choose, note=note)
    page.heading("Other libraries")
    page.say(
        "Boolean masks are a trap, because True has opposite meanings in different libraries. An inverted mask raises "
        "no error, but it allows what it should block, and blocks what it should allow. An inverted causal mask leaves "
        "the last row no key, and there `nn.MultiheadAttention` of PyTorch can return NaN.",
        "",
    )
    with st.container(border=True):
        page.write(conventions_card(scene, row, column))
        for note in NOTES:
            page.say(note, "note")
    page.heading("Look closer")
    STEP.choose_view(page, "Look closer", label_visibility="collapsed")(page, scene, row)
    return True


def form_map(scene: Masked, form: str, row: int, column: int) -> Chart:
    """Return the mask in one of its forms, or what it does to the scores."""
    if form == FORMS[3]:
        return masked_map(scene, row, column)
    labels = scene.labels
    layers = outline(row, column), hide(scene.blocked), CLICK
    if form == FORMS[2]:
        values = masked_scores(scene.masked)
        limit = SCORE_LIMIT if scene.kind == "random" else rung(float(abs(scene.plain.scores).max(initial=0)))
        texts = words_for(scene.blocked, values)
        sentence = f"Scaled scores with the mask added. {masked_count(scene)}"
        return heatmap(
            values, labels, labels, SCORE_AXES, scale(limit), write(texts), *layers, name=form, sentence=sentence
        )
    if form == FORMS[0]:
        values, texts = scene.blocked.astype(float), np.where(scene.blocked, "True", "False")
        sentence = f"The boolean mask: True is blocked. {masked_count(scene)}"
    else:
        values, texts = scene.mask, np.where(scene.blocked, "−∞", "0")
        sentence = f"The additive mask: 0 is allowed, −∞ is blocked. {masked_count(scene)}"
    texts = texts.astype(object)
    return heatmap(values, labels, labels, MASK_AXES, write(texts), NO_LEGEND, *layers, name=form, sentence=sentence)


def mask_card(scene: Masked, row: int, column: int) -> Markup:
    """Return how one score went through the mask."""
    steps = explain_weight(scene.masked, row, column)
    note = "blocked" if steps.blocked else "allowed"
    total = steps.score + steps.added
    shifted = [(f"− {number(steps.shift)}", "the row’s maximum", total - steps.shift)] if steps.shift else []
    power = number(total - steps.shift)
    added = " + ".join(number(value) for value in steps.row_exponentials[:8])
    more = " + …" if len(steps.row_exponentials) > 8 else ""
    lines = [
        ("scaled score", inline("q · k ÷ √d_k"), steps.score),
        ("+ mask", note, steps.added),
        ("score + mask", "", total),
        *shifted,
        (Markup("e<sup>{}</sup>").format(power), "", steps.exponential),
        ("÷ row sum", added + more, steps.row_sum),
        ("attention weight", "no key is left in the row" if steps.row_sum == 0 else "", steps.weight),
    ]
    title = Markup("How {} → {} became {}").format(
        in_role(scene.labels[row], "query"), in_role(scene.labels[column], "key"), number(steps.weight)
    )
    return cards.card(title, cards.chain(*lines))
