"""What a whole model costs by its sizes: numbers, operations and memory, and how they grow with the length."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.costs import GPT_2, GPT_3, map_bytes, model_costs, squared_shares
from attention_core.model.config import Config
from pages.charts.lines import line_chart
from pages.look import thumbnails
from pages.look.html import inline, number, prose, table, whole
from pages.multi_head.scene import HeadScene
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.page.steps import Step

STEP = Step(
    "cost",
    "Length is what costs",
    "Every word is compared with every word, so twice the text is four times the weights. Choose the sizes of a "
    "model and count its numbers, its operations and its memory. A token is a word, or a piece of one.",
)

LENGTHS = tuple(2**k for k in range(4, 21))
LARGEST = (1_000_000, 128, 512, 200)  # tokens, heads, width of a head, layers
LONG_TEXT = {"n": 100_000, "h": 1, "w": 64, "layers": 1}
ASKED = (100_000, 50_000, 200_000, 20_000, 400_000)  # tokens
BILLION = 10**9
UNITS = ("", " thousand", " million", " billion", " trillion", " quadrillion")
BYTES = (" B", " kB", " MB", " GB", " TB", " PB")


def draw(page: Page, scene: HeadScene) -> bool:
    """Let sizes be chosen, and count numbers, operations and memory of a whole model."""
    if not page.ask(memory_question(page.variant("memory"))):
        return False
    with st.container(horizontal=True, vertical_alignment="bottom"):
        length = page.controls.whole("n", "Tokens n", 1, LARGEST[0], 1024, width=150)
        n_heads = page.controls.whole("h", "Heads h", 1, LARGEST[1], 12, width=120)
        width = page.controls.whole("w", "Width of a head", 1, LARGEST[2], 64, width=140)
        layers = page.controls.whole("layers", "Layers", 1, LARGEST[3], 12, width=120)
        bits = int(page.controls.choice("bits", "Bits a number", ["16", "32"], "16"))
    with st.container(horizontal=True, gap="xsmall"):
        put_button(page, "GPT-2", sizes_of(GPT_2), "gpt-2")
        put_button(page, "GPT-3", sizes_of(GPT_3), "gpt-3")
        put_button(page, "One head, 100 000 tokens", LONG_TEXT, "long")
    d_model = n_heads * width
    cost = page.recipe.run("cost", model_costs, length, d_model, n_heads, layers, bits)
    page.write(
        inline(
            f"d_model = h · K = {n_heads} · {width} = **{whole(d_model)}**. One head’s map of weights: "
            f"{whole(length)} × {whole(length)} numbers of {bits} bits = **{short(cost.one_map, BYTES)}**."
        ),
        "lead",
    )
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        shares = page.recipe.run("squared", squared_shares, LENGTHS, d_model, n_heads, layers)
        here = page.recipe.run("squared_here", squared_shares, [length], d_model, n_heads, layers)[0]
        chart = line_chart(
            np.array(LENGTHS),
            {"the n² terms": shares},
            x_title="tokens",
            y_title="share of the operations",
            x_domain=(LENGTHS[0], LENGTHS[-1]),
            y_domain=(0, 1),
            name="share of the n² terms",
            sentence=f"With {whole(length)} token{'s' * (length > 1)}, {100 * here:.0f} % of the operations compare "
            "words with words or mix their values; that share grows with the length.",
            log_x=True,
        )
        page.show(chart)
    with right:
        rows = [
            ("numbers in attention, 4 d² a layer", short(cost.attention)),
            ("numbers in the feed-forward layers", short(cost.feed_forward)),
            ("numbers for tokens and positions", short(cost.embedding)),
            ("numbers in all", short(cost.parameters)),
            ("operations: the four matrices, ∝ n d²", short(cost.projections)),
            ("operations: scores and mixing, ∝ n² d", short(cost.squared)),
            ("operations: the rest", short(cost.rest)),
            ("memory: all maps, ∝ h n²", short(cost.all_maps, BYTES)),
            ("memory: keys and values, ∝ n d", short(cost.keys_and_values, BYTES)),
        ]
        page.write(table((f"a model that knows {whole(GPT_2.vocab_size)} tokens", ""), rows, bold=3))
    page.write(
        "By formula, for one pass over the whole text; an operation is one multiplication or one addition. Programs "
        "such as flash attention never keep a whole map, which saves the memory and none of the operations.",
        "note",
    )
    return True


def thumbnail(scene: HeadScene) -> Markup:
    """Return the small picture of the step."""
    shares = squared_shares([2**k for k in range(8, 20, 2)], 768, 12, 12)
    return thumbnails.thumbnail(thumbnails.bars(shares.tolist()), None)


def sizes_of(config: Config) -> dict[str, int]:
    """Return the sizes of a model as the fields are named."""
    return {"n": config.max_len, "h": config.n_heads, "w": config.d_head, "layers": config.n_layers}


def short(value: float, units: Sequence[str] = UNITS) -> str:
    """Return a large number with its unit: 16 thousand, 175 billion, 20 GB."""
    place = 0
    while value >= 1000 and place < len(units) - 1:
        value, place = value / 1000, place + 1
    return f"{number(value, 0 if value >= 100 or value == int(value) else 1)}{units[place]}"


def memory_question(variant: int) -> Number:
    """Ask how much memory the weights of one head take."""
    length = ASKED[variant % len(ASKED)]
    right = map_bytes(length) / BILLION
    text = prose(
        f"A text of {whole(length)} tokens, 2 bytes for each weight. How many gigabytes (10⁹ bytes) does the map of a "
        "single head take?"
    )
    why = (
        f"{whole(length)} × {whole(length)} weights of 2 bytes are {number(right, 1)} GB, for each head and each layer."
    )
    mistakes = (
        Mistake(right / 2, "You counted one byte for each weight; it is two."),
        Mistake(2 * length / BILLION, "That is one row of the map. It has as many rows as there are tokens."),
        Mistake(2 * right, "That would be weights of four bytes."),
    )
    return Number("memory", text, right, 0.02 * right, why, mistakes, "")
