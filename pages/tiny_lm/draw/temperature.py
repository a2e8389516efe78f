"""The same prediction at every temperature."""

import math

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.language.next_token import (
    DecisionTable,
    TemperatureSweep,
    sweep_temperatures,
)
from attention_core.model.generate import decisions
from attention_core.model.parameters import Model
from pages.charts.lines import line_chart
from pages.look import html
from pages.look.colours import ATTENTION, INK
from pages.look.html import number, quoted
from pages.motion.bars import Panel, moving_bars
from pages.motion.sliders import Slider
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.draw.decision import Decision
from pages.tiny_lm.model_in_view import Subject

HEATS = tuple(round(0.1 + 0.05 * step, 2) for step in range(39))  # those of the slider, 0.1 to 2
NAMED_HEATS = (0.25, 0.5, 1.0, 2.0)
FOLLOWED = 8  # tokens whose bars move
PLACES = ("likeliest", "second", "third", "fourth", "fifth")  # lines of the chart


def draw_temperatures(page: Page, subject: Subject, decision: Decision) -> None:
    """Show the same prediction at every temperature."""
    if not page.ask(hotter_question(subject, decision.table, page.variant("hotter"))):
        return
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
            sentence=f"The probability of {best} goes from {lines.shares[0].max():.2f} at T = 0.1 to "
            f"{lines.shares[-1].max():.2f} at T = 2; it stays the likeliest.",
            here=sampling.temperature or None,
            called=dict(zip(names, tokens, strict=True)),
            colours=(ATTENTION, *[INK] * (len(names) - 1)),
        )
        page.show(chart)
    with right:
        page.write(heat_table(page, subject, decision, few))
        page.write(
            "Entropy measures how spread out the probabilities are, in nats (natural logarithm). e to that power is "
            f"the effective number of choices: that many equally likely {subject.unit}s have the same entropy. T → 0 "
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
        [Panel("", shares, f"At T = {{at}}, {quoted('{word}')} has probability {{most}}.", rests)],
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
        lines.append(
            heat_row("1, untrained", page.recipe.run("untrained_heat", sweep_temperatures, prediction, 0, (1.0,)), 0)
        )
    return html.table(("T", "likeliest", "entropy (nats)", "effective choices"), lines)


def heat_row(name: str, found: TemperatureSweep, row: int) -> tuple[str, str, str, str]:
    """Return one line of that table."""
    return (
        name,
        number(float(found.shares[row].max())),
        number(float(found.entropies[row])),
        number(float(found.hesitation[row]), 1),
    )


def untrained(subject: Subject) -> Model | None:
    """Return the model in view as it was before its training, unless that is it already, or is not known."""
    if subject.step == 0 or 0 not in subject.steps:
        return None
    return subject.source.model(subject.steps.index(0))


def hotter_question(subject: Subject, table: DecisionTable, variant: int) -> Choice:
    """Ask what the odds between two tokens become when T doubles."""
    gaps = table.logits[0] - table.logits[1:9]
    clear = [rank for rank, gap in enumerate(gaps, start=1) if 0.5 < gap < 7 and abs(gap - 2 * math.log(2)) > 0.4]
    if not clear:
        return order_question(variant)
    rank = clear[variant % len(clear)]
    odds = math.exp(float(gaps[rank - 1]))
    first, other = (quoted(subject.token(int(table.tokens[place]))) for place in (0, rank))
    odds = float(f"{odds:.3g}")  # as it is shown, so that the root can be checked
    right = to_one(math.sqrt(odds))
    mistakes = {
        to_one(odds / 2): "You halved the odds. T = 2 halves the logits, the exponents of e, so take the root.",
        to_one(odds): "You left the odds as they were. T = 2 halves the gap between the logits.",
        to_one(1 / odds): "You swapped the two. Dividing by T keeps the order of the logits.",
    }
    text = (
        f"At T = 1, the odds of {first} to {other} are {to_one(odds)}. Then both logits are divided by T = 2. "
        "What are the odds now?"
    )
    why = f"Odds are e to the gap between the logits. Half the gap gives √{rounded(odds)} = {rounded(math.sqrt(odds))}."
    return Choice.shuffled("hotter", text, [right], why, {right: ""} | mistakes, variant)


def order_question(variant: int) -> Choice:
    """Ask what temperature changes, for a prediction that is too nearly uniform or too certain to ask for odds."""
    right = "The gaps between probabilities, not their order"
    mistakes = {
        right: "",
        "Another becomes the likeliest": "Dividing all logits by the same T keeps the largest one the largest.",
        "Each probability is halved": "You halved the probabilities. T divides the logits, and the sum stays 1.",
        "The model’s logits": "T acts after the model, so the model’s own logits stay.",
    }
    return Choice.shuffled(
        "hotter",
        "In general, what does doubling the temperature change?",
        [right],
        "Dividing all logits by 2 halves their gaps and keeps their order.",
        mistakes,
        variant,
    )


def to_one(odds: float) -> str:
    """Return odds as "a : 1"."""
    return f"{rounded(odds)} : 1"


def rounded(value: float) -> str:
    """Return a number with three digits that count, and no power of ten."""
    return f"{float(f'{value:.3g}'):,.6g}"
