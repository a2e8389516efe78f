"""The same prediction at every temperature: as bars that move while T is dragged, and how spread out it is."""

import streamlit as st

from attention_core.experiments.language.next_token import sweep_temperatures
from pages.look.html import number, table
from pages.motion.bars import Panel, moving_bars
from pages.motion.sliders import Slider
from pages.page.page import Page
from pages.tiny_lm.common import likeliest_bars
from pages.tiny_lm.draw.decision import Decision
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import HEATS

NAMED_HEATS = (0.25, 0.5, 1.0, 2.0)
TWO, COMPARED = (0.5, 2.0), 4  # temperatures side by side, and tokens of each
FOLLOWED = 8  # tokens whose bars move
AT = "The prediction at T = {heat:g}."
COUNTED = "The {count} tokens have {percent} % of all probability. Effective choices: {choices}."
TEMPERATURE = "T = {at}."
ENTROPY = (
    "Entropy measures how spread out the probabilities are, in nats (natural logarithm). e to that power is the "
    "effective number of choices. T → 0 is greedy, T → ∞ is uniform."
)


def draw_two_temperatures(page: Page, subject: Subject, decision: Decision) -> None:
    """Draw the same prediction at a low and at a high temperature, side by side."""
    order = decision.table.tokens[:COMPARED]
    tokens = [subject.token(int(token)) for token in order]
    swept = page.recipe.run("two_heats", sweep_temperatures, decision.found, decision.place, TWO)
    for column, heat, shares in zip(st.columns(2, gap="medium"), TWO, swept.shares, strict=True):
        with column:
            page.head(f"T = {heat:g}")
            likeliest_bars(page, tokens, shares[order], f"at T = {heat:g}", AT.format(heat=heat), subject.noun)


def draw_temperatures(page: Page, subject: Subject, decision: Decision) -> None:
    """Show the same prediction at every temperature."""
    found, place, order = decision.found, decision.place, decision.table.tokens[:FOLLOWED]
    swept = page.recipe.run("heats", sweep_temperatures, found, place, HEATS)
    few = page.recipe.run("few_heats", sweep_temperatures, found, place, NAMED_HEATS)
    shares = swept.shares[:, order]  # (N, FOLLOWED)
    rests = [
        COUNTED.format(count=len(order), percent=number(100 * row.sum(), 0), choices=number(choices, 1))
        for row, choices in zip(shares, swept.hesitation, strict=True)
    ]
    heats = [f"{heat:g}" for heat in HEATS]
    own, greedy = page.controls.last("temperature", 1.0), not decision.sampling.temperature
    page.head("Drag T.", "The bars show the likeliest tokens of this prediction before top-k and top-p.")
    slider = Slider("temperature", "Temperature T", heats, range(len(heats)), heats.index(f"{own:g}"), greedy)
    tokens = [subject.token(int(token)) for token in order]
    moving_bars(page, "heat", tokens, [Panel("", shares, TEMPERATURE, rests)], slider, of="probability")
    columns = few.shares.max(axis=-1), few.entropies, few.hesitation
    lines = [
        (f"{heat:g}", number(best), number(entropy), number(choices, 1))
        for heat, best, entropy, choices in zip(few.temperatures, *columns, strict=True)
    ]
    page.write(table(("T", "likeliest", "entropy (nats)", "effective choices"), lines))
    page.write(ENTROPY, "note")
