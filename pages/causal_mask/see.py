"""The weights without the mask and with it, and what the mask does to those of one word."""

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.dependence import weight_on_blocked
from pages.causal_mask.common import chosen_cell, empty_rows, masked_map, others_grey, picker, plain_map
from pages.causal_mask.scene import SAYS, Masked
from pages.look import cards, thumbnails
from pages.look.html import in_role, number, prose, table, tiny
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.page.steps import Step

STEP = Step(
    "hide",
    "A mask hides keys from a query",
    "A model that is to guess the next word must not see it. So under a causal mask each word may look at itself "
    "and at what stands before it: the cells above the diagonal are hidden, and the others share the weight of "
    "the row.",
)


def draw(page: Page, scene: Masked) -> bool:
    """Show the weights without the mask and with it, side by side."""
    ready = page.ask(count_question(scene, page.variant("count")))
    first, second = st.columns(2, gap="medium")
    left, right = st.columns([1.18, 1], gap="medium")
    with right if ready else second:
        sentence = st.container()
        row, column = chosen_cell(page, scene)
    with first:
        page.head("Without a mask")
        untrained = "This head was trained with one; without it, this is what it does all the same."
        page.show(plain_map(scene, row), note=untrained if scene.whose == "trained" else "")
    with second:
        if ready:
            page.head("With the mask:", scene.name)
            page.show(masked_map(scene, row, column), picker(page, scene), note=scene.origin)
    if ready:
        with left, st.container(border=True):
            page.write(weights_card(scene, row))
        with sentence:
            page.write(cards.chips(scene.labels, row))
    return ready


def thumbnail(scene: Masked) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(others_grey(scene.masked.weights, scene.blocked), None)


def weights_card(scene: Masked, row: int) -> Markup:
    """Return what the mask did to the weights of one word."""
    plain = scene.plain.weights
    gone, left = (float(weight_on_blocked(plain, places)[row]) for places in (scene.blocked, ~scene.blocked))
    lines = []
    for label, before, after, blocked in zip(
        scene.labels, plain[row], scene.masked.weights[row], scene.blocked[row], strict=True
    ):
        lines.append((label, number(before), Markup('<span class="soft">hidden</span>') if blocked else number(after)))
    if row in empty_rows(scene):
        told = "Nothing is left to look at: every weight is 0, and so is the output. That is a rule, not an accident."
    elif gone == 0:
        told = "None of its look went to hidden words, so nothing changes."
    else:
        told = Markup(
            "{} of its look went to words that are hidden now. What stays is divided by the {} that is left, so the "
            "row sums to 1 again."
        ).format(tiny(gone), tiny(left))
    return cards.card(
        Markup("The weights of {}").format(in_role(scene.labels[row], "query")),
        table(("key", "without", "with the mask"), lines),
        Markup('<p style="margin-top:10px">{}</p>').format(told),
    )


def count_question(scene: Masked, variant: int) -> Number:
    """Ask how many cells stay open, or in odd variants how many are hidden."""
    length, hidden = len(scene.words), int(scene.blocked.sum())
    cells = length * length
    stay = cells - hidden
    asks_open = variant % 2 == 0
    right, other = (stay, hidden) if asks_open else (hidden, stay)
    text = prose(
        f"{length} words ask {length} words, so the map has {cells} cells. Under the mask chosen here "
        f"({scene.kind}: {SAYS[scene.kind]}{', with your painted cells' if scene.painted else ''}), how many cells "
        + ("may still hold a weight above 0?" if asks_open else "are hidden?")
    )
    why = f"{hidden} of {cells} cells are hidden, {stay} stay open."
    if scene.kind == "causal" and not scene.painted:
        sums = " + ".join(str(i) for i in range(1, length + 1)) if length <= 8 else f"1 + 2 + … + {length}"
        why = f"The first word sees 1 word, the second 2, and so on: {sums} = {stay} open, {hidden} hidden."
    mistakes = (
        Mistake(other, f"Those are the cells that {'are hidden' if asks_open else 'stay open'}; the others are asked."),
        Mistake(right + (-length if asks_open else length), "A word may look at itself: the diagonal stays open."),
        Mistake(cells / 2, "Not half of them: the diagonal stays open too."),
    )
    diagonal = not scene.blocked.diagonal().any()
    kept = [mistake for mistake in mistakes[: 3 if diagonal else 1] if abs(mistake.value - right) > 0.6]
    return Number("count", text, right, 0.25, why, tuple(kept), "Count row by row.", digits=0)
