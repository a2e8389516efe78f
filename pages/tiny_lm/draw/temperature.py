"""The same prediction at every temperature."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.language.next_token import TemperatureSweep, sweep_temperatures
from attention_core.model.generate import decisions
from attention_core.model.parameters import Model
from pages.charts.lines import line_chart
from pages.look import html
from pages.look.colours import ATTENTION, INK
from pages.look.html import number, quoted
from pages.motion.bars import Panel, moving_bars
from pages.motion.sliders import Slider
from pages.page.page import Page
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import HEATS, Decision

NAMED_HEATS = (0.25, 0.5, 1.0, 2.0)
FOLLOWED = 8  # tokens whose bars move
PLACES = ("likeliest", "second", "third", "fourth", "fifth")  # lines of the chart


def draw_temperatures(page: Page, subject: Subject, decision: Decision) -> None:
    """Show the same prediction at every temperature."""
    found, place, table = decision.found, decision.place, decision.table
    lines = page.recipe.run("heats", sweep_temperatures, found, place, HEATS)
    few = page.recipe.run("few_heats", sweep_temperatures, found, place, NAMED_HEATS)
    names = PLACES[: len(table.tokens)]
    tokens = [subject.token(int(token)) for token in table.tokens[: len(names)]]
    sampling = decision.sampling
    draw_under_hand(page, subject, decision, lines)
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        best = quoted(tokens[0])
        chart = line_chart(
            np.array(HEATS),
            {name: lines.shares[:, int(token)] for name, token in zip(names, table.tokens, strict=False)},
            x_title="temperature T",
            y_title="probability",
            name="probabilities by temperature",
            sentence=f"The probability of {best} is {number(lines.shares[0].max())} at T = 0.1 and "
            f"{number(lines.shares[-1].max())} at T = 2.",
            here=sampling.temperature or None,
            called=dict(zip(names, tokens, strict=True)),
            colours=(ATTENTION, *[INK] * (len(names) - 1)),
        )
        page.show(chart)
    with right:
        page.write(heat_table(page, subject, decision, few))
        page.write(
            "Entropy measures how spread out the probabilities are, in nats (natural logarithm). e to that power is "
            f"the effective number of choices: so many {subject.noun}s of one probability have this entropy. T → 0 "
            f"is greedy, T → ∞ is uniform over all {len(table.tokens):,}.",
            "note",
        )


def draw_under_hand(page: Page, subject: Subject, decision: Decision, lines: TemperatureSweep) -> None:
    """Draw the likeliest tokens as bars that move while T is dragged."""
    order = decision.table.tokens[:FOLLOWED]
    shares = lines.shares[:, order]  # (N, FOLLOWED)
    heats = [f"{heat:g}" for heat in HEATS]
    own = page.controls.last("temperature", 1.0)
    greedy = not decision.sampling.temperature
    rests = [
        f"The {len(order)} tokens have {number(100 * row.sum(), 0)} % of all probability. "
        f"Effective choices: {number(choices, 1)}."
        for row, choices in zip(shares, lines.hesitation, strict=True)
    ]
    page.head("Drag T.", "The bars show the likeliest tokens of this prediction before top-k and top-p.")
    moving_bars(
        page,
        "heat",
        [subject.token(int(token)) for token in order],
        [Panel("", shares, "T = {at}.", rests)],
        Slider("temperature", "Temperature T", heats, range(len(heats)), heats.index(f"{own:g}"), greedy),
        of="probability",
    )


def heat_table(page: Page, subject: Subject, decision: Decision, few: TemperatureSweep) -> Markup:
    """Return how peaked the prediction is at a few temperatures, and that of the same model before its training."""
    lines = [heat_row(f"{heat:g}", few, row) for row, heat in enumerate(few.temperatures)]
    if (raw := untrained(subject)) is not None:
        page.recipe.model("untrained", raw)
        context = np.concatenate([subject.tokens, decision.found.tokens[: decision.place]])
        page.recipe.given("so_far", context)
        prediction = page.recipe.run_once("untrained_prediction", decisions, raw, context, 1)
        before = page.recipe.run("untrained_heat", sweep_temperatures, prediction, 0, (1.0,))
        lines.append(heat_row("1, untrained", before, 0))
    return html.table(("T", "likeliest", "entropy (nats)", "effective choices"), lines)


def heat_row(name: str, found: TemperatureSweep, row: int) -> tuple[str, str, str, str]:
    """Return one line of that table."""
    largest, entropy, choices = found.shares[row].max(), found.entropies[row], found.hesitation[row]
    return name, number(float(largest)), number(float(entropy)), number(float(choices), 1)


def untrained(subject: Subject) -> Model | None:
    """Return the model in view as it was before its training, unless that is it already, or is not known."""
    if subject.step == 0 or 0 not in subject.steps:
        return None
    return subject.source.model(subject.steps.index(0))
