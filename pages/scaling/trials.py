"""Putting a claim to the test: first a guess, then one draw against many, then what they say."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.random_scores import MOST, Trial, one_draw, tried
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK
from pages.look.html import number
from pages.page.page import Page
from pages.scaling.claims import LENGTH, Claim, of_one, verdict
from pages.scaling.lines import prepare
from pages.scaling.questions import claim_question

ENOUGH = 400  # draws: a question is about what most of them do, so a few would not settle it


def try_claim(page: Page, claim: Claim, n_draws: int, seed: int, origin: str) -> bool:
    """Put a claim to the test: first a guess, then one draw against many, then what they say."""
    page.say(f"**Claim.** {claim.text} Tables of {LENGTH} queries and {LENGTH} keys, as in the tutorials.", "ask")
    tested = (claim.measure, claim.divisor, claim.rises, claim.widths, LENGTH)
    prepare(claim.measure, claim.widths, LENGTH, max(n_draws, ENOUGH), seed)
    asked = tried(*tested, max(n_draws, ENOUGH), seed)
    if not page.ask(claim_question(claim, asked, page.variant(f"claim_{claim.name}"))):
        return False
    controls = page.controls
    trial = page.recipe.run("trial", tried, *tested, n_draws, seed)
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        with st.container(border=True):
            page.say(verdict(trial, claim), "")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            draw = controls.whole("draw", "One draw, number", 1, MOST, 1, width=150)
            st.button(
                "Draw again",
                icon=":material/casino:",
                key="scaling_again",
                disabled="draw" in controls.locked,
                on_click=controls.put,
                kwargs={"draw": draw % MOST + 1},
            )
        single = page.recipe.run("single", one_draw, claim.measure, claim.divisor, claim.widths, LENGTH, seed, draw - 1)
        page.write(of_one(single, trial, claim), "note")
    with left:
        values = ", ".join(f"{number(value)} at {width}" for value, width in zip(single, claim.widths, strict=True))
        said = f"Draw {draw}: {values}. The band holds eight draws in ten."
        page.show(claim_lines(claim.widths, trial, single, 1 / LENGTH, draw, said), note=origin)
    return True


def claim_lines(
    widths: tuple[int, ...], trial: Trial, single: Array, uniform: float, draw: int, sentence: str
) -> Chart:
    """Return one draw as dots on a line, over the mean and the band of many."""
    mean = f"mean of {trial.n_draws}"
    return line_chart(
        np.array(widths, float),
        {f"draw {draw}": single, mean: trial.mean},
        x_title="d_k",
        y_title="largest weight",
        x_domain=(float(widths[0]), float(widths[-1])),
        y_domain=(0, 1),
        name="one draw and many",
        sentence=sentence,
        band={mean: (trial.low, trial.high)},
        baselines={"all alike": uniform},
        log_x=True,
        dots=True,
        colours=(INK, ATTENTION),
        height=300,
    )
