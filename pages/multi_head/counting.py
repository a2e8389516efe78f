"""What heads cost: nothing more in numbers, something in rank; and what length costs."""

import numpy as np
import streamlit as st

from attention_core.experiments.costs import GPT_2, GPT_3, model_costs, squared_shares
from attention_core.experiments.head_parts import ranks
from attention_core.model.parameters import attention_parameters
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK
from pages.look.html import table, whole
from pages.multi_head.questions import memory_question, numbers_question
from pages.multi_head.scenes import HeadScene, divisors
from pages.multi_head.views import BYTES, short
from pages.page.buttons import put_button
from pages.page.page import Page

LENGTHS = tuple(2**k for k in range(4, 21))
LARGEST = (1_000_000, 128, 512, 200)  # words, heads, width of a head, layers


def free(page: Page, scene: HeadScene) -> None:
    """Count the numbers of 1, 2, ... heads, and the rank of each."""
    d_model, length = scene.x.shape[1], len(scene.words)
    counts = [int(count) for count in divisors(d_model)]
    if not page.ask(numbers_question(d_model, counts, page.variant("numbers"))):
        return
    found = [page.recipe.run(f"ranks_of_{n}", ranks, scene.heads, n) for n in counts]
    total = page.recipe.run("numbers_held", attention_parameters, d_model)
    best = [int(rank.max()) for rank in found]
    lines = [
        (str(n), str(d_model // n), whole(total), str(rank), whole(n * length * length))
        for n, rank in zip(counts, best, strict=True)
    ]
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        shares = {
            "numbers held": np.ones(len(counts)),
            "rank of a head": np.array(best) / d_model,
        }
        chart = line_chart(
            np.array(counts),
            shares,
            x_title="heads",
            y_title="share of what one head has",
            x_domain=(1, 16),
            y_domain=(0, 1.1),
            name="what heads cost",
            sentence=f"From {counts[0]} to {counts[-1]} heads the numbers held stay at {whole(total)}, while the rank "
            f"of each head falls from {best[0]} to {best[-1]}.",
            log_x=True,
            colours=(INK, ATTENTION),
        )
        page.show(chart, note=scene.origin)
    with right:
        here = counts.index(scene.n_heads)
        names = ("heads", "width K", "numbers", "rank", "weights")
        page.write(table(names, lines, bold=here))
        page.write(
            f"Numbers: W<sub>Q</sub>, W<sub>K</sub>, W<sub>V</sub> and W<sub>O</sub> together, 4 · {d_model}². Rank: "
            "of W<sub>Q</sub> · W<sub>K</sub>ᵀ, the matrix by which one head compares words; a head of width K can "
            "compare them in K directions only. The products cost the same as well. What does grow is the pile of "
            "weights, one map for each head.",
            "note",
        )


def expensive(page: Page) -> None:
    """Let sizes be chosen, and count numbers, operations and memory of a whole model."""
    if not page.ask(memory_question(page.variant("memory"))):
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        length = page.controls.whole("n", "Tokens n", 1, LARGEST[0], 1024, width=150)
        n_heads = page.controls.whole("h", "Heads h", 1, LARGEST[1], 12, width=120)
        width = page.controls.whole("w", "Width of a head", 1, LARGEST[2], 64, width=140)
        layers = page.controls.whole("layers", "Layers", 1, LARGEST[3], 12, width=120)
        bits = int(page.controls.choice("bits", "Bits a number", ["16", "32"], "16"))
    with st.container(horizontal=True, gap="xsmall"):
        for label, preset in (("GPT-2", GPT_2), ("GPT-3", GPT_3)):
            sizes = {"n": preset.max_len, "h": preset.n_heads, "w": preset.d_head, "layers": preset.n_layers}
            put_button(page, label, sizes, label.lower())
        sizes = {"n": 100_000, "h": 1, "w": 64, "layers": 1}
        put_button(page, "One head, 100 000 tokens", sizes, "long")
    d_model = n_heads * width
    cost = page.recipe.run("cost", model_costs, length, d_model, n_heads, layers, bits)
    page.write(
        f"d<sub>model</sub> = h · K = {n_heads} · {width} = <b>{whole(d_model)}</b>. One head’s map of weights: "
        f"{whole(length)} × {whole(length)} numbers of {bits} bits = <b>{short(cost.one_map, BYTES)}</b>.",
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
            ("<b>numbers in all</b>", f"<b>{short(cost.parameters)}</b>"),
            ("operations: the four matrices, ∝ n d²", short(cost.projections)),
            ("operations: scores and mixing, ∝ n² d", short(cost.squared)),
            ("operations: the rest", short(cost.rest)),
            ("memory: all maps, ∝ h n²", short(cost.all_maps, BYTES)),
            ("memory: keys and values, ∝ n d", short(cost.keys_and_values, BYTES)),
        ]
        page.write(table((f"a model that knows {whole(GPT_2.vocab_size)} tokens", ""), rows))
    page.write(
        "By formula, for one pass over the whole text; an operation is one multiplication or one addition. Programs "
        "such as flash attention never keep a whole map, which saves the memory and none of the operations.",
        "note",
    )
