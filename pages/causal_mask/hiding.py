"""The weights without the mask and with it, and what the mask does to those of one word."""

from html import escape

import streamlit as st

from attention_core.leaks import weight_on_blocked
from pages.causal_mask.questions import count_question
from pages.causal_mask.scene import Masked
from pages.causal_mask.views import chosen_cell, empty_rows, masked_map, picker, plain_map
from pages.shared import cards
from pages.shared.frame import Page
from pages.shared.markup import number, tiny


def see(page: Page, scene: Masked) -> bool:
    """Show the weights without the mask and with it, side by side."""
    ready = page.ask(count_question(scene, page.variant("count")))
    first, second = st.columns(2, gap="medium")
    left, right = st.columns([1.18, 1], gap="medium")
    with right if ready else second:
        sentence = st.container()
        row, column = chosen_cell(page, scene)
    with first:
        page.write("<b>Without a mask</b>", "shape")
        untrained = "This head was trained with one; without it, this is what it does all the same."
        page.show(plain_map(scene, row), note=untrained if scene.whose == "trained" else "")
    with second:
        if ready:
            page.write(f"<b>With the mask:</b> {scene.name}", "shape")
            page.show(masked_map(scene, row, column), picker(page, scene), note=scene.origin)
    if ready:
        with left, st.container(border=True):
            page.write(weights_card(scene, row))
        with sentence:
            page.write(cards.chips(scene.labels, row))
    return ready


def weights_card(scene: Masked, row: int) -> str:
    """Return what the mask did to the weights of one word."""
    name = f'<b class="query">{escape(scene.labels[row])}</b>'
    plain = scene.plain.weights
    gone, left = (float(weight_on_blocked(plain, places)[row]) for places in (scene.blocked, ~scene.blocked))
    lines = []
    for label, before, after, blocked in zip(
        scene.labels, plain[row], scene.masked.weights[row], scene.blocked[row], strict=True
    ):
        after_text = '<span class="soft">hidden</span>' if blocked else number(after)
        lines.append(f"<tr><td>{escape(label)}</td><td>{number(before)}</td><td>{after_text}</td></tr>")
    head = "<tr><th>key</th><th>without</th><th>with the mask</th></tr>"
    if row in empty_rows(scene):
        told = "Nothing is left to look at: every weight is 0, and so is the output. That is a rule, not an accident."
    elif gone == 0:
        told = "None of its look went to hidden words, so nothing changes."
    else:
        told = (
            f"{tiny(gone)} of its look went to words that are hidden now. What stays is divided by the "
            f"{tiny(left)} that is left, so the row sums to 1 again."
        )
    return cards.card(
        f"The weights of {name}",
        f'<div class="wide"><table>{head}{"".join(lines)}</table></div>',
        f'<p style="margin-top:10px">{told}</p>',
    )
