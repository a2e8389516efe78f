"""A mask is painted: what reaches what through one, two and three layers."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.masks import layers_needed, reachable
from attention_core.experiments.attention_stack import moved_by_word, random_layers
from attention_core.text.word_vectors import word_vectors
from pages.causal_mask.common import (
    D_HEAD,
    D_MODEL,
    MASK_AXES,
    SCORE_LIMIT,
    chosen_cell,
    drawn,
    hidden_count,
    masked_map,
    others_grey,
)
from pages.causal_mask.scene import Masked, turned_over
from pages.charts.chart import Chart
from pages.charts.heatmap import Axes, heatmap
from pages.look import thumbnails
from pages.look.html import prose, quoted
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.page.steps import Step

STEP = Step(
    "paint",
    "Any pattern can be a mask",
    "Windows, blocks, a prefix that all may see: models use many patterns. Choose a window in the menu, or paint "
    "your own. What one layer hides may still come through in two, by way of a word that sees it.",
)

REACH_AXES = Axes("output", "word", "layers", words=True)


def draw(page: Page, scene: Masked) -> bool:
    """Let the student paint a mask, and show what can reach what through one, two and three layers."""
    controls, run, painting = page.controls, page.recipe.run, scene.paint
    reach = run("reach", reachable, scene.blocked, 3)
    needed = run("needed", layers_needed, reach)
    ready = page.ask(reach_question(scene, needed, page.variant("reach")))
    left, right = st.columns(2, gap="medium")
    with left:
        chart = st.container()
        row, column = chosen_cell(page, scene)
        with st.container(horizontal=True):
            fixed = "paint" in controls.locked
            diagonal = [(i, i) for i in scene.place]
            whole_row = [(row, j) for j in scene.place if not scene.blocked[row, j]]
            for label, key, paint_now, off in (
                ("Flip this cell", "turn", turned_over(painting, [(row, column)]), False),
                ("Block the whole row", "block_row", turned_over(painting, whole_row), not whole_row),
                ("Flip the diagonal", "diagonal", turned_over(painting, diagonal), False),
                ("Wipe the paint off", "wipe", "", not painting),
            ):
                st.button(
                    label,
                    key=f"{page.name}_{key}",
                    type="tertiary" if key == "wipe" else "secondary",
                    disabled=fixed or off,
                    on_click=controls.put,
                    kwargs={"paint": paint_now},
                )
    with chart:
        page.head("The mask:", f"{scene.name}; click a cell to block it or to free it")

        def turn(i: int, j: int) -> None:
            controls.put(q=scene.labels[i], k=scene.labels[j], paint=turned_over(painting, [(i, j)]))

        page.show(paint_map(scene, row, column), turn)
    with right:
        if ready:
            page.head("Layers until a word is heard of;", "grey: not within three")
            page.show(reach_map(scene, needed, row), note="A word always keeps itself.")
            measure_reach(page, scene, reach, column)
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        page.head("The weights under this mask")
        page.show(masked_map(scene, row, column, clickable=False), note=scene.origin)
    with right:
        page.say(
            "**What if nothing is left?** Flip the diagonal under a causal mask, and the first word may look at "
            "nothing. The formula says 0 ÷ 0 then, and code that does not look out gives NaN. Here such a row is "
            "defined: all its weights are 0, and so is its output.",
            "",
        )
    return ready


def thumbnail(scene: Masked) -> Markup:
    """Return the small picture of the step."""
    needed = layers_needed(reachable(scene.blocked, 3)).astype(float)
    return thumbnails.thumbnail(others_grey(needed, needed == 0), SCORE_LIMIT)


def paint_map(scene: Masked, row: int, column: int) -> Chart:
    """Return the mask as a map that is painted by clicks."""
    texts = np.where(scene.blocked, "−∞", "0").astype(object)
    return heatmap(
        scene.mask,
        scene.labels,
        scene.labels,
        MASK_AXES,
        name="painted mask",
        sentence=f"The mask: 0 is allowed, −∞ is blocked. {hidden_count(scene)}",
        hidden=scene.blocked,
        texts=texts,
        legend=False,
        chosen=(row, column),
        clickable=True,
        turn=int(scene.blocked.sum()),
    )


def reach_map(scene: Masked, needed: Array, row: int) -> Chart:
    """Return after how many layers each word first reaches each output."""
    texts = np.where(needed == 0, "", needed.astype(str)).astype(object)
    n_reached = int((needed[row] > 0).sum())
    sentence = (
        f"After 3 layers {n_reached} of {len(needed)} words can reach the output of {quoted(scene.labels[row])}; "
        f"{int((needed[row] == 1).sum())} of them after the first."
    )
    return heatmap(
        needed.astype(float),
        scene.labels,
        scene.labels,
        REACH_AXES,
        name="layers needed",
        sentence=sentence,
        limit=4.0,
        amounts=True,
        hidden=needed == 0,
        texts=texts,
        legend=False,
        chosen=(row, None),
    )


def measure_reach(page: Page, scene: Masked, reach: np.ndarray, column: int) -> None:
    """Change a word under three random layers, and say which outputs move."""
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
        "Tried on three random layers: {word} becomes *dog*. After layers 1, 2 and 3 so many words have moved: "
        f"{told}. "
        + ("No word moved that this map calls out of reach." if agree else "The map and the trial disagree."),
        "note",
        word=scene.labels[column],
    )


def reach_question(scene: Masked, needed: Array, variant: int) -> Number:
    """Ask how many words can reach an output through two layers."""
    length = len(scene.words)
    two = (needed > 0) & (needed <= 2)
    once = (needed == 1).sum(axis=1)
    rows = (np.flatnonzero(two.sum(axis=1) > once), np.flatnonzero(once < length), np.arange(length))
    row = drawn(variant, 6, next(places for places in rows if len(places)))
    right, one = int(two[row].sum()), int((needed[row] == 1).sum())
    text = prose(
        f"One layer lets {{word}} hear of {one} of {length} words, itself included. Stack two layers under this mask: "
        "of how many words can its output hear then, directly or through another word?",
        word=scene.labels[row],
    )
    if right == one:
        why = "Nothing is gained: whoever it sees may see nothing beyond that."
    else:
        why = "In the second layer it hears what the words it sees have heard in the first."
    mistakes = (
        Mistake(one, "That is one layer. In the second, the words it sees hand on what they saw."),
        Mistake(length, "Not everything: what none of the words it sees may see stays out of reach."),
        Mistake(2 * one, "Words that are reached both ways count once."),
    )
    kept = tuple(mistake for mistake in mistakes if mistake.value != right)
    return Number("reach", text, right, 0.25, why, kept, "Follow each word it sees, and add what those see.", digits=0)
