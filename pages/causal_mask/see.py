"""The attention weights without the mask and with it, and what the mask does to those of one word."""

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.masks.dependence import weight_on_blocked
from pages.causal_mask.common import cell_of, empty_rows, masked_map, name_weight, plain_map
from pages.causal_mask.scene import Masked
from pages.charts.cumulative_bar import cumulative_bar
from pages.look import cards
from pages.look.html import in_role, number, prose, table, tiny
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.page.steps import Step

STEP = Step(
    "mask",
    "A causal mask blocks the future",
    "In training, a model reads the whole text and predicts every next word at once. Without a mask, it could simply "
    "read the answer. A causal mask prevents this, because each query attends only to its own word and earlier ones.",
    asks="Which cells does a mask allow?",
)


def draw(page: Page, scene: Masked) -> bool:
    """Show the attention weights without the mask and with it, side by side."""
    ready = page.ask(count_question(scene, page.variant("count")))
    first, second = st.columns(2, gap="medium")
    left, right = st.columns([1.18, 1], gap="medium")
    cell = cell_of(page, scene)
    with right if ready else second:
        sentence = st.container()
        row, column = cell.fields()
    name_weight(page, scene, row, column)
    with first:
        page.head("Without a mask")
        trained = "This head was trained with a causal mask. Here it runs without one."
        note = trained if scene.kind == "trained" else ""
        page.show(plain_map(scene, row, column, legend=not ready), cell.choose, note=note)
    with second:
        if ready:
            page.head("With the mask:", scene.pattern)
            page.show(masked_map(scene, row, column), cell.choose, note=scene.note)
    if ready:
        with left, st.container(border=True):
            page.write(weights_card(scene, row))
        with sentence:
            page.write(cards.chips(scene.labels, row))
        removed = float(weight_on_blocked(scene.plain.weights, scene.blocked)[row])
        filled = "The other weights are divided by their sum, so they fill the row."
        bars = (
            ("without a mask", scene.plain, f"{number(removed, 3)} of the row is on keys that the mask blocks."),
            ("with the mask", scene.masked, "No key is left." if row in empty_rows(scene) else filled),
        )
        for name, attention, told in bars:
            with right:
                page.head("The row as one bar,", name)
                weights, title = attention.weights[row], f"row {name}"
                bar = cumulative_bar(
                    scene.labels, weights, chosen=column, drawn=None, name=title, sentence=told, of="key"
                )
                page.show(bar)
    return ready


def weights_card(scene: Masked, row: int) -> Markup:
    """Return what the mask did to the attention weights of one word."""
    plain = scene.plain.weights
    removed, left = (float(weight_on_blocked(plain, cells)[row]) for cells in (scene.blocked, ~scene.blocked))
    lines = []
    for label, before, after, blocked in zip(
        scene.labels, plain[row], scene.masked.weights[row], scene.blocked[row], strict=True
    ):
        masked = Markup('<span class="soft">masked</span>')
        lines.append((label, number(before, 3), masked if blocked else number(after, 3)))
    if row in empty_rows(scene):
        told = "No key is left. This course sets all attention weights of such a row to 0, so its output is 0 too."
    elif removed == 0:
        told = "No attention went to masked words, so nothing changes."
    else:
        told = Markup(
            "{} of the attention went to words that are now masked. The rest is divided by {}, so the row sums to 1 "
            "again."
        ).format(*(tiny(value) if value < 0.01 else number(value, 3) for value in (removed, left)))
    return cards.card(
        Markup("Attention weights of {}").format(in_role(scene.labels[row], "query")),
        table(("key", "without", "with the mask"), lines),
        Markup('<p style="margin-top:10px">{}</p>').format(told),
    )


def count_question(scene: Masked, variant: int) -> Number:
    """Ask how many cells are allowed, or in odd variants how many are masked."""
    length, masked = len(scene.words), int(scene.blocked.sum())
    cells = length * length
    allowed = cells - masked
    asks_allowed = variant % 2 == 0
    right, other = (allowed, masked) if asks_allowed else (masked, allowed)
    text = prose(
        f"The map has {length} × {length} = {cells} cells. Under the mask “{scene.pattern}”, {scene.rule}. "
        "How many cells " + ("may have an attention weight above 0?" if asks_allowed else "are masked?")
    )
    why = f"{masked} of {cells} cells are masked, and {allowed} are allowed."
    causal = scene.pattern == "causal"
    if causal and length > 1:
        sums = " + ".join(str(i) for i in range(1, length + 1)) if length <= 8 else f"1 + 2 + … + {length}"
        why = f"The first word may attend to 1 word, the second to 2, and so on: {sums} = {allowed} allowed cells. "
        why += f"The other {masked} are masked."
    kinds = ("masked", "allowed") if asks_allowed else ("allowed", "masked")
    diagonal = right + (-length if asks_allowed else length)
    counted = f"You counted the {kinds[0]} cells. Count the {kinds[1]} ones: {cells} − {other}."
    allows = f"A word may attend to itself, so the {length} cells of the diagonal are allowed too."
    mistakes = [Mistake(other, f"{counted} {allows}" if other == diagonal else counted), Mistake(diagonal, allows)]
    if scene.blocked.diagonal().any():
        mistakes = [Mistake(other, counted)]
    if causal:
        told = f"Half of the cells would be {number(cells / 2, cells % 2)}, but the whole diagonal is allowed."
        mistakes.append(Mistake(cells / 2, told))
    kept = tuple(mistake for mistake in mistakes if abs(mistake.value - right) > 0.6)
    return Number("count", text, right, 0.25, why, kept, "Count row by row and add up.", digits=0)
