"""What LayerNorm does to one vector, entry by entry, and what it removes."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.inside.residual_stream import NormSteps, norm_steps
from attention_core.model.activations import Insides
from pages.charts.heatmap import Axes, heatmap, scale
from pages.look import cards
from pages.look.html import number, quoted, table, typed
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.tiny_lm.asked_position import asked_position
from pages.tiny_lm.common import chosen_place
from pages.tiny_lm.model_in_view import Subject

NORM_AXES = Axes("step", "entry of x", "value")
STEPS = ("x", "− mean", "÷ std. dev.", "· gain", "+ bias")
FACTORS = {"½": 0.5, "1": 1.0, "2": 2.0, "10": 10.0}
WIDE, SHOWN_ENTRIES = 24, 8  # entries of a vector in the heatmap, and in the table


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Show what LayerNorm does to one vector, entry by entry, and what it removes."""
    place = asked_position(page, subject, "norm")
    plain = page.recipe.run("first_norm", norm_steps, subject.model, inside, 0, place)
    if not page.ask(norm_question(subject, plain, place, page.variant("norm"))):
        return False
    names = norm_names(subject)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        which = names.index(page.controls.select("which", "LayerNorm", names, names[0], width=190))
        position = chosen_place(page, subject)
        times = page.controls.choice("scale", "Scale factor", list(FACTORS), "1")
        shift = page.controls.slider("shift", "Added constant", -3.0, 3.0, 0.0, 0.5, width=180)
        start = page.controls.integer("d", "First entry", 1, subject.model.config.d_model, 1, width=120)
    usual = page.recipe.run("usual", norm_steps, subject.model, inside, which, position)
    steps = page.recipe.run("steps", norm_steps, subject.model, inside, which, position, FACTORS[times], shift)
    width = len(steps.x)
    page.prints(f"standard deviation of the vector at {subject.labels[position]}", "steps.deviation")
    first = min(start, max(1, width - WIDE + 1)) - 1
    rows = np.stack([steps.x, steps.centred, steps.normal, steps.normal * steps.gain, steps.out])
    chart = heatmap(
        rows[:, first : first + WIDE],
        list(STEPS),
        [str(entry + 1) for entry in range(width)][first : first + WIDE],
        NORM_AXES,
        scale(4.0),
        name="LayerNorm",
        sentence="The vector on its way through LayerNorm: columns are its entries, rows the steps.",
    )
    page.show(chart, note=subject.origin)
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        page.write(norm_table(steps, min(start, max(1, width - SHOWN_ENTRIES + 1)) - 1))
    with right, st.container(border=True):
        changed = float(np.abs(steps.out - usual.out).max())
        lines = [
            ("mean", "of all entries", number(steps.mean, 4)),
            ("standard deviation", "√(mean of (x − mean)² + 0.00001)", number(steps.deviation, 4)),
            ("mean after dividing", "", number(float(steps.normal.mean()), 4)),
            ("standard deviation after dividing", "", number(float(steps.normal.std()), 4)),
            (Markup("<b>change of the result</b>"), "largest, from your settings", number(changed, 4)),
        ]
        title = Markup("{}, at {}").format(names[which][0].upper() + names[which][1:], typed(subject.labels[position]))
        page.write(cards.card(title, cards.listed(lines)))
        page.write(
            "If you add a constant, the result stays the same. If you scale the vector, the result stays almost the "
            "same, except for a very short vector. LayerNorm removes the vector’s mean and length. The 0.00001 "
            "prevents a division by 0. It changes only very short vectors by much. PyTorch calls the gain weight.",
            "note",
        )
    return True


def norm_names(subject: Subject) -> list[str]:
    """Return what the LayerNorms of a model are called, in their order."""
    config, word = subject.model.config, "before" if subject.model.config.norm == "pre" else "after"
    parts = ["attention", "MLP"] if config.d_hidden else ["attention"]
    names = [f"{word} {part} {layer + 1}" for layer in range(config.n_layers) for part in parts]
    return [*names, "final LayerNorm"]


def norm_table(steps: NormSteps, start: int) -> Markup:
    """Return some entries of a vector with every step of LayerNorm."""
    columns = (steps.x, steps.centred, steps.normal, steps.gain, steps.bias, steps.out)
    rows = [
        (str(entry + 1), *(number(float(column[entry])) for column in columns))
        for entry in range(start, min(start + SHOWN_ENTRIES, len(steps.x)))
    ]
    return table(("", "x", "− mean", "÷ std. dev.", "gain", "bias", "result"), rows)


def norm_question(subject: Subject, steps: NormSteps, position: int, variant: int) -> Number:
    """Ask what LayerNorm makes of one entry, before gain and bias."""
    order = np.argsort(-np.abs(steps.normal), kind="stable")
    place = int(order[variant % min(8, len(order))])
    x, right = float(steps.x[place]), float(steps.normal[place])
    mistakes = (
        Mistake(float(steps.centred[place]), "You subtracted the mean. Now divide by the standard deviation."),
        Mistake(x / steps.deviation, "You only divided. Subtract the mean first."),
        Mistake(-right, "You subtracted the entry from the mean. Subtract the mean from the entry."),
        Mistake(float(steps.out[place]), "You applied gain and bias too. Stop before them."),
    )
    centred = f"{number(x, 4)} {'−' if steps.mean >= 0 else '+'} {number(abs(steps.mean), 4)}"
    return Number(
        "norm",
        f"Before the first LayerNorm, entry {place + 1} of the vector at {quoted(subject.labels[position])} is "
        f"{number(x, 4)}. The vector’s mean is {number(steps.mean, 4)}, its standard deviation "
        f"{number(steps.deviation, 4)}. What does LayerNorm make of it, before gain and bias?",
        right,
        max(0.02, 0.02 * abs(right)),
        f"({centred}) / {number(steps.deviation, 4)} = {number(right)}. The entry is that many standard deviations "
        "from the mean.",
        mistakes,
        "Subtract the mean, then divide by the standard deviation.",
    )
