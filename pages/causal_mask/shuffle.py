"""The words in another order, without the mask and with it."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.one_head import attend
from attention_core.rows import reorder, restore_order, row_distances, shuffled_order
from pages.causal_mask.common import SCORE_LIMIT
from pages.causal_mask.scene import Masked
from pages.charts.chart import Chart, rung
from pages.charts.heatmap import Axes, heatmap
from pages.look import thumbnails
from pages.look.colours import QUERY
from pages.look.html import prose
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step

STEP = Step(
    "order",
    "A causal mask tells some order",
    "Attention by itself does not see order: shuffle the words, and each keeps its output. See whether that is "
    "still so under a mask.",
)

ORDER_TOLD = (
    " So a causal mask tells a model something of order, even where no position was added: the first word sees only "
    "itself, the second two. It tells who stands before whom, not how far apart; that is for the next lesson."
)
OUTPUT_AXES = Axes("query", "dimension", "output", row_colour=QUERY)


def draw(page: Page, scene: Masked) -> bool:
    """Shuffle the words with and without the mask, and compare each word's output with what it was."""
    controls, run = page.controls, page.recipe.run
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = controls.whole("shuffle", "Which order", 0, 99, 1, width=150)
    new = run("new_order", shuffled_order, len(scene.words), seed)
    new_x = run("new_x", reorder, scene.x, new)
    plain = run("new_plain", attend, new_x, scene.head)
    masked = run("new_masked", attend, new_x, scene.head, scene.mask)
    away = run("away", row_distances, scene.plain.output, run("back", restore_order, plain.output, new))
    away_masked = run(
        "away_masked", row_distances, scene.masked.output, run("back_masked", restore_order, masked.output, new)
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
            page.head(name.capitalize())
            page.show(output_map(values, labels, name, limit, moved))
    page.say(
        "Find a word’s row in both pictures of a pair; outlined is what has other numbers than before."
        + (ORDER_TOLD if scene.name == "causal" and away_masked.max() > 1e-9 else ""),
        "",
    )
    held = "" if scene.whose == "random" else " The rows of X hold their positions here, and take them along."
    page.write(f"{scene.origin}{held}", "note")
    return True


def thumbnail(scene: Masked) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(scene.masked.output, SCORE_LIMIT)


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


def shuffle_question(scene: Masked, without: Array, under: Array) -> Choice:
    """Ask what a shuffle does to the outputs under the mask."""
    n_moved = int((under > 1e-9).sum())
    text = prose(
        "Shuffle the words: the rows of X in another order, every number in them kept. Without a mask each word gets "
        f"the output that it had before. And under this mask ({scene.name})?"
    )
    options = ("The same: the rows are only in another order", "Some words get other outputs")
    right = (1,) if n_moved else (0,)
    why = f"Without a mask {int((without > 1e-9).sum())} words have other outputs, under this one {n_moved}."
    if n_moved:
        why += " A mask goes by place, not by word, so who stands before whom changes what is seen."
        mistakes = ("A mask is not shuffled along with the words: another word stands first now.", "")
    else:
        mistakes = ("", "This mask hides nothing that a shuffle could bring into sight.")
    return Choice("shuffle", text, options, right, why, mistakes)
