"""What a layer norm does to one row, number by number, and what it forgets."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.residual_stream import NormSteps, norm_steps
from attention_core.model.activations import Insides
from pages.charts.heatmap import Axes, heatmap
from pages.look import cards
from pages.look.html import number, quoted, table, typed
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.tiny_lm.asked_position import asked_position
from pages.tiny_lm.common import chosen_place
from pages.tiny_lm.model_in_view import Subject

NORM_AXES = Axes("step", "number of x", "value")
STEPS = ("x", "− mean", "÷ deviation", "· gain", "+ bias")
FACTORS = {"½": 0.5, "1": 1.0, "2": 2.0, "10": 10.0}
WIDE, SHOWN_NUMBERS = 24, 8  # numbers of a row in the picture, and in the table


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Show what a layer norm does to one row, number by number, and what it forgets."""
    place = asked_position(page, subject, "norm")
    plain = page.recipe.run("first_norm", norm_steps, subject.model, inside, 0, place)
    if not page.ask(norm_question(subject, plain, place, page.variant("norm"))):
        return False
    names = norm_names(subject)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        which = names.index(page.controls.select("which", "Norm", names, names[0], width=190))
        position = chosen_place(page, subject)
        times = page.controls.choice("scale", "Multiply the row by", list(FACTORS), "1")
        shift = page.controls.slider("shift", "Add to all its numbers", -3.0, 3.0, 0.0, 0.5, width=180)
        start = page.controls.whole("d", "From number", 1, subject.model.config.d_model, 1, width=120)
    usual = page.recipe.run("usual", norm_steps, subject.model, inside, which, position)
    steps = page.recipe.run("steps", norm_steps, subject.model, inside, which, position, FACTORS[times], shift)
    width = len(steps.x)
    first = min(start, max(1, width - WIDE + 1)) - 1
    rows = np.stack([steps.x, steps.centred, steps.normal, steps.normal * steps.gain, steps.out])
    chart = heatmap(
        rows[:, first : first + WIDE],
        list(STEPS),
        [str(place + 1) for place in range(width)][first : first + WIDE],
        NORM_AXES,
        name="norm",
        sentence="The row on its way through the norm, a line for each step: mean away, divided by its deviation, "
        "times the gain, plus the bias.",
        limit=4.0,
    )
    page.show(chart, note=subject.origin)
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        page.write(norm_table(steps, min(start, max(1, width - SHOWN_NUMBERS + 1)) - 1))
    with right, st.container(border=True):
        changed = float(np.abs(steps.out - usual.out).max())
        lines = [
            ("mean", "of all numbers", number(steps.mean, 4)),
            ("deviation", "√(mean square of what is left + 0.00001)", number(steps.deviation, 4)),
            ("mean after ÷", "", number(float(steps.normal.mean()), 4)),
            ("deviation after ÷", "", number(float(steps.normal.std()), 4)),
            (Markup("<b>what your change moved</b>"), "largest of all results", number(changed, 4)),
        ]
        title = Markup("{}, at {}").format(names[which].capitalize(), typed(subject.labels[position]))
        page.write(cards.card(title, cards.listed(lines)))
        page.write(
            "Multiply the row, or add to all its numbers: the result stays. A norm forgets how long the stream was and "
            "how high it lay, and hands on its pattern. Only the 0.00001, against a division by 0, leaves a trace.",
            "note",
        )
    return True


def norm_names(subject: Subject) -> list[str]:
    """Return what the norms of a model are called, in the order in which they come."""
    config, word = subject.model.config, "before" if subject.model.config.norm == "pre" else "after"
    parts = ["attention", "feed-forward"] if config.d_hidden else ["attention"]
    names = [f"{word} {part} {layer + 1}" for layer in range(config.n_layers) for part in parts]
    return [*names, "the last norm"]


def norm_table(steps: NormSteps, start: int) -> Markup:
    """Return some numbers of a row with every step of the norm."""
    columns = (steps.x, steps.centred, steps.normal, steps.gain, steps.bias, steps.out)
    rows = [
        (str(place + 1), *(number(float(column[place])) for column in columns))
        for place in range(start, min(start + SHOWN_NUMBERS, len(steps.x)))
    ]
    return table(("", "x", "− mean", "÷ dev.", "gain", "bias", "result"), rows)


def norm_question(subject: Subject, steps: NormSteps, position: int, variant: int) -> Number:
    """Ask what the norm makes of one number, before gain and bias."""
    order = np.argsort(-np.abs(steps.normal), kind="stable")
    place = int(order[variant % min(8, len(order))])
    x, right = float(steps.x[place]), float(steps.normal[place])
    mistakes = (
        Mistake(float(steps.centred[place]), "You took the mean away, and did not divide."),
        Mistake(x / steps.deviation, "You divided, and did not take the mean away first."),
        Mistake(-right, "The sign is turned: it is the number minus the mean."),
        Mistake(float(steps.out[place]), "That is after gain and bias, which come later."),
    )
    return Number(
        "norm",
        f"Before the first norm, number {place + 1} of the row at {quoted(subject.labels[position])} is "
        f"{number(x, 4)}. The mean of the row is {number(steps.mean, 4)}, its deviation {number(steps.deviation, 4)}. "
        "What does the norm make of it, before gain and bias?",
        right,
        max(0.02, 0.02 * abs(right)),
        f"({number(x, 4)} − {number(steps.mean, 4)}) / {number(steps.deviation, 4)} = {number(right)}: so many "
        "deviations from the mean.",
        mistakes,
        "Take the mean away, then divide by the deviation.",
    )
