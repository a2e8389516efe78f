"""A mask is painted: what reaches what through one, two and three layers."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.masks import layers_needed, reachable
from attention_core.experiments.masks.attention_stack import moved_by_word, random_layers
from attention_core.text.word_vectors import word_vectors
from pages.causal_mask.common import (
    D_HEAD,
    D_MODEL,
    MASK_AXES,
    cell_of,
    masked_count,
    masked_map,
    varied,
)
from pages.causal_mask.scene import KINDS, SIZES, Masked, cells_of, paint_of, painted_scene, toggled
from pages.charts.chart import Chart
from pages.charts.heatmap import NO_LEGEND, SMALL, Axes, click_again, heatmap, hide, outline, scale, write
from pages.look.html import prose, quoted
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.page.steps import Step

STEP = Step(
    "paint",
    "Any pattern can be a mask",
    "Models use windows, blocks, a prefix that every word can see, and more. Choose a mask or paint your own.",
    asks="How many words can two layers reach?",
    then="In two layers, a masked word can still reach an output, through a word that attends to it.",
    words="pattern size",
)

REACH_AXES = Axes("output", "word", "layers", words=True)


def draw(page: Page, scene: Masked) -> bool:
    """Let the student paint a mask, and show what can reach what through one, two and three layers."""
    run, painting = page.recipe.run, paint_of(page.controls)
    cells = [cell for cell in cells_of(painting) if max(cell) < len(scene.words)]
    scene = painted_scene(page.recipe, scene, *choose_mask(page, scene), cells)
    reach = run("reach", reachable, scene.blocked, 3)
    needed = run("needed", layers_needed, reach)
    question = reach_question(scene, needed, page.variant("reach"))
    cell = cell_of(page, scene)
    ready = page.ask(question, then=lambda: cell.choose(*(question.place or (0, 0))))
    grid = st.grid(3, min_column_width=235, gap="small")
    painted, reached, weighed = grid.cell(), grid.cell(), grid.cell()
    row, column = cell.fields()
    tools(page, scene, painting, row, column)

    def turn(i: int, j: int) -> None:
        cell.choose(i, j, paint=toggled(painting, [(i, j)]))

    with painted:
        page.head("Mask:", f"{scene.pattern}{', painted' if cells else ''} (click a cell)")
        page.show(paint_map(scene, row, column), turn)
    if ready:
        what = f"layers until {scene.labels[column]} reaches the output of {scene.labels[row]}"
        page.prints(what, needed, row, column)
        with reached:
            page.head("Layers to reach an output")
            page.show(reach_map(scene, needed, row), note="A word always reaches its own output: layers add to it.")
    with weighed if ready else reached:
        page.head("Attention weights")
        page.show(masked_map(scene, row, column, clickable=False, small=True), note=scene.note)
    if ready:
        measure_reach(page, scene, reach, column)
    page.say(
        "**What if no key is left?** Flip the diagonal under a causal mask, and the first word may attend to no "
        "word. The formula becomes 0 ÷ 0, and careless code returns NaN. In this course, all attention weights of "
        "such a row are 0, and so is its output.",
        "",
    )
    return ready


def choose_mask(page: Page, scene: Masked) -> tuple[str, int]:
    """Draw the mask to paint on, under which two layers reach more than one, and its size; a locked one is as it is."""
    controls = page.controls
    if "mask" in controls.locked:
        return scene.pattern, scene.size
    with page.fields:
        kind = controls.select("pattern", "Mask to paint on", KINDS, "sliding window", width=170)
        label = SIZES[kind][1] if kind in SIZES else ""
        return kind, controls.integer("size", label, 1, 24, 3, width=170) if label else 0


def tools(page: Page, scene: Masked, painting: str, row: int, column: int) -> None:
    """Draw the buttons that paint."""
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
    """Return the mask as a map that is painted by clicks."""
    texts = np.where(scene.blocked, "−∞", "0").astype(object)
    return heatmap(
        scene.mask,
        scene.labels,
        scene.labels,
        MASK_AXES,
        outline(row, column),
        hide(scene.blocked),
        write(texts),
        click_again(int(scene.blocked.sum())),
        SMALL,
        NO_LEGEND,
        name="painted mask",
        sentence=f"The additive mask: 0 is allowed, −∞ is blocked. {masked_count(scene)}",
    )


def reach_map(scene: Masked, needed: Array, row: int) -> Chart:
    """Return after how many layers each word first reaches each output."""
    texts = np.where(needed == 0, "", needed.astype(str)).astype(object)
    n_reached = int((needed[row] > 0).sum())
    sentence = (
        f"After 3 layers {n_reached} of {len(needed)} words can reach the output of {quoted(scene.labels[row])}; "
        f"{int((needed[row] == 1).sum())} of them after one layer."
    )
    layers = scale(4.0, amounts=True), outline(row), hide(needed == 0), write(texts), SMALL, NO_LEGEND
    return heatmap(
        needed.astype(float), scene.labels, scene.labels, REACH_AXES, *layers, name="layers needed", sentence=sentence
    )


def measure_reach(page: Page, scene: Masked, reach: np.ndarray, column: int) -> None:
    """Change a word under three random layers, and say how many outputs change."""
    run = page.recipe.run
    x = run("layers_x", word_vectors, scene.words, D_MODEL, scene.seed)
    other = run(
        "layers_other_x", word_vectors, page.recipe.given("changed_words", ["dog"] * len(x)), D_MODEL, scene.seed
    )
    layers = run("layers", random_layers, 3, D_MODEL, D_HEAD, scene.seed)
    moved = run("layers_moved", moved_by_word, x, other, column, layers, scene.mask) > 1e-9
    told = ", ".join(str(int(after.sum())) for after in moved)
    agree = all((moved[i] <= reach[i][:, column]).all() for i in range(3))
    page.say(
        "A test on three random layers: {word} becomes *dog*. The number of outputs that changed, after layers 1, 2 "
        f"and 3: {told}. "
        + ("Each of them can be reached according to the map." if agree else "The map and the test disagree."),
        "note",
        word=scene.labels[column],
    )


def reach_question(scene: Masked, needed: Array, variant: int) -> Number:
    """Ask how many words can reach an output through two layers."""
    length = len(scene.words)
    two = (needed > 0) & (needed <= 2)
    once = (needed == 1).sum(axis=1)
    rows = (np.flatnonzero(two.sum(axis=1) > once), np.flatnonzero(once < length), np.arange(length))
    row = varied(variant, -two.sum(axis=1), next(positions for positions in rows if len(positions)))
    right, one = int(two[row].sum()), int((needed[row] == 1).sum())
    text = prose(
        f"In one layer, {{word}} depends on {one} of {length} words, itself included. Stack two layers with this mask. "
        "On how many words can its output depend then?",
        word=scene.labels[row],
    )
    if right == one:
        why = "The words that it attends to depend only on words in this count, so a second layer adds no word."
    else:
        why = "In the second layer it attends to words that already depend on others."
    mistakes = (
        Mistake(one, "You counted one layer. In the second, the words it attends to pass on what they have seen."),
        Mistake(
            length,
            "You counted every word. But some words are blocked for it, and for all words that it attends to.",
        ),
        Mistake(2 * one, f"You doubled {one}. A word that is reached twice counts once."),
    )
    told = "List the words it attends to, then add the words they attend to."
    later = np.append(np.flatnonzero(needed[row] == 2), row)  # reached in two layers alone
    return Number("reach", text, right, 0.25, why, mistakes, told, digits=0, place=(row, int(later[0])))
