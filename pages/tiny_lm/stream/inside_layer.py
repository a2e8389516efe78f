"""What happens inside a layer: what a norm makes of a row, and the hidden units of the feed-forward."""

from html import escape

import numpy as np
import streamlit as st

from attention_core.experiments.residual_stream import NormSteps, hidden_units, norm_steps
from attention_core.model.activations import Insides
from pages.charts.chart import rung
from pages.charts.heatmap import Axes, heatmap
from pages.charts.histogram import histogram
from pages.charts.lines import line_chart
from pages.look import cards
from pages.look.html import number, typed
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.common import chosen_layer, chosen_place
from pages.tiny_lm.inside_questions import asked_place, norm_question, off_question
from pages.tiny_lm.model_in_view import Subject

NORM_AXES = Axes("step", "number of x", "value")
STEPS = ("x", "− mean", "÷ deviation", "· gain", "+ bias")
TIMES = ("½", "1", "2", "10")
WIDE, SHOWN_NUMBERS = 24, 8  # numbers of a row in the picture, and in the table
FACTORS = {"½": 0.5, "1": 1.0, "2": 2.0, "10": 10.0}


def norm_names(subject: Subject) -> list[str]:
    """Return what the norms of a model are called, in the order in which they come."""
    config, word = subject.model.config, "before" if subject.model.config.norm == "pre" else "after"
    parts = ["attention", "feed-forward"] if config.d_hidden else ["attention"]
    names = [f"{word} {part} {layer + 1}" for layer in range(config.n_layers) for part in parts]
    return [*names, "the last norm"]


def normed(page: Page, subject: Subject, inside: Insides) -> None:
    """Show what a layer norm does to one row, number by number, and what it forgets."""
    place = asked_place(page, subject, "norm")
    plain = page.recipe.run("first_norm", norm_steps, subject.model, inside, 0, place)
    if not page.ask(norm_question(subject, plain, place, page.variant("norm"))):
        return
    names = norm_names(subject)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        which = names.index(page.controls.select("which", "Norm", names, names[0], width=190))
        position = chosen_place(page, subject)
        times = page.controls.choice("scale", "Multiply the row by", TIMES, "1")
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
    page.show(chart, note=escape(subject.origin))
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
            ("<b>what your change moved</b>", "largest of all results", number(changed, 4)),
        ]
        page.write(
            f'<div class="title">{names[which].capitalize()}, at {typed(subject.labels[position])}</div>'
            f"{cards.listed(lines)}"
        )
        page.write(
            "Multiply the row, or add to all its numbers: the result stays. A norm forgets how long the stream was and "
            "how high it lay, and hands on its pattern. Only the 0.00001, against a division by 0, leaves a trace.",
            "note",
        )


def norm_table(steps: NormSteps, start: int) -> str:
    """Return some numbers of a row with every step of the norm."""
    head = "".join(
        f'<th style="text-align:right">{name}</th>' for name in ("x", "− mean", "÷ dev.", "gain", "bias", "result")
    )
    columns = (steps.x, steps.centred, steps.normal, steps.gain, steps.bias, steps.out)
    lines = []
    for place in range(start, min(start + SHOWN_NUMBERS, len(steps.x))):
        cells = "".join(f'<td style="text-align:right">{number(float(column[place]))}</td>' for column in columns)
        lines.append(f'<tr><td class="soft">{place + 1}</td>{cells}</tr>')
    return f'<div class="wide" tabindex="0"><table><tr><th></th>{head}</tr>{"".join(lines)}</table></div>'


def fed(page: Page, subject: Subject, inside: Insides) -> None:
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
        return
    bend = "GELU" if config.activation == "gelu" else "ReLU"
    first = page.recipe.run("first_units", hidden_units, subject.model, inside, 0)
    if not page.ask(off_question(subject, first, asked_place(page, subject, "silent"))):
        return
    with st.container(horizontal=True):
        layer = chosen_layer(page, config.n_layers)
        position = chosen_place(page, subject)
    units = first if layer == 0 else page.recipe.run("units", hidden_units, subject.model, inside, layer)
    page.write(
        f"Out and back: <b>{config.d_model}</b> numbers of the normed stream → <b>{config.d_hidden}</b> hidden units → "
        f"{bend} → <b>{config.d_model}</b> numbers, added to the stream. The same for every position, each by itself.",
        "shape",
    )
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
    page.write(
        f"At {typed(subject.labels[position])}, <b>{number(100 * float(units.off[position]), 0)} %</b> of the units "
        f"get 0 or less, and are off. Largest: {shown}.",
        "",
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
    page.show(chart, note=escape(subject.origin))
