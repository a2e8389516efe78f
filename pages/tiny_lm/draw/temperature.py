"""The same prediction at every temperature."""

import numpy as np
import streamlit as st

from attention_core.experiments.language.next_token import sweep_temperatures
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK
from pages.look.html import number, table
from pages.motion.bars import Panel, moving_bars
from pages.motion.sliders import Slider
from pages.page.page import Page
from pages.tiny_lm.draw.decision import Decision
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import HEATS

NAMED_HEATS = (0.25, 0.5, 1.0, 2.0)
FOLLOWED = 8  # tokens whose bars move
PLACES = ("likeliest", "second", "third", "fourth", "fifth")  # lines of the chart
COUNTED = "The {count} tokens have {share} % of all probability. Effective choices: {choices}."
MOST = "At T = {at}, the largest probability is {most}: {names}."
ENTROPY = (
    "Entropy measures how spread out the probabilities are, in nats (natural logarithm). e to that power is the "
    "effective number of choices. T → 0 is greedy, T → ∞ is uniform."
)


def draw_temperatures(page: Page, subject: Subject, decision: Decision) -> None:
    """Show the same prediction at every temperature: as bars that move while T is dragged, as lines, and in numbers."""
    found, place, order = decision.found, decision.place, decision.table.tokens
    swept = page.recipe.run("heats", sweep_temperatures, found, place, HEATS)
    few = page.recipe.run("few_heats", sweep_temperatures, found, place, NAMED_HEATS)
    tokens = [subject.token(int(token)) for token in order[:FOLLOWED]]
    shares = swept.shares[:, order[:FOLLOWED]]  # (N, FOLLOWED)
    rests = [
        COUNTED.format(count=len(tokens), share=number(100 * row.sum(), 0), choices=number(choices, 1))
        for row, choices in zip(shares, swept.hesitation, strict=True)
    ]
    heats = [f"{heat:g}" for heat in HEATS]
    own, greedy = page.controls.last("temperature", 1.0), not decision.sampling.temperature
    page.head("Drag T.", "The bars show the likeliest tokens of this prediction before top-k and top-p.")
    slider = Slider("temperature", "Temperature T", heats, range(len(heats)), heats.index(f"{own:g}"), greedy)
    moving_bars(page, "heat", tokens, [Panel("", shares, MOST, rests)], slider, of="probability")
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        names = PLACES[: len(tokens)]
        chart = line_chart(
            np.array(HEATS),
            dict(zip(names, shares.T, strict=False)),
            x_title="temperature T",
            y_title="probability",
            name="probabilities by temperature",
            sentence="The likeliest token stays the likeliest at every temperature.",
            here=decision.sampling.temperature or None,
            called=dict(zip(names, tokens, strict=False)),
            colours=(ATTENTION, *[INK] * (len(names) - 1)),
        )
        page.show(chart)
    with right:
        columns = few.shares.max(axis=-1), few.entropies, few.hesitation
        lines = [
            (f"{heat:g}", number(best), number(entropy), number(choices, 1))
            for heat, best, entropy, choices in zip(few.temperatures, *columns, strict=True)
        ]
        page.write(table(("T", "likeliest", "entropy (nats)", "effective choices"), lines))
        page.write(ENTROPY, "note")
