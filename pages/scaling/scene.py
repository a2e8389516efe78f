"""The scene of the lesson on scaling: random tables, how large and how many, and what divides their scores."""

from typing import NamedTuple

import streamlit as st

from attention_core.experiments.random_scores import DIVISORS, WIDTHS, divisor
from pages.page.page import Page
from pages.page.steps import Steps

OVER_WIDTHS = ("spread", "largest", "entropy", "gradient")  # the steps that draw tables at every d_k
N_DRAWS = ("1", "10", "100", "1000", "4000")
LENGTH = 4  # queries and keys in the tables of tutorials, on which their claims are tried


class Draws(NamedTuple):
    """Random tables of queries and keys; what a step has no control for stands at its default."""

    length: int  # queries and keys in a table
    n_draws: int
    seed: int
    d_k: int
    divisor: str  # its name: nothing, √d_k or d_k

    @property
    def by(self) -> float:
        """The number that divides the scores."""
        return divisor(self.divisor, self.d_k)

    @property
    def origin(self) -> str:
        """What is said under the pictures of these numbers."""
        return f"Random numbers (seed {self.seed}): they stand for no words."


def choose_scene(steps: Steps) -> Draws:
    """Draw the controls that the step in view has use for, and return the scene."""
    page, controls = steps.page, steps.page.controls
    tries_claims, goes_over_widths = steps.name == "claims", steps.name in OVER_WIDTHS
    length, n_draws, d_k, named = LENGTH, 0, 64, "√d_k"
    with page.scene:
        st.subheader("These draws", anchor=False)
        if not tries_claims:
            length = controls.slider("length", "Queries and keys in a table", 2, 16, 8, 1)
        if tries_claims or goes_over_widths:
            n_draws = int(controls.dial("draws", "How many draws", N_DRAWS, "100"))
        seed = controls.whole("seed", "Seed", 0, 9999, 895)
    with page.fields:
        if not tries_claims:
            d_k = width_field(page, "d_k", "d_k, the width of q and k", 220 if steps.name == "d_v" else 300)
        if goes_over_widths or steps.name == "scores":
            named = controls.choice("divide", "Divide the scores by", DIVISORS, named)
    return Draws(length, n_draws, seed, d_k, named)


def width_field(page: Page, name: str, label: str, pixels: int) -> int:
    """Draw a slider over the widths that a vector may have, and return the chosen one."""
    return int(page.controls.dial(name, label, [str(width) for width in WIDTHS], "64", width=pixels))
