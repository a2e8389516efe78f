"""What becomes of positions further in: block by block, and on the whole way through eight heads."""

from html import escape

import streamlit as st

from attention_core.experiments.one_head import LONGEST
from attention_core.experiments.position_kinds import ADDED, pipeline, place_table
from attention_core.experiments.probes import LENGTH, SENTENCES, read_by_layer, read_by_layer_of_trained
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.charts.heatmap import Axes, heatmap
from pages.charts.lines import line_chart
from pages.look import cards
from pages.look.colours import QUERY
from pages.look.html import number, prose
from pages.page.page import Page
from pages.positional_encoding.added import NOTHING
from pages.positional_encoding.settings import Settings

WIDTH = 32
MOST_BLOCKS = 6
DEVIATIONS = ("0.05", "0.1", "0.125", "0.2", "0.3", "0.5")
ORDERS = {"after the heads": "post", "before the heads": "pre"}
STEPS = {
    "post": ("word", "position", "sum", "8 heads", "+ sum", "norm"),
    "pre": ("word", "position", "sum", "norm", "8 heads", "+ sum"),
}
STEPS_AXES = Axes("word", "step", "length", QUERY)
LARGEST = 64.0
WHAT = {
    "word": "the word’s own vector",
    "position": "the row of its position, times the strength",
    "sum": "word + position",
    "8 heads": "what eight heads, side by side and mixed by W_O, make of it",
    "+ sum": "the residual path: the sum added to it again",
    "norm": "layer norm: mean 0 and variance 1, so a length of √d_model",
}


def layers_stage(page: Page, scene: Settings) -> None:
    """Read words and positions back from the stream after every block."""
    controls = page.controls
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whose = controls.choice("model", "Whose blocks", ("random", "trained"), "random")
        trained = whose == "trained"
        n_blocks = controls.slider("blocks", "How many blocks", 1, MOST_BLOCKS, 4, 1, width=240, disabled=trained)
        cut = controls.switch("cut", "Cut the residual path", disabled=trained)
    if trained:
        found = read_by_layer_of_trained(scene.seed)
        for name in ("words", "places"):  # a script has no model at hand: it is given what was read
            page.recipe.given(name, getattr(found, name))
    else:
        sizes = (scene.kind, WIDTH, n_blocks, not cut, scene.base, scene.strength, scene.seed)
        found = page.recipe.run("found", read_by_layer, *sizes)
    words, places = (number(float(share[-1])) for share in (found.words, found.places))
    sentence = f"After the last block a share of {words} of the words and {places} of the positions is read back right."
    left, right = st.columns([1.5, 1], gap="medium")
    with left:
        chart = line_chart(
            found.layers,
            {"positions": found.places, "words": found.words},
            baselines={"guessing": found.chance},
            x_title="blocks passed",
            y_title="share read back right",
            x_domain=(0.0, float(len(found.layers) - 1)),
            y_domain=(0.0, 1.0),
            name="by block",
            sentence=sentence,
        )
        origin = f"Random blocks of width {WIDTH}, 4 heads each."
        if trained:
            origin = "The one block of the trained model, whatever the sidebar says."
        page.show(chart, note=origin)
    with right:
        page.say(
            f"**What is measured.** {SENTENCES} sentences of {LENGTH} random words run through the blocks. A matrix "
            "fitted to half of them reads word and position from the vectors of the other half. What it can read, the "
            "next block’s W_Q and W_K could read too.",
            "",
        )
        told = scene.kind if scene.kind not in ADDED or scene.strength else "none"
        page.say(WHAT_STAYS["trained" if trained else told], "")


WHAT_STAYS = {
    "none": "Nothing was told, and without a mask nothing can be found out: the line lies where guessing does.",
    "sinusoidal": "What was added stays in the stream, because every block only *adds* to it. Neighbours have rows so "
    "alike that many are taken for each other, but no more after the last block than before the first. Cut the "
    "residual path, so that a block keeps only what it found, and see both lines fall.",
    "learned": "Random rows are easily told apart, and the blocks only *add* to what is there. Cut the residual path, "
    "so that a block keeps only what it found, and see both lines fall.",
    "RoPE": "With RoPE the stream never held a position: the turn happens inside each head, on q and k, afresh in "
    "every block. There is nothing to lose on the way.",
    "ALiBi": "With ALiBi the stream never held a position: the distance is subtracted inside each head, afresh in "
    "every block. There is nothing to lose on the way.",
    "trained": "The model of lesson 1 has learned positions and a single block. Its words are narrower than its "
    "vocabulary needs, and what it has no use for has faded, so even before the block neither is read without "
    "mistakes.",
}


def norms_stage(page: Page, words: list[str], scene: Settings) -> None:
    """Follow the lengths of all rows from words and positions through eight heads."""
    controls, run = page.controls, page.recipe.run
    with st.container(horizontal=True, vertical_alignment="bottom"):
        deviation = float(controls.dial("deviation", "Matrices drawn with deviation", DEVIATIONS, "0.3", width=300))
        order = ORDERS[controls.choice("norm", "Where the norm stands", tuple(ORDERS), "after the heads")]
    steps = STEPS[order]
    page.recipe.given("words", words)
    x = run("x", word_vectors, words, scene.d_model, scene.seed)
    table = run("table", place_table, scene.kind, len(words), scene.d_model, scene.base, 0, scene.seed)
    found = run("way", pipeline, x, table, scene.strength, 8, deviation, scene.seed, order)
    labels = position_labels(words)
    left, right = st.columns([1.3, 1], gap="medium")
    with right:
        card = st.container(border=True)
        with st.container(horizontal=True):
            row = min(controls.whole("q", "Word · row", 1, LONGEST, 3, width=150), len(labels)) - 1
            column = controls.whole("way_step", "Step · column", 1, 6, 4, width=150) - 1
        page.say(
            "A random matrix makes a vector about √d_model times its deviation as long, and two stand in the way, W_V "
            "and W_O. At 1/√d_model (0.125 for a width of 64) they leave lengths as they are, and only the averaging "
            "shortens. The norm brings every row to one length: move it, and see what is left unbounded.",
            "",
        )
    with card:
        lines = [(name, "", float(value)) for name, value in zip(steps, found.lengths[row], strict=True)]
        title = f"How long the rows of <b>{escape(labels[row])}</b> are"
        page.write(
            cards.card(
                title, f'<p class="soft">{steps[column]}: {prose(WHAT[steps[column]])[3:-4]}.</p>', cards.chain(*lines)
            )
        )
    before, after = (found.lengths[:, steps.index(step)].mean() for step in ("sum", "8 heads"))
    sentence = f"On average a row is {number(before)} long as a sum, and {number(after)} as the heads hand it on."
    with left:
        chart = heatmap(
            found.lengths,
            labels,
            list(steps),
            STEPS_AXES,
            name="lengths",
            limit=LARGEST,
            amounts=True,
            sentence=sentence,
            chosen=(row, column),
            clickable=True,
        )
        shape = f"{len(words)} × {scene.d_model}"
        note = f"Shape in {shape}, shape out {shape}; weights 8 × {len(words)} × {len(words)}. The matrices are random."
        note += "" if scene.kind in ADDED else f" {NOTHING[scene.kind]}."
        page.show(chart, lambda i, j: controls.put(q=i + 1, way_step=j + 1), note=note)
