"""What a whole model costs by its sizes: parameters, FLOPs and memory, and how they grow with the length."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from attention_core.experiments.language.costs import GPT_2, GPT_3, map_bytes, model_costs, squared_shares
from attention_core.model.config import Config
from pages.charts.lines import line_chart
from pages.look.html import commas, inline, number, prose, table
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.page.steps import Step
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "cost",
    "Twice the tokens, four times the attention weights",
    "n tokens (words or pieces of words) have n² attention weights in each head of each layer, masked ones included. "
    "Choose the sizes of a model, and count its parameters, **floating-point operations** (FLOPs) and memory.",
    words="bits h n n_layers w",
)

LENGTHS = tuple(2**k for k in range(4, 21))
LARGEST = (1_000_000, 128, 512, 200)  # tokens, heads, width of a head, layers
LONGER = 6  # times d_model: of shorter texts, the n² terms are less than half of the FLOPs
LONG_TEXT = {"n": 100_000, "h": 1, "w": 64, "n_layers": 1}
ASKED_LENGTHS = (100_000, 50_000, 200_000, 20_000, 400_000)  # tokens
BILLION = 10**9
UNITS = ("", " thousand", " million", " billion", " trillion", " quadrillion")
BYTES = (" B", " kB", " MB", " GB", " TB", " PB")


def draw(page: Page, scene: Subject) -> bool:
    """Let sizes be chosen, and count parameters, FLOPs and memory of a whole model."""
    if not page.ask(memory_question(page.variant("memory"))):
        return False
    with st.container(horizontal=True, vertical_alignment="bottom"):
        length = page.controls.integer("n", "Tokens n", 1, LARGEST[0], 1024, width=150)
        n_heads = page.controls.integer("h", "Heads h", 1, LARGEST[1], 12, width=120)
        width = page.controls.integer("w", "Head width d_k", 1, LARGEST[2], 64, width=140)
        layers = page.controls.integer("n_layers", "Layers", 1, LARGEST[3], 12, width=120)
        bits = int(page.controls.choice("bits", "Bits per number", ["16", "32"], "16"))
    with st.container(horizontal=True, gap="xsmall"):
        put_button(page, "GPT-2", sizes_of(GPT_2), "gpt-2")
        put_button(page, "GPT-3", sizes_of(GPT_3), "gpt-3")
        put_button(page, "1 head, 100,000 tokens", LONG_TEXT, "long")
    d_model = n_heads * width
    cost = page.recipe.run("cost", model_costs, length, d_model, n_heads, layers, bits)
    page.prints("bytes of one attention map", "cost.one_map")
    page.write(
        inline(
            f"d_model = h · d_k = {n_heads} · {width} = **{commas(d_model)}**. One head’s attention map has "
            f"{commas(length)} × {commas(length)} numbers of {bits} bits = **{short(cost.one_map, BYTES)}**."
        ),
        "lead",
    )
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        squared = page.recipe.run("squared", squared_shares, LENGTHS, d_model, n_heads, layers)
        here = page.recipe.run("squared_here", squared_shares, [length], d_model, n_heads, layers)[0]
        chart = line_chart(
            np.array(LENGTHS),
            {"the n² terms": squared},
            x_title="tokens",
            y_title="fraction of all FLOPs",
            name="fraction of the n² terms",
            sentence=f"With {commas(length)} token{'s' * (length > 1)}, scores and weighted sums (the n² terms) take "
            f"{100 * here:.0f} % of all FLOPs. The percentage grows with n. The line marks n.",
            log_x=True,
            here=length if length >= LENGTHS[0] else None,
            number="",
        )
        page.show(chart)
    with right:
        rows = [
            ("parameters: attention, 4 d² per layer", short(cost.attention)),
            ("parameters: feed-forward layers (MLP)", short(cost.feed_forward)),
            ("parameters: token and position embeddings", short(cost.embedding)),
            ("parameters: all, with LayerNorm", short(cost.parameters)),
            ("FLOPs: the four matrices, ∝ n d²", short(cost.projections)),
            ("FLOPs: scores and weighted sums, ∝ n² d", short(cost.squared)),
            ("FLOPs: MLP and logits, ∝ n", short(cost.rest)),
            ("memory: all attention maps, ∝ h n²", short(cost.all_maps, BYTES)),
            ("memory: keys and values, ∝ n d", short(cost.keys_and_values, BYTES)),
        ]
        page.write(
            table((inline(f"d = d_model, vocabulary of {commas(GPT_2.vocab_size)} tokens"), ""), rows, bold=3, long=0)
        )
    page.write(
        inline(
            f"As long as n is less than {LONGER} · d_model = {commas(LONGER * d_model)}, the n² terms take less than "
            "half of all FLOPs. FLOPs count the multiplications and additions in the matrix products of one forward "
            "pass, masked cells included. FlashAttention never stores a whole map, which saves memory and time. It "
            "computes the same products, but can skip blocks of masked cells."
        ),
        "note",
    )
    return True


def sizes_of(config: Config) -> dict[str, int]:
    """Return the sizes of a model as the fields are named."""
    return {"n": config.max_len, "h": config.n_heads, "w": config.d_head, "n_layers": config.n_layers}


def short(value: float, units: Sequence[str] = UNITS) -> str:
    """Return a large number with its unit: 16 thousand, 175 billion, 20 GB."""
    unit = 0
    while value >= 1000 and unit < len(units) - 1:
        value, unit = value / 1000, unit + 1
    return f"{number(value, 0 if value >= 100 or value == int(value) else 1)}{units[unit]}"


def memory_question(variant: int) -> Number:
    """Ask how much memory the attention weights of one head take."""
    length = ASKED_LENGTHS[variant % len(ASKED_LENGTHS)]
    right = map_bytes(length) / BILLION
    text = prose(
        f"A text has {commas(length)} tokens, and each attention weight takes 2 bytes. How many gigabytes (10⁹ bytes) "
        "does the attention map of one head take?"
    )
    why = f"{commas(length)} × {commas(length)} attention weights of 2 bytes take {number(right, 1)} GB."
    mistakes = (
        Mistake(right / 2, "You counted 1 byte per attention weight. Each takes 2."),
        Mistake(2 * length / BILLION, f"You counted one row of the map. It has {commas(length)} rows."),
        Mistake(2 * right, "You counted 4 bytes per attention weight. Each takes 2."),
    )
    otherwise = "Square the number of tokens, multiply by 2 bytes and divide by 10⁹."
    return Number("memory", text, right, 0.02 * right, why, mistakes, otherwise)
