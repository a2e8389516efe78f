"""One sentence under five encodings, and what a shift of it changes."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.experiments.positions.position_kinds import KINDS, SLOPE, placed_attention
from attention_core.experiments.qkv.explain import explain_weight
from attention_core.rows import largest_difference
from pages.charts.heatmap import CLICK, NO_LEGEND, SMALL, attention_heatmap, frame, outline
from pages.look import cards, thumbnails
from pages.look.html import in_role, number, prose, table
from pages.look.sentences import brightest_cell
from pages.page.canvas import ChosenCell
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.positional_encoding.common import (
    ROUNDING,
    attend_with_positions,
    head_over,
    show_asked,
)
from pages.positional_encoding.scene import Scene

STEP = Step(
    "compare",
    "RoPE and ALiBi ignore where a sentence starts",
    "One head, the same matrices: without an encoding, and with sinusoids, learned vectors, RoPE and ALiBi. Shift the "
    "sentence, as if masked words came first. Which attention maps change?",
    asks="What does a shift of the sentence change?",
    words="offset",
)

SHIFTS = (40, 5, 12, 77)  # that are asked about, by variant
ROW = 120  # pixels of a map in the row of five
USED_BY = {
    "none": "some layers of Llama 4",
    "sinusoidal": "the transformer of 2017",
    "learned": "GPT-2, BERT (here untrained)",
    "RoPE": "Llama, Qwen, Mistral, Gemma",
    "ALiBi": "BLOOM, MPT",
}


def draw(page: Page, scene: Scene) -> bool:
    """Show one sentence under five encodings and the same matrices, and what a shift of it changes."""
    controls, labels = page.controls, scene.labels
    x, head = head_over(page, scene)
    variant = page.variant("stay")
    asked = SHIFTS[variant % len(SHIFTS)]

    def weights_at(kind: str, start: int) -> Array:
        return placed_attention(x, head, kind, scene.base, start, scene.strength, scene.seed).weights

    after: dict[str, float] = {kind: largest_difference(weights_at(kind, 0), weights_at(kind, asked)) for kind in KINDS}
    question = stay_question(after, asked, len(labels), variant)
    if not page.ask(question, then=lambda: show_asked(page, variant, offset=asked)):
        return False
    offset = controls.slider("offset", "Shift, in positions", 0, 100, 0, 1, width=320)

    def under_each(when: str, first: int) -> dict[str, AttentionCache]:
        names = {kind: f"{kind.lower()}_{when}" for kind in KINDS}
        return {
            kind: attend_with_positions(page, name, x, head, scene._replace(kind=kind), first)
            for kind, name in names.items()
        }

    at_start, shown = under_each("at_0", 0), under_each("shifted", offset)
    changes = {kind: largest_difference(at_start[kind].weights, shown[kind].weights) for kind in shown}
    told: dict[str, str] = dict.fromkeys(KINDS, "")
    if offset:
        line = Markup('<div class="soft">{}</div>')
        told = {
            kind: line.format("same" if gap < ROUNDING else f"changed: {number(gap, 3)}")
            for kind, gap in changes.items()
        }
    page.write(in_one_row({kind: cache.weights for kind, cache in shown.items()}, told))
    grid = st.grid(3, min_column_width=240, gap="medium")
    cell = ChosenCell(page.controls, labels, labels)
    row, column = cell.fields()
    what = f"weight of {labels[row]} on {labels[column]} with RoPE"
    page.prints(what, shown["RoPE"].weights, row, column)
    for kind in shown:
        with grid.cell():
            now, change = shown[kind].weights, changes[kind]
            moved = "unchanged" if change < ROUNDING else f"changed by up to {number(change, 3)}"
            page.head(kind, f"· {moved}" if offset else "")
            where = np.abs(now - at_start[kind].weights) > ROUNDING
            layers = outline(row, column), frame(where), CLICK, SMALL, kind == list(shown)[-1] or NO_LEGEND
            chart = attention_heatmap(
                now, labels, *layers, name=kind, sentence=f"{kind}: {brightest_cell(now, labels, row)}"
            )
            page.show(chart, cell.choose, quiet=True)
    with grid.cell(), st.container(border=True):
        penalty = explain_weight(shown["ALiBi"], row, column).added
        lines = [
            (kind, *(number(float(values[row, column])) for values in (cache.scores, cache.weights)))
            for kind, cache in shown.items()
        ]
        title = Markup("{} → {}").format(in_role(labels[row], "query"), in_role(labels[column], "key"))
        slope = f"{number(SLOPE * scene.strength, 3)} per position of distance"
        note = f"ALiBi then subtracts {number(-penalty)} from this score: {slope}."
        below = Markup('<p class="soft">{}</p>').format(note)
        page.write(cards.card(title, table(("encoding", "scaled score", "attention weight"), lines), below))
    page.say(
        "**What to notice.** Attention weights that a shift changes are outlined. RoPE uses only the signed offset of "
        "two positions and ALiBi only their distance, so neither depends on where the sentence starts. Sinusoidal "
        "vectors keep their products p · p, but a score also contains the words, W_Q and W_K. A learned table, random "
        "here, has an unrelated vector for each position, and none after its last.",
        "note",
    )
    return True


def in_one_row(maps: dict[str, Array], told: dict[str, str]) -> Markup:
    """Return the five maps as small pictures side by side: whose they are, who uses it, and what a shift changes."""
    one = Markup('<div style="width:136px"><b>{}</b>{}{}<span class="soft">{}</span></div>')
    parts = [
        one.format(kind, told[kind], thumbnails.thumbnail(values, None, ROW), USED_BY[kind])
        for kind, values in maps.items()
    ]
    return Markup('<div style="display:flex;flex-wrap:wrap;gap:12px 16px">{}</div>').format(Markup("").join(parts))


def stay_question(changes: dict[str, float], offset: int, length: int, variant: int) -> Choice:
    """Ask for an encoding whose attention weights a shift of the sentence changes."""
    order = np.random.default_rng([variant, 35]).permutation(len(KINDS))
    options = tuple(KINDS[i] for i in order)
    right = tuple(i for i, kind in enumerate(options) if changes[kind] >= ROUNDING)
    text = prose(
        f"Shift the sentence: its first word is at position {offset} instead of 0, as if {offset} masked words came "
        "first. Under which encoding do the attention weights change (name one)?"
    )
    largest = ", ".join(f"{options[i]} by up to {number(changes[options[i]], 4)}" for i in right)
    changed = f"these change: {largest}" if right else "no attention weight changes"
    why = f"With a shift of {offset}, {changed}."
    reasons = {
        "none": "You thought that the shift matters. Without an encoding, no score depends on a position.",
        "RoPE": "You looked only at the angle of q. The key rotates by the same extra angle, so q · k stays the same.",
        "ALiBi": "You looked at the positions. ALiBi subtracts slope × distance, and the distances stay the same.",
        "sinusoidal": "At scale 0 these vectors are not added, so a shift changes nothing.",
        "learned": "At scale 0 these vectors are not added, so a shift changes nothing.",
    }
    if length == 1:
        reasons = dict.fromkeys(KINDS, "A single word gives itself an attention weight of 1 at any position.")
    mistakes = tuple(reasons[kind] for kind in options)
    if not right:  # a strength of 0, or one word
        return Choice("stay", text, (*options, "no weight changes"), (len(options),), why, (*mistakes, ""))
    return Choice("stay", text, options, right, why, mistakes)
