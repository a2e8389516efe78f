"""The hidden units of an MLP (feed-forward layer), before and after its activation."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.inside.residual_stream import HiddenUnits, hidden_units
from attention_core.model.activations import Insides
from pages.charts.chart import rung
from pages.charts.histogram import histogram
from pages.charts.lines import line_chart
from pages.look.html import number, percent, quoted
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.asked_position import asked_position
from pages.tiny_lm.common import chosen_layer, chosen_place
from pages.tiny_lm.model_in_view import Subject


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Show the hidden units of an MLP, before and after its activation."""
    config = subject.model.config
    if not config.d_hidden:
        page.say("This view shows the hidden units of an **MLP** (feed-forward layer), but this model has none.", "")
        return True
    activation = "GELU" if config.activation == "gelu" else "ReLU"
    first = page.recipe.run("first_units", hidden_units, subject.model, inside, 0)
    if not page.ask(off_question(subject, first, asked_position(page, subject, "silent"))):
        return False
    with st.container(horizontal=True):
        layer = chosen_layer(page, config.n_layers)
        position = chosen_place(page, subject)
    units = first if layer == 0 else page.recipe.run("units", hidden_units, subject.model, inside, layer)
    page.prints(f"fraction of the units that are off at {subject.labels[position]}", units.off, position)
    shape = Markup(
        "At each position by itself: <b>{0}</b> entries of the stream after LayerNorm → <b>{1}</b> hidden units → {2} "
        "→ <b>{0}</b> entries, added to the stream."
    )
    page.write(shape.format(config.d_model, config.d_hidden, activation), "shape")
    before, after = units.before[position], units.after[position]
    limit = rung(float(np.abs(units.before).max()))
    left, right = st.columns(2, gap="large")
    for slot, values_of, name, title, said in (
        (left, before, "units before", "input", f"Inputs of {activation}: the fraction of hidden units by value."),
        (right, after, "units after", "output", f"Outputs of {activation}: the fraction of hidden units by value."),
    ):
        with slot:
            chart = histogram(
                values_of.astype(float),
                low=-limit,
                high=limit,
                n_bins=32,
                y_max=1.0,
                x_title=f"{title} of {activation}",
                y_title="fraction of units",
                name=name,
                sentence=said,
            )
            page.show(chart)
    largest = np.argsort(-np.abs(after), kind="stable")[:3]
    shown = ", ".join(f"unit {int(unit) + 1}: {number(float(after[unit]))}" for unit in largest)
    page.say(
        f"At {{token}}, **{percent(float(units.off[position]))}** of the units have an input of 0 or less: they are "
        f"off. The largest outputs are {shown}.",
        "",
        token=subject.labels[position],
    )
    n = len(units.off)
    chart = line_chart(
        np.arange(1, n + 1),
        {"off": units.off.astype(float)},
        x_title="position",
        y_title="fraction of units off",
        name="off by position",
        sentence="The fraction of hidden units that are off, by position.",
        dots=True,
        height=170,
    )
    page.show(chart, note=subject.origin)
    return True


def off_question(subject: Subject, units: HiddenUnits, position: int) -> Choice:
    """Ask which fraction of the hidden units is off at a position."""
    off, relu = float(units.off[position]), subject.model.config.activation == "relu"
    right, n_units = round(off, 1), units.before.shape[-1]
    n_off = int((units.before[position] <= 0).sum())
    options = sorted({right, 0.0, 0.5, 1.0} if right not in (0.0, 0.5, 1.0) else {0.0, 0.3, 0.5, 0.8, 1.0})
    mistakes = tuple("" if option == right else wrong_fraction(option, n_off, n_units, relu) for option in options)
    how = (
        "Their outputs are exactly 0, so they write nothing."
        if relu
        else "GELU damps them to between −0.17 and 0, so each writes little."
    )
    return Choice(
        "silent",
        f"Each of the {n_units} hidden units of the first MLP has an input. If it is 0 or less, call the unit off. "
        f"Which fraction of the units is off at {quoted(subject.labels[position])}, roughly?",
        tuple(percent(option) for option in options),
        tuple(i for i, option in enumerate(options) if option == right),
        f"{n_off} of {n_units} units, {percent(off)}, are off. {how}",
        mistakes,
    )


def wrong_fraction(option: float, n_off: int, n_units: int, relu: bool) -> str:
    """Return what a wrong fraction of units that are off would mean."""
    if option == 0.0:
        return f"You expected every input to be above 0, but {n_off} are 0 or less."
    if option == 0.5:
        return "You expected inputs to be positive and negative equally often, as before training."
    if option == 1.0:
        then = "the MLP would add the same vector at every position" if relu else "GELU would damp every unit"
        return f"You expected every input to be 0 or less. Then {then}."
    return f"That would be {round(option * n_units)} units. Count those with an input of 0 or less: {n_off}."
