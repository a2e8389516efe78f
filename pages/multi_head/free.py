"""More heads have no more parameters, and each has a smaller rank."""

from functools import partial

import numpy as np
import streamlit as st

from attention_core.experiments.multi_head.head_parts import attention_parameters, ranks
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK
from pages.look.html import commas, inline, prose, table
from pages.multi_head.scene import HeadScene, divisors
from pages.page.buttons import step_link
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Mistake, Number

STEP = Step(
    "parameters",
    "More heads, same number of parameters",
    "With twice as many heads, each head is half as wide.",
    asks="Do more heads have more parameters?",
    then="The four matrices keep their size. They are only divided in another way. But a head of width d_k compares "
    "words in at most d_k directions (the **rank** of its product W_Q W_Kᵀ).",
)

RANK = "rank of {} heads"
NOTE = (
    "Parameters: W_Q, W_K, W_V and W_O together. Rank: the largest rank of W_Q W_Kᵀ in any head, at most d_k. The "
    "matrix products need the same number of operations for any number of heads. But each head has its own map, so the "
    "number of attention weights grows."
)
CUT = "W_Q, W_K and W_V are cut into {} blocks of columns, W_O into {} blocks of rows."


def draw(page: Page, scene: HeadScene) -> bool:
    """Count the parameters of 1, 2, ... heads, and the rank of each."""
    d_model, length = scene.d_model, len(scene.words)
    counts = [int(count) for count in divisors(d_model)]
    if not page.ask(page.question("numbers", partial(numbers_question, d_model, counts))):
        return False
    found = [page.recipe.run(f"ranks_of_{n}", ranks, scene.heads, n) for n in counts]
    total = page.recipe.run("parameters", attention_parameters, d_model)
    best = [int(rank.max()) for rank in found]
    page.prints(RANK.format(scene.n_heads), f"ranks_of_{scene.n_heads}.max()")
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        chart = line_chart(
            np.array(counts),
            {"rank": np.array(best) / d_model, "parameters": np.ones(len(counts))},
            x_title="heads",
            y_title="fraction (of 4 d_model² or d_model)",
            y_domain=(0, 1.1),
            name="parameters and rank",
            sentence="The largest rank of a head, and the parameters, as fractions of what one head has.",
            log_x=True,
            dots=True,
            number="",
            colours=(ATTENTION, INK),
        )
        page.show(chart, note=scene.origin)
    with right:
        lines = [
            (str(n), str(d_model // n), commas(total), str(rank), commas(n * length * length))
            for n, rank in zip(counts, best, strict=True)
        ]
        names = ("heads", inline("d_k"), "parameters", "rank", "attention weights")
        page.write(table(names, lines, bold=counts.index(scene.n_heads)))
        page.write(inline(NOTE), "note")
        step_link(page, "tiny_lm", "parts", "Lesson 6: what a whole model costs")
    return True


def numbers_question(d_model: int, counts: list[int], variant: int) -> Number:
    """Ask how many parameters several heads have, given those of one."""
    several = [count for count in counts if count > 1]
    n_heads = several[(int(np.random.default_rng([0, 6]).integers(len(several))) + variant) % len(several)]
    one = attention_parameters(d_model)
    width = d_model // n_heads
    text = prose(
        f"With one head and d_model = {d_model}, the four matrices have 4 · {d_model} · {d_model} = {commas(one)} "
        f"parameters. How many do {n_heads} heads of width {width} have together?"
    )
    why = f"The four matrices stay {d_model} × {d_model}. {CUT.format(n_heads, n_heads)}"
    mistakes = (
        Mistake(one * n_heads, f"You gave all {d_model} columns to every head. Each head has {width}."),
        Mistake(one / n_heads, f"You counted one head. Count all {n_heads}."),
    )
    return Number("numbers", text, one, 0.5, why, mistakes, "Heads divide the columns among them.", digits=0)
