"""One parameter nudged up and down: the slope that this measures, beside that of the backward pass."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.language.gradient_step import CentralDifference, Gradient, central_difference
from attention_core.text.word_vectors import position_labels
from pages.charts.heatmap import CLICK, Axes, heatmap, outline, scale, write
from pages.look import cards
from pages.look.html import number, typed
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.model_in_view import Subject

NUDGES = {"1": 1.0, "0.1": 0.1, "0.01": 0.01, "0.001": 1e-3, "0.0001": 1e-4}
WINDOW = 8  # rows and columns of an array that are shown with their numbers
ADAMW = (
    "Training here uses **AdamW**: it also averages past gradients, rescales each step, and shrinks matrices a little. "
    "So a single parameter may even move uphill, against what its slope says."
)
MOST_ROWS = 20_000  # of an array, in the field that chooses one


def draw_nudge(page: Page, subject: Subject, array: str, found: Gradient) -> bool:
    """Nudge one parameter of an array, and compare the measured slope with the gradient. False while it is asked."""
    n_rows, n_columns = found.slopes.shape
    steepest = np.unravel_index(int(np.abs(found.slopes).argmax()), found.slopes.shape)
    spot = float(found.values[steepest]), float(found.slopes[steepest])
    if not page.ask(direction_question(array, *spot)):
        return False
    left, right = st.columns([1.18, 1], gap="large")
    with right:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            row = min(page.controls.integer("array_row", "Row", 1, MOST_ROWS, 1, width=130), n_rows) - 1
            column = min(page.controls.integer("array_column", "Column", 1, MOST_ROWS, 1, width=130), n_columns) - 1
            there = {"array_row": int(steepest[0]) + 1, "array_column": int(steepest[1]) + 1}
            put_button(page, "Choose the steepest", there, "steepest")
        size = NUDGES[page.controls.choice("nudge", "Nudge by ±h", list(NUDGES), "0.01")]
        tried = page.recipe.run("tried", central_difference, subject.model, subject.tokens, array, row, column, size)
        gap = abs(tried.measured - tried.slope)
        page.prints(f"slope in row {row + 1}, column {column + 1} of {array}", "tried.slope")
        place = f"row {row + 1}, column {column + 1}"
        if array == "token_embedding":
            place = Markup("{}, column {}").format(typed(subject.token(row)), column + 1)
        page.write(cards.card(Markup("<code>{}</code>: {}").format(array, place), compared_slopes(tried, size)))
        page.write(
            f"The two slopes differ by {gap:.8f}. A smaller h brings them closer, until rounding takes over. This "
            "gradient check finds mistakes in a backward pass.",
            "note",
        )
        page.say(ADAMW, "note")
    with left:
        top, start = row - row % WINDOW, column - column % WINDOW
        window = found.slopes[top : top + WINDOW, start : start + WINDOW]
        digits = 2 if limit_for(found.slopes) >= 1 else 3 if limit_for(found.slopes) >= 0.06 else 4
        rows = [str(place + 1) for place in range(top, top + window.shape[0])]
        if array == "token_embedding":
            rows = position_labels([subject.token(place) for place in range(top, top + window.shape[0])])
        columns = [str(place + 1) for place in range(start, start + window.shape[1])]
        texts = np.array([[number(float(value), digits) for value in line] for line in window], dtype=object)
        layers = scale(limit_for(found.slopes)), outline(row - top, column - start), write(texts), CLICK
        sentence = (
            f"The gradient of {array}, {n_rows:,} × {n_columns}. Its steepest slope is {number(spot[1], 4)}, "
            f"in row {steepest[0] + 1:,}, column {steepest[1] + 1}."
        )
        chart = heatmap(window, rows, columns, axes_of(array, "slope"), *layers, name="slopes", sentence=sentence)
        page.show(
            chart,
            lambda i, j: page.controls.put(array_row=top + i + 1, array_column=start + j + 1),
            f"Up to {WINDOW} × {WINDOW} slopes, the chosen one among them. {subject.origin}",
        )
    return True


def limit_for(values: Array) -> float:
    """Return the smallest power of two above all numbers of an array: a limit that seldom jumps."""
    largest = float(np.abs(values).max(initial=0))
    return 2.0 ** max(-20, int(np.ceil(np.log2(largest)))) if 0 < largest < np.inf else 1.0


def axes_of(array: str, value: str) -> Axes:
    """Return what the rows and the columns of an array are."""
    rows = {"token_embedding": "token", "position_embedding": "position"}.get(array, "row")
    return Axes(rows, "column", value)


def compared_slopes(tried: CentralDifference, size: float) -> Markup:
    """Return how the slope of a nudge was measured, with the digits in which the two losses differ."""
    lines = (
        ("parameter", f"{tried.value:.6f}"),
        (f"loss if raised by {size:g}", f"{tried.up:.8f}"),
        (f"loss if lowered by {size:g}", f"{tried.down:.8f}"),
        (f"difference ÷ {2 * size:g} = measured slope", f"{tried.measured:.8f}"),
    )
    line = Markup('<span>{}</span><span class="n">{}</span>')
    texts = [line.format(what, value.replace("-", "−")) for what, value in lines]
    slope = Markup("<b>{}</b>").format(f"{tried.slope:.8f}".replace("-", "−"))
    texts.append(line.format(Markup("<b>slope</b> from the backward pass"), slope))
    return Markup('<div class="chain">{}</div>').format(Markup("").join(texts))


def direction_question(name: str, value: float, slope: float) -> Choice:
    """Ask which way a parameter moves, by the sign of its slope."""
    text = Markup(
        "One parameter of <code>{}</code> is {}, and its slope is {}. Which way does a step of plain gradient descent "
        "move it?"
    ).format(name, number(value, 3), number(slope, 4))
    options = {
        "up": "You moved it up, but it must go against its slope." if slope else "A slope of 0 gives no direction.",
        "down": "You moved it down, but it must go against its slope." if slope else "A slope of 0 gives no direction.",
        "towards 0, whatever its slope": "You used weight decay, a part of AdamW. Plain gradient descent has none.",
        "not at all": "You left it in place, but its slope is not 0.",
    }
    right = "not at all" if slope == 0 else "down" if slope > 0 else "up"
    goes = "stays where it is" if right == "not at all" else f"goes {right}"
    why = f"A step of plain gradient descent subtracts η times the slope, {number(slope, 4)}, so the parameter {goes}."
    return Choice.shuffled("direction", text, [right], why, options, 0)
