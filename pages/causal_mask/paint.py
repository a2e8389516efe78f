"""A mask is painted: what it costs, and what reaches what through one, two and three layers."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.masks.painted_masks import layers_needed, reachable
from pages.causal_mask.common import MASK_AXES, cell_of, shows, varied
from pages.causal_mask.scene import KINDS, Masked, cells_of, mask_of_kind, paint_of, painted_scene, toggled
from pages.charts.chart import Chart
from pages.charts.heatmap import NO_LEGEND, Axes, click_again, heatmap, hide, outline, scale, write
from pages.look.facts import listed, of_several
from pages.look.html import prose, quoted
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Mistake, Number
from pages.reproduce.recipe import Recipe

STEP = Step(
    "any pattern",
    "Any pattern can be a mask",
    "Many models use a window: each word attends to itself and to a few words before it. Choose a pattern, or paint "
    "your own by clicks on its cells.",
    asks="How many words can two layers reach?",
    then="In two layers, a masked word can reach an output through a word that attends to it.",
    experiment="pattern size paint",
    helps="leak",
)
SIZES = {  # of the patterns that have one: its label, and where it starts
    "sliding window": ("Words in the window", 3),
    "prefix": ("Words in the prefix", 2),
    "padding": ("Padding words", 2),
    "block": ("Words per block", 3),
}
LONG = 1000  # words of a text for which cells are counted
REACH_AXES = Axes("output", "word", "layers", words=True)


def draw(page: Page, scene: Masked) -> bool:
    """Let the student paint a mask, and show what can reach what through one, two and three layers."""
    run, painting = page.recipe.run, paint_of(page.controls)
    cells = [cell for cell in cells_of(painting) if max(cell) < len(scene.words)]
    with page.fields:
        pattern = page.controls.select("pattern", "Mask to paint on", KINDS, "sliding window", width=170)
        label, usual = SIZES.get(pattern, ("", 0))
        size = page.controls.integer("size", label, 1, 24, usual, width=170) if label else 0
    scene = painted_scene(page.recipe, scene, pattern, size, cells)
    needed = run("needed", layers_needed, run("reach", reachable, scene.blocked, 3))
    question = page.question("reach", partial(reach_question, scene, needed)) if len(scene.words) > 1 else None
    cell = cell_of(page, scene)

    def turn(i: int, j: int) -> None:
        cell.choose(i, j, paint=toggled(painting, [(i, j)]))

    def draw_mask(row: int, column: int) -> None:
        page.head("Mask:", f"{pattern}{', painted' if cells else ''}")
        page.show(paint_map(scene, row, column), turn)

    place = (question and question.place) or (0, 0)
    if not page.ask(question, lambda: draw_mask(*place), then=shows(page, cell, question)):
        return False
    with page.fields:
        row, column = cell.fields()
    left, right = st.columns(2, gap="medium")
    with left:
        draw_mask(row, column)
    with right:
        page.head("Layers until a word reaches an output")
        page.show(reach_map(scene, needed, row, column))
        page.prints(f"layers from {scene.labels[column]} to {scene.labels[row]}", needed, row, column)
    tools(page, scene, painting, row, column)
    allowed = [int((~mask_of_kind(Recipe(), kind, size, LONG)).sum()) for kind in (pattern, "causal")]
    page.say(
        f"**What it costs.** In a text of {LONG:,} words, this pattern has {allowed[0]:,} scores in each head, where a "
        f"causal mask has {allowed[1]:,}. With a window of n words, no word needs more than n keys.",
        "",
    )
    return True


def tools(page: Page, scene: Masked, painting: str, row: int, column: int) -> None:
    with st.container(horizontal=True):
        diagonal = [(i, i) for i in scene.positions]
        whole_row = [(row, j) for j in scene.positions if not scene.blocked[row, j]]
        for label, key, paint_now, off in (
            ("Flip this cell", "turn", toggled(painting, [(row, column)]), False),
            ("Block this row", "block_row", toggled(painting, whole_row), not whole_row),
            ("Flip the diagonal", "diagonal", toggled(painting, diagonal), False),
            ("Reset painted cells", "wipe", "", not painting),
        ):
            put_button(page, label, {"paint": paint_now}, key, disabled=off or "paint" in page.controls.locked)


def paint_map(scene: Masked, row: int, column: int) -> Chart:
    empty = [quoted(scene.labels[i]) for i in np.flatnonzero(scene.blocked.all(axis=1))]
    told = f" No key is left for {listed(empty)}: all attention weights are 0 there." if empty else ""
    return heatmap(
        scene.mask,
        scene.labels,
        scene.labels,
        MASK_AXES,
        outline(row, column),
        hide(scene.blocked),
        write(np.where(scene.blocked, "−∞", "0").astype(object)),
        click_again(int(scene.blocked.sum())),
        NO_LEGEND,
        name="painted mask",
        sentence=f"The additive mask: 0 is allowed, −∞ is blocked.{told}",
    )


def reach_map(scene: Masked, needed: Array, row: int, column: int) -> Chart:
    """Return after how many layers each word first reaches each output."""
    texts = np.where(needed == 0, "", needed.astype(str)).astype(object)
    sentence = "After how many layers a word (column) first reaches an output (row), up to 3."
    layers = scale(4.0, amounts=True), outline(row, column), hide(needed == 0), write(texts), NO_LEGEND
    return heatmap(
        needed.astype(float), scene.labels, scene.labels, REACH_AXES, *layers, name="layers needed", sentence=sentence
    )


def reach_question(scene: Masked, needed: Array, variant: int) -> Number:
    """Ask how many words can reach an output through two layers."""
    length = len(scene.words)
    two = (needed > 0) & (needed <= 2)
    once = (needed == 1).sum(axis=1)
    reads = ~scene.blocked.all(axis=1)
    rows = [np.flatnonzero(some) for some in (two.sum(axis=1) > once, reads & (once < length), reads, ~reads)]
    row = varied(variant, -two.sum(axis=1), next(positions for positions in rows if len(positions)))
    right, one = int(two[row].sum()), int((needed[row] == 1).sum())
    text = prose(
        "In one layer, {word} depends on {count}, itself included. Stack two layers with this mask. On how many words "
        "can its output depend then?",
        word=scene.labels[row],
        count=Markup("{}").format(of_several(one, length, "word")),
    )
    why = "After one layer, each word that it attends to depends on some words. After two, it depends on all of these."
    if scene.blocked[row].all():
        why = "It attends to no word in either layer. The residual connection keeps its own vector."
    mistakes = (
        Mistake(one, "You counted one layer. In the second, the words it attends to pass on what they have seen."),
        Mistake(length, "You counted every word. But some words are blocked for it, and for all that it attends to."),
        Mistake(2 * one, f"You doubled {one}. A word that is reached twice counts once."),
    )
    told = "List the word and those it attends to, then add the words they attend to."
    later = np.append(np.flatnonzero(needed[row] == 2), row)  # reached in two layers alone
    return Number("reach", text, right, 0.25, why, mistakes, told, digits=0, place=(row, int(later[0])))
