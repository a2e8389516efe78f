"""More heads hold no more numbers, and each has a smaller rank."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.head_parts import ranks
from attention_core.model.parameters import attention_parameters
from pages.charts.lines import line_chart
from pages.look import thumbnails
from pages.look.colours import ATTENTION, INK
from pages.look.html import inline, prose, table, whole
from pages.multi_head.scene import HeadScene, divisors
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.page.steps import Step

STEP = Step(
    "free",
    "More heads hold no more numbers",
    "Twice the heads are half as wide. The four matrices stay as they are; only the cuts move. What each head "
    "loses is rank: the number of directions in which it can compare two words.",
)


def draw(page: Page, scene: HeadScene) -> bool:
    """Count the numbers of 1, 2, ... heads, and the rank of each."""
    d_model, length = scene.d_model, len(scene.words)
    counts = [int(count) for count in divisors(d_model)]
    if not page.ask(numbers_question(d_model, counts, page.variant("numbers"))):
        return False
    found = [page.recipe.run(f"ranks_of_{n}", ranks, scene.heads, n) for n in counts]
    total = page.recipe.run("numbers_held", attention_parameters, d_model)
    best = [int(rank.max()) for rank in found]
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        chart = line_chart(
            np.array(counts),
            {"numbers held": np.ones(len(counts)), "rank of a head": np.array(best) / d_model},
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
        lines = [
            (str(n), str(d_model // n), whole(total), str(rank), whole(n * length * length))
            for n, rank in zip(counts, best, strict=True)
        ]
        names = ("heads", "width K", "numbers", "rank", "weights")
        page.write(table(names, lines, bold=counts.index(scene.n_heads)))
        page.write(
            inline(
                "Numbers: W_Q, W_K, W_V and W_O together, 4 · {width}². Rank: of W_Q · {keys}ᵀ, the matrix by which "
                "one head compares words; a head of width K can compare them in K directions only. The products cost "
                "the same as well. What does grow is the pile of weights, one map for each head."
            ).format(width=d_model, keys=inline("W_K")),
            "note",
        )
    return True


def thumbnail(scene: HeadScene) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(thumbnails.bars([1 / int(count) for count in divisors(scene.d_model)]), None)


def numbers_question(d_model: int, counts: list[int], variant: int) -> Number:
    """Ask how many numbers several heads hold, given those of one."""
    several = [count for count in counts if count > 1]
    n_heads = several[np.random.default_rng([variant, 6]).integers(len(several))]
    one = attention_parameters(d_model)
    text = prose(
        f"With one head and d_model = {d_model}, the four matrices hold 4 · {d_model} · {d_model} = {whole(one)} "
        f"numbers. How many do they hold with {n_heads} heads?"
    )
    width = d_model // n_heads
    why = f"The same four matrices, cut into {n_heads} blocks of {width} columns: {whole(one)} numbers again."
    mistakes = (
        Mistake(one * n_heads, "Each head has matrices of its own, but they are narrower by as much."),
        Mistake(one / n_heads, "That is what one of the heads holds; there are more of them."),
    )
    return Number("numbers", text, one, 0.5, why, mistakes, "", digits=0)
