"""Words and positions read back from the stream, block by block."""

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.position_kinds import ADDED, add_positions
from attention_core.experiments.probes import LENGTH, SENTENCES, ByLayer, probe_by_layer, probe_trained_model
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look import thumbnails
from pages.look.html import number
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.common import few_rows, few_words
from pages.positional_encoding.scene import Scene

STEP = Step(
    "blocks",
    "What is left after each block?",
    "A model stacks blocks: attention and a small network, each adding what it finds to the stream of vectors "
    "that runs past it. Positions were added at the entrance; can they still be read from the stream further in?",
)

WIDTH = 32
MOST_BLOCKS = 6
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


def draw(page: Page, scene: Scene) -> None:
    """Read words and positions back from the stream after every block."""
    controls = page.controls
    with st.container(horizontal=True, vertical_alignment="bottom"):
        trained = controls.choice("model", "Whose blocks", ("random", "trained"), "random") == "trained"
        n_blocks = controls.slider("blocks", "How many blocks", 1, MOST_BLOCKS, 4, 1, width=240, disabled=trained)
        cut = controls.switch("cut", "Cut the residual path", disabled=trained)
    if trained:
        found = probe_trained_model(scene.seed)
        for name in ("words", "places"):  # a script has no model at hand: it is given what was read
            page.recipe.given(name, getattr(found, name))
    else:
        sizes = (scene.kind, WIDTH, n_blocks, not cut, scene.base, scene.strength, scene.seed)
        found = page.recipe.run("found", probe_by_layer, *sizes)
    left, right = st.columns([1.5, 1], gap="medium")
    with left:
        origin = f"Random blocks of width {WIDTH}, 4 heads each."
        if trained:
            origin = "The one block of the trained model, whatever the sidebar says."
        page.show(shares_by_block(found), note=origin)
    with right:
        page.say(
            f"**What is measured.** {SENTENCES} sentences of {LENGTH} random words run through the blocks. A matrix "
            "fitted to half of them reads word and position from the vectors of the other half. What it can read, the "
            "next block’s W_Q and W_K could read too.",
            "",
        )
        told = scene.kind if scene.kind not in ADDED or scene.strength else "none"
        page.say(WHAT_STAYS["trained" if trained else told], "")


def thumbnail(scene: Scene) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(add_positions(few_words(scene), few_rows(scene))[:, [0] * 6], 4.0)


def shares_by_block(found: ByLayer) -> Chart:
    """Return the shares of words and positions read back, after each block."""
    words, places = (number(float(share[-1])) for share in (found.words, found.places))
    return line_chart(
        found.layers,
        {"positions": found.places, "words": found.words},
        baselines={"guessing": found.chance},
        x_title="blocks passed",
        y_title="share read back right",
        x_domain=(0.0, float(len(found.layers) - 1)),
        y_domain=(0.0, 1.0),
        name="by block",
        sentence=f"After the last block a share of {words} of the words and {places} of the positions is read back "
        "right.",
    )
