"""The lengths of all rows on their way from words and positions through eight heads and LayerNorm."""

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.positions.position_kinds import ADDED, KINDS, added_positions, pipeline
from attention_core.experiments.qkv.one_head import LONGEST
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.charts.heatmap import CLICK, Axes, heatmap, outline, scale
from pages.heads.matrices import SENTENCE
from pages.look import cards
from pages.look.colours import QUERY
from pages.look.html import inline, number
from pages.page.fields.typed import words_of
from pages.page.page import Page
from pages.tiny_lm.model_in_view import Subject

DEVIATIONS = ("0.05", "0.1", "0.125", "0.2", "0.3", "0.5")
ORDERS = {"after the heads": "post", "before the heads": "pre"}
WAYS = {
    "post": ("word", "position", "sum", "8 heads", "+ sum", "LayerNorm"),
    "pre": ("word", "position", "sum", "LayerNorm", "8 heads", "+ sum"),
}
WAY_AXES = Axes("word", "step", "length", QUERY)
LARGEST = 64.0
BASES = ("10", "100", "1000", "10000", "100000", "1000000")
WHAT = {
    "word": "the word’s own vector",
    "position": "the vector of its position, times the scale",
    "sum": "word + position",
    "8 heads": "the concatenated outputs of eight heads, times W_O",
    "+ sum": "the residual connection, which adds the sum again",
    "LayerNorm": "mean 0 and standard deviation 1, so a length of √d_model",
}
NOTHING = {
    "none": "Nothing is added to the words",
    "RoPE": "RoPE adds nothing to the words",
    "ALiBi": "ALiBi adds nothing to the words",
}


def draw(page: Page, scene: Subject) -> bool:
    """Follow the lengths of all rows from words and positions through eight heads."""
    controls, run, strength, base = page.controls, page.recipe.run, 1.0, "10000"
    with page.sidebar:
        st.subheader("Settings", anchor=False)
        kind = controls.select("encoding", "Position encoding", KINDS, "sinusoidal")
        d_model = controls.slider("d_model", "d_model (width)", 8, 128, 64, 8)
        if kind == "sinusoidal":
            base = controls.dial("base", "Base of wavelengths", BASES, base)
        if kind in ADDED:
            strength = controls.slider("encoding_scale", "Scale of the encoding", 0.0, 8.0, strength, 0.25)
        seed = controls.integer("block_seed", "Seed", 0, 9999, 18)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words, note = words_of(controls.text("sentence", "Sentence", SENTENCE, width=280), SENTENCE)
        deviation = float(controls.dial("deviation", "Matrices’ standard deviation", DEVIATIONS, "0.3", width=260))
        order = ORDERS[controls.choice("norm", "LayerNorm", tuple(ORDERS), "after the heads")]
    with st.container():  # also when it is empty, so that what follows stays where it is
        if note:
            page.write(note, "note")
    way, labels = WAYS[order], position_labels(words)
    page.recipe.given("words", words)
    x = run("x", word_vectors, words, d_model, seed)
    table = run("table", added_positions, kind, len(words), d_model, float(base), 0, seed)
    lengths = run("way", pipeline, x, table, strength, 8, deviation, seed, order).lengths
    left, right = st.columns([1.3, 1], gap="medium")
    with right:
        card = st.container(border=True)
        with st.container(horizontal=True):
            row = min(controls.integer("way_row", "Word · row", 1, LONGEST, 3, width=150), len(labels)) - 1
            column = controls.integer("way_step", "Step · column", 1, 6, 4, width=150) - 1
        page.prints(f"length of {labels[row]}: {tuple(way)[column]}", lengths, row, column)
        page.say(
            "A random matrix multiplies the length of a vector by about √d_model times its standard deviation. Two "
            "such matrices follow each other here, W_V and W_O. At 1/√d_model (0.125 for a width of 64) they roughly "
            "keep lengths, and attention shortens vectors because it averages them. In a sum, a much longer part "
            "dominates.\n\n"
            "After the heads (post-norm), LayerNorm gives every output the length √d_model. Before the heads "
            "(pre-norm), nothing limits the last sum.",
            "",
        )
    with card:
        lines = [(name, "", float(value)) for name, value in zip(way, lengths[row], strict=True)]
        title = Markup("Lengths (norms) of the vectors of <b>{}</b>").format(labels[row])
        told = Markup('<p class="soft">{}: {}.</p>').format(way[column], inline(WHAT[way[column]]))
        page.write(cards.card(title, told, cards.chain(*lines)))
    before, after = (number(lengths[:, way.index(name)].mean()) for name in ("sum", "8 heads"))
    with left:
        layers = scale(LARGEST, amounts=True), outline(row, column), CLICK
        sentence = f"Mean length (norm): {before} for the sum, {after} after the heads."
        chart = heatmap(lengths, labels, list(way), WAY_AXES, *layers, name="vector norms", sentence=sentence)
        shape = f"{len(labels)} × {d_model}"
        note = f"Shape in and out {shape}, attention weights 8 × {len(labels)} × {len(labels)}. "
        note += f"Word vectors and matrices are random (seed {seed})."
        note += "" if kind in ADDED else f" {NOTHING[kind]}."
        page.show(chart, lambda i, j: controls.put(way_row=i + 1, way_step=j + 1), note=note)
    return True
