"""The words in another order, without the mask and with it."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.hand_set import attend
from attention_core.leaks import (
    back_in_place,
    distances,
    in_order,
    shuffled_order,
)
from pages.causal_mask.questions import shuffle_question
from pages.causal_mask.scene import Masked
from pages.shared.charts.chart import Chart, rung
from pages.shared.charts.heatmap import Axes, heatmap
from pages.shared.colours import QUERY
from pages.shared.frame import Page

ORDER_TOLD = (
    " So a causal mask tells a model something of order, even where no position was added: the first word sees only "
    "itself, the second two. It tells who stands before whom, not how far apart; that is for the next lesson."
)
OUTPUT_AXES = Axes("query", "dimension", "output", row_colour=QUERY)


def shuffle(page: Page, scene: Masked) -> bool:
    """Shuffle the words with and without the mask, and compare each word's output with what it was."""
    controls, run = page.controls, page.recipe.run
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = controls.whole("shuffle", "Which order", 0, 99, 1, width=150)
    new = run("new_order", shuffled_order, len(scene.words), seed)
    new_x = run("new_x", in_order, scene.x, new)
    plain = run("new_plain", attend, new_x, scene.head)
    masked = run("new_masked", attend, new_x, scene.head, scene.mask)
    away = run("away", distances, scene.plain.output, run("back", back_in_place, plain.output, new))
    away_masked = run(
        "away_masked", distances, scene.masked.output, run("back_masked", back_in_place, masked.output, new)
    )
    if not page.ask(shuffle_question(scene, away, away_masked)):
        return False
    shuffled = [scene.labels[i] for i in new]
    still = np.zeros(len(new), dtype=bool)
    limit = rung(float(max(abs(scene.plain.output).max(initial=0), abs(scene.masked.output).max(initial=0))))
    limit = max(limit, rung(float(abs(masked.output).max(initial=0))))
    pictures = (
        ("outputs without a mask", scene.plain.output, scene.labels, still),
        ("shuffled without a mask", plain.output, shuffled, away[new] > 1e-9),
        ("outputs with the mask", scene.masked.output, scene.labels, still),
        ("shuffled with the mask", masked.output, shuffled, away_masked[new] > 1e-9),
    )
    grid = st.grid(2, min_column_width=300, gap="medium")
    for name, values, labels, moved in pictures:
        with grid.cell():
            page.write(f"<b>{name.capitalize()}</b>", "shape")
            page.show(output_map(values, labels, name, limit, moved))
    page.say(
        "Find a word’s row in both pictures of a pair; outlined is what has other numbers than before."
        + (ORDER_TOLD if scene.name == "causal" and away_masked.max() > 1e-9 else ""),
        "",
    )
    held = "" if scene.whose == "random" else " The rows of X hold their positions here, and take them along."
    page.write(f"{scene.origin}{held}", "note")
    return True


def output_map(values: Array, labels: list[str], name: str, limit: float, moved: Array) -> Chart:
    """Return outputs, a row for each word; those that have moved are outlined."""
    columns = [str(i + 1) for i in range(values.shape[1])]
    n_moved = int(moved.sum())
    told = {0: "Every word has its row as before"}.get(n_moved, f"{n_moved} of {len(labels)} words have other numbers")
    return heatmap(
        values,
        labels,
        columns,
        OUTPUT_AXES,
        name=name,
        sentence=f"{told}." if "shuffled" in name else "The outputs of the sentence as it stands.",
        limit=limit,
        small=True,
        moved=np.repeat(moved[:, None], values.shape[1], axis=1),
    )
