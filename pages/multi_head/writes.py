"""What each head writes into the output, and the output without some of them."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.multi_head import head_writes
from attention_core.experiments.multi_head.head_parts import sum_of_heads, without_output_matrix, zero_heads
from attention_core.rows import row_distances, row_norms
from pages.charts.bars import stacked_bars
from pages.charts.chart import Chart, limit_of
from pages.charts.heatmap import Axes
from pages.charts.matrix_image import matrix_picture
from pages.look.colours import HEADS
from pages.look.facts import as_shown, furthest, largest, looks_same, ordered
from pages.look.html import inline, number, prose, quoted
from pages.look.sentences import first_query
from pages.multi_head.common import FINEST, draw_switches, heads_named
from pages.multi_head.scene import HeadScene
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice

STEP = Step(
    "Wₒ",
    "The output is a sum over heads",
    "The outputs of all heads are **concatenated** (put side by side), then multiplied by W_O, each by its own *rows*.",
    asks="What do the heads write together?",
    then="Press *identity*, which only concatenates: each entry is then from one head. W_O lets heads add up.",
    experiment="off w_o",
)

W_O = ("as it is", "identity (only concatenate)")
MATRIX_AXES = Axes("row", "entry of the output", "w")
MOST_COLUMNS = 16
DIGITS = 3  # of the numbers of a question
RISES, FALLS = "It rises by {}", "It falls by {}"


def draw(page: Page, scene: HeadScene) -> bool:
    """Show the output of one word as the sum of what the heads write, and let heads be switched off."""
    writes, output, w_o = scene.writes, scene.output, scene.heads.w_o
    apart = page.controls.picked("w_o", W_O)
    question = page.question("sum", partial(sum_question, writes, scene.labels))
    row, column = asked_entry(writes, page.variant("sum"), first_query(scene.labels))
    every = -(-scene.d_model // MOST_COLUMNS)
    shown = slice(column % every, None, every)  # so that each head has its part of them without W_O, too

    def blank() -> None:
        draw_bars(page, scene, write_bars(scene, writes, writes, row, shown))

    if not (columns := page.ask_beside(question, blank, then=lambda: page.controls.put(q=scene.labels[row]))):
        return False
    if apart:
        w_o = page.recipe.run("reshaped", without_output_matrix, scene.heads).w_o
        writes = page.recipe.run("writes_side_by_side", head_writes, scene.attention.output, w_o)
        output = page.recipe.run("output_side_by_side", sum_of_heads, writes)
    with page.fields:
        row = page.controls.pick("q", "Query", scene.labels, first_query(scene.labels))
        page.controls.choice("w_o", "Wₒ", W_O, W_O[0])
    with columns[1]:
        off = draw_switches(page, scene, "off")
        kept = page.recipe.run("kept", zero_heads, writes, off)
        after = page.recipe.run("output_after", sum_of_heads, kept)
        moves = page.recipe.run("moves", row_distances, output, after)
        size = page.recipe.run("size", row_norms, output)[row]
        page.prints(f"entry {column + 1} of the output of {scene.labels[row]}", after, row, column)
        if off:
            told = Markup("Without {} the output of {}, of length (norm) {}, changes by <b>{}</b>.")
            word, length = quoted(scene.labels[row]), number(size)
            page.write(told.format(heads_named(off), word, length, number(moves[row])))
        if apart:
            page.say("W_O is the identity now. Each entry is from one head, and the bars have another scale.")
    with columns[0]:
        draw_bars(page, scene, write_bars(scene, writes, kept, row, shown))
    page.look_closer("The matrix Wₒ", partial(draw_matrix, page, scene, w_o))
    return True


def draw_matrix(page: Page, scene: HeadScene, w_o: Array) -> None:
    """Draw W_O, whose rows are those of one head after the other, and say what it is called."""
    limit = 4 / scene.d_model**0.5 if scene.is_random else limit_of(w_o, FINEST)
    sentence = "The rows of W_O by which each head is multiplied."
    picture = matrix_picture(
        w_o, MATRIX_AXES, limit=limit, name="W_O", sentence=sentence, height=330, first=1, bands=scene.n_heads
    )
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        page.show(picture)
    with right:
        page.write(
            inline(
                "In PyTorch, `nn.MultiheadAttention` calls W_O `out_proj.weight`, and W_Q, W_K and W_V together "
                "`in_proj_weight`. It stores all of them transposed."
            )
        )


def draw_bars(page: Page, scene: HeadScene, chart: Chart) -> None:
    """Draw the bars, and name the colours of their heads: a short bar has no room for a number."""
    page.show(chart)
    mark = Markup('<span style="color:{}">■</span> {}')
    marks = [mark.format(HEADS[head % len(HEADS)].css, head + 1) for head in range(scene.n_heads)]
    page.write(Markup("Heads: {}. {}").format(Markup(" ").join(marks), scene.origin), "note")


def write_bars(scene: HeadScene, writes: Array, kept: Array, row: int, columns: slice) -> Chart:
    """Return what each head that is on writes into some columns of a word's output, as bars with their sum."""
    parts = [f"{head + 1}" for head in range(scene.n_heads)]
    entries, word, some = range(1, scene.d_model + 1)[columns], quoted(scene.labels[row]), "some " * (columns.step > 1)
    far = np.abs(writes[:, row]).sum(axis=0)
    return stacked_bars(
        [*map(str, entries)],
        parts,
        kept[:, row, columns].T,
        limit=max(2.0, limit_of(far, FINEST)) if scene.is_random else limit_of(far, FINEST),
        name="what heads write",
        sentence=f"What heads add to {some}entries of the output of {word}. Tick and Σ: the sum.",
        title="entry ↓ sum over heads",
        of="entry",
        part="head",
    )


def asked_entry(writes: Array, variant: int, asks: int = 0) -> tuple[int, int]:
    """Return the word and the entry that are asked about, first of the word that asks: the entry that tells most.

    There the sum is far from 0 and, where several heads write, from the sum without signs.
    """
    total = np.abs(writes.sum(axis=0))  # (T, D)
    tells = np.minimum(total, np.abs(writes).sum(axis=0) - total)
    if not as_shown(tells, DIGITS).any():  # of one head, or of heads side by side
        tells = total
    best = tells.max(axis=1)
    rows = sorted(ordered(best, DIGITS), key=lambda row: row != asks or not as_shown(best[row], DIGITS))
    row = rows[variant % len(rows)]
    return row, largest(tells[row], DIGITS).first


def sum_question(writes: Array, labels: list[str], variant: int) -> Choice | None:
    """Ask what becomes of an entry of the output once a head that writes into it is switched off, if one does."""
    row, column = asked_entry(writes, variant, first_query(labels))
    parts = writes[:, row, column]
    found = furthest(parts, DIGITS)
    if found.kind == "none":
        return None
    head, part = found.first, float(parts[found.first])
    rises, falls = RISES.format(found.shown), FALLS.format(found.shown)
    text = prose(
        f"Head {head + 1} writes {number(part, 3)} into entry {column + 1} of the output of {{word}}. What happens to "
        f"this entry if head {head + 1} is switched off?",
        word=labels[row],
    )
    right, other = (rises, falls) if part < 0 else (falls, rises)
    reasons = {
        other: "Then the head would have written a number of the other sign.",
        "It becomes 0": "Other heads write into this entry too.",
        "The other heads fill the gap": "Each head has its own matrices. None of them knows of the others.",
    }
    if looks_same(parts.sum(), part, DIGITS):  # then it does become 0
        reasons.pop("It becomes 0")
    why = f"The entry is the sum of all parts, so it changes by {number(-part, 3)}."
    return Choice.of("sum", text, right, why, reasons, variant)
