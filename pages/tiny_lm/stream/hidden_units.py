"""The hidden units of a feed-forward layer, before and after its bend."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.residual_stream import HiddenUnits, hidden_units
from attention_core.model.activations import Insides
from pages.charts.chart import rung
from pages.charts.histogram import histogram
from pages.charts.lines import line_chart
from pages.look.html import number, percent, quoted
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.questions import Choice
from pages.tiny_lm.asked_position import asked_position
from pages.tiny_lm.common import chosen_layer, chosen_place
from pages.tiny_lm.model_in_view import Subject


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Show the hidden units of a feed-forward layer, before and after its bend."""
    config = subject.model.config
    if not config.d_hidden:
        page.say(
            "This model has no feed-forward: attention alone is enough for what it learned. A feed-forward works on "
            "each position by itself; the model of the King James Bible has one in each layer.",
            "",
        )
        values: dict[str, object] = {"model": "King James Bible"}
        locked = "model" in page.controls.locked
        put_button(page, "Open the King James Bible", values, "bible", ":material/arrow_forward:", disabled=locked)
        return True
    bend = "GELU" if config.activation == "gelu" else "ReLU"
    first = page.recipe.run("first_units", hidden_units, subject.model, inside, 0)
    if not page.ask(off_question(subject, first, asked_position(page, subject, "silent"))):
        return False
    with st.container(horizontal=True):
        layer = chosen_layer(page, config.n_layers)
        position = chosen_place(page, subject)
    units = first if layer == 0 else page.recipe.run("units", hidden_units, subject.model, inside, layer)
    shape = Markup(
        "Out and back: <b>{0}</b> numbers of the normed stream → <b>{1}</b> hidden units → {2} → <b>{0}</b> numbers, "
        "added to the stream. The same for every position, each by itself."
    )
    page.write(shape.format(config.d_model, config.d_hidden, bend), "shape")
    before, after = units.before[position], units.after[position]
    limit = rung(float(np.abs(units.before).max()))
    left, right = st.columns(2, gap="large")
    for slot, values_of, name, title, said in (
        (left, before, "units before", "what goes in", "What goes into the bend: how many units get which number."),
        (right, after, "units after", f"what {bend} lets through", f"What {bend} lets through: most lies near 0."),
    ):
        with slot:
            chart = histogram(
                values_of.astype(float),
                low=-limit,
                high=limit,
                n_bins=32,
                y_max=1.0,
                x_title=title,
                y_title="share of units",
                name=name,
                sentence=said,
            )
            page.show(chart)
    largest = np.argsort(-np.abs(after), kind="stable")[:3]
    shown = ", ".join(f"unit {int(unit) + 1}: {number(float(after[unit]))}" for unit in largest)
    page.say(
        f"At {{token}}, **{percent(float(units.off[position]))}** of the units get 0 or less, and are off. Largest: "
        f"{shown}.",
        "",
        token=subject.labels[position],
    )
    n = len(units.off)
    chart = line_chart(
        np.arange(1, n + 1),
        {"off": units.off.astype(float)},
        x_title="position",
        y_title="share of units that are off",
        x_domain=(1, max(n, 2)),
        y_domain=(0.0, 1.0),
        name="off by position",
        sentence="The share of hidden units that are off, by position.",
        dots=True,
        height=170,
    )
    page.show(chart, note=subject.origin)
    return True


def off_question(subject: Subject, units: HiddenUnits, position: int) -> Choice:
    """Ask which share of the hidden units is off at a position."""
    off, relu = float(units.off[position]), subject.model.config.activation == "relu"
    right = round(off, 1)
    options = sorted({right, 0.0, 0.5, 1.0} if right not in (0.0, 0.5, 1.0) else {0.0, 0.3, 0.5, 0.8, 1.0})
    mistakes = []
    for option in options:
        text = "So it would be if the layer were one straight product: then nothing would be gained by a second one."
        if option == 0.5:
            text = "So it is before training, when the inputs fall to either side of 0 alike."
        elif option == 1.0:
            text = "Then the layer would add the same vector at every position."
        elif option != 0.0:
            text = "It is another share."
        mistakes.append("" if option == right else text)
    how = "are exactly 0" if relu else "come out between −0.17 and 0"
    return Choice(
        "silent",
        f"Each of the {units.before.shape[-1]} hidden units of the first feed-forward gets a number; at or below 0 "
        f"it is off. Which share of them is off at {quoted(subject.labels[position])}?",
        tuple(percent(option) for option in options),
        tuple(i for i, option in enumerate(options) if option == right),
        f"{percent(off)} are off: they {how}, and write next to nothing.",
        tuple(mistakes),
    )
