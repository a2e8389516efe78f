"""The gradient of the prompt's loss: as heatmaps, one step down it, and one number nudged to see that it is true."""

from html import escape

import numpy as np
import streamlit as st

from attention_core.experiments.gradient_step import (
    CentralDifference,
    Gradient,
    central_difference,
    gradient_of,
    line_search,
)
from attention_core.model.parameters import named_arrays
from attention_core.rows import row_norms
from attention_core.text.word_vectors import position_labels
from pages.charts.bars import share_bars
from pages.charts.heatmap import Axes, heatmap
from pages.charts.lines import line_chart
from pages.charts.matrix_image import matrix_picture
from pages.look import cards
from pages.look.html import number, quoted, typed
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.learning_questions import descent_question, direction_question, rows_question
from pages.tiny_lm.losing import too_short
from pages.tiny_lm.subject import Subject

VIEWS = ("as heatmaps", "one step down", "one number nudged")
POWERS = range(-10, 4)
SIZES = tuple(2.0**power for power in POWERS)
STEPS = [f"1/{2**-power}" if power < 0 else str(2**power) for power in POWERS]
NUDGES = {"1": 1.0, "0.1": 0.1, "0.01": 0.01, "0.001": 1e-3, "0.0001": 1e-4}
WINDOW = 8  # rows and columns of an array that are shown with their numbers
MOST_ROWS = 20_000  # of an array, in the field that chooses one
LISTED = 7  # rows of the embedding, of those that occur and of those that do not


def descending(page: Page, subject: Subject) -> None:
    """Draw the gradient in the view that is chosen."""
    if too_short(page, subject):
        return
    names = list(named_arrays(subject.model))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = page.controls.choice("slopes", "The gradient", VIEWS, VIEWS[0])
        array = names[0]
        if view != VIEWS[1]:
            array = page.controls.select("array", "Array", names, names[0], width=280)
    found = page.recipe.run("gradient", gradient_of, subject.model, subject.tokens, array)
    if view == VIEWS[0]:
        as_heatmaps(page, subject, array, names, found)
    elif view == VIEWS[1]:
        one_step(page, subject, found)
    else:
        one_number(page, subject, array, found)


def holding(values: np.ndarray) -> float:
    """Return the smallest power of two that holds all numbers of an array: a limit that seldom jumps."""
    largest = float(np.abs(values).max(initial=0))
    return 2.0 ** max(-20, int(np.ceil(np.log2(largest)))) if 0 < largest < np.inf else 1.0


def axes_of(array: str, value: str) -> Axes:
    """Return what the rows and the columns of an array are."""
    rows = {"token_embedding": "token", "position_embedding": "position"}.get(array, "row")
    return Axes(rows, "column", value)


def as_heatmaps(page: Page, subject: Subject, array: str, names: list[str], found: Gradient) -> None:
    """Draw an array and its gradient side by side, and the lengths of all gradients."""
    if array == "token_embedding":
        norms = page.recipe.run("row_lengths", row_norms, found.slopes)
        if not page.ask(rows_question(subject, norms, page.variant("rows"))):
            return
    n_rows, n_columns = found.values.shape
    n_heads = subject.model.config.n_heads
    split = n_heads if array.endswith(("w_q", "w_k", "w_v")) and n_heads <= 16 else 1
    height = max(60, min(320, 12 * n_rows))
    columns = st.columns(2, gap="large")
    for column, values, title, value in (
        (columns[0], found.values, array, "number"),
        (columns[1], found.slopes, "its gradient", "slope"),
    ):
        limit = holding(values)
        with column:
            page.write(f"<b>{title}</b> {n_rows} × {n_columns}", "shape")
            chart = matrix_picture(
                values,
                axes_of(array, value),
                limit=limit,
                height=height,
                name=title,
                first=1,
                blocks=split,
                sentence=f"{title.capitalize() if value == 'slope' else title}: numbers from "
                f"{number(float(values.min()), 3)} to {number(float(values.max()), 3)}.",
            )
            page.show(chart)
    if split > 1:
        page.write("Lines part the columns into those of each head.", "note")
    if array == "token_embedding":
        left, right = st.columns(2, gap="large")
        with left:
            st.subheader("Row by row", anchor=False)
            embedded_rows(page, subject, norms)
    else:
        right = st.container()
    with right:
        st.subheader("Array by array", anchor=False)
        all_lengths(page, subject, array, names, found)


def all_lengths(page: Page, subject: Subject, array: str, names: list[str], found: Gradient) -> None:
    """Draw how long the gradient of each array is."""
    page.write(lengths(names, found.norms, array))
    page.write(
        f"The length of each array’s gradient: the root of the sum of its squared slopes. A long bar is an array "
        f"whose numbers change the loss of this text, {number(found.loss)} nats, fastest. {escape(subject.origin)}",
        "note",
    )


def embedded_rows(page: Page, subject: Subject, norms: np.ndarray) -> None:
    """Draw how long the gradient of each token's row is: of tokens that occur, and of those that do not."""
    order = np.argsort(-norms, kind="stable")
    occurs = np.isin(order, subject.tokens)
    shown = np.concatenate([order[occurs][:LISTED], order[~occurs][:LISTED]])
    top = float(norms.max()) or 1.0
    n_absent = int((~occurs).sum())
    chart = share_bars(
        [subject.token(int(token)) for token in shown],
        norms[shown] / top,
        name="rows of the embedding",
        kept=np.isin(shown, subject.tokens),
        sentence=f"All {len(norms)} rows have a gradient, also those of the {n_absent} {subject.unit}s that do not "
        f"occur (grey). The longest is that of {quoted(subject.token(int(order[0])))}.",
        title="length of a row’s gradient, of the longest",
        of=subject.unit,
    )
    page.show(chart, note="A row is read where its token occurs, and it makes that token’s logit at every place.")


def lengths(names: list[str], norms: np.ndarray, chosen: str) -> str:
    """Return the lengths of all gradients as small bars, one group for each layer."""
    top = float(norms.max()) or 1.0
    groups: dict[str, list[str]] = {}
    for name, norm in zip(names, norms, strict=True):
        layer = f"layer {int(name.split('.')[1]) + 1}" if name.startswith("blocks.") else "outside the layers"
        short = name.split(".", 2)[2] if name.startswith("blocks.") else name
        short = short.removeprefix("attention.")
        label = f"<b>{short}</b>" if name == chosen else short
        bar = f'<span><i style="display:block;width:{100 * norm / top:.1f}%"></i></span>'
        line = f'<span>{label}</span>{bar}<span class="n">{number(float(norm), 3)}</span>'
        groups.setdefault(layer, []).append(line)
    columns = [
        f'<div><div class="soft">{layer}</div><div class="meters">{"".join(lines)}</div></div>'
        for layer, lines in groups.items()
    ]
    return f'<div class="lengths">{"".join(columns)}</div>'


def one_step(page: Page, subject: Subject, found: Gradient) -> None:
    """Draw the loss of this very text after one step down its gradient, for every size of the step."""
    if not page.ask(descent_question(found.loss, found.squared, page.variant("descent"))):
        return
    chosen = STEPS.index(page.controls.dial("eta", "Size η of the step", STEPS, "1/64", width=440))
    inputs = page.recipe.given("inputs", subject.tokens[:-1])
    targets = page.recipe.given("targets", subject.tokens[1:])
    losses = page.recipe.run("losses", line_search, subject.model, inputs, targets, SIZES)
    best = int(np.nanargmin(losses))
    worse = next((STEPS[place] for place in range(best, len(SIZES)) if losses[place] > found.loss), None)
    end = float(np.ceil(2 * np.log(len(subject.vocabulary))))
    turn = f"from η = {worse} on it is worse than before." if worse else "none of these sizes makes it worse."
    chart = line_chart(
        np.array(SIZES),
        {"after": losses},
        x_title="size η of the step",
        y_title="loss of this text",
        x_domain=(SIZES[0], SIZES[-1]),
        y_domain=(0.0, end),
        name="one step down",
        sentence=f"The best of these steps, η = {STEPS[best]}, takes the loss of this text from {found.loss:.2f} to "
        f"{losses[best]:.2f}; {turn}",
        baselines={f"before: {found.loss:.2f}": found.loss},
        theory=[found.loss - np.array(SIZES) * found.squared],
        here=SIZES[chosen],
        log_x=True,
        dots=True,
        number="",
        height=300,
    )
    page.show(chart, note=f"Dashed and falling: what the slope promises. {escape(subject.origin)}")
    after = float(losses[chosen])
    verdict = "better" if after < found.loss else "worse" if after > found.loss else "as before"
    page.say(
        f"A step of η = {STEPS[chosen]} subtracts η times its slope from each number of the model. The loss of this "
        f"text goes from {number(found.loss)} to **{number(after)}**: {verdict}. The slopes promised "
        f"{number(found.loss - SIZES[chosen] * found.squared)}; they hold for small steps only, because a step changes "
        "the slopes too. Training takes thousands of small ones, each on other texts.",
        "",
    )


def one_number(page: Page, subject: Subject, array: str, found: Gradient) -> None:
    """Let one number of an array be nudged, and hold the slope that this measures against its gradient."""
    n_rows, n_columns = found.slopes.shape
    steepest = np.unravel_index(int(np.abs(found.slopes).argmax()), found.slopes.shape)
    spot = float(found.values[steepest]), float(found.slopes[steepest])
    if not page.ask(direction_question(array, *spot)):
        return
    left, right = st.columns([1.18, 1], gap="large")
    with right:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            row = min(page.controls.whole("array_row", "Row", 1, MOST_ROWS, 1, width=130), n_rows) - 1
            column = min(page.controls.whole("array_column", "Column", 1, MOST_ROWS, 1, width=130), n_columns) - 1
            there = {"array_row": int(steepest[0]) + 1, "array_column": int(steepest[1]) + 1}
            put_button(page, "The steepest", there, "steepest")
        size = NUDGES[page.controls.choice("nudge", "Nudge by ±h", list(NUDGES), "0.01")]
        tried = page.recipe.run("tried", central_difference, subject.model, subject.tokens, array, row, column, size)
        gap = abs(tried.measured - tried.slope)
        place = f"row {row + 1}, column {column + 1}"
        if array == "token_embedding":
            place = f"{typed(subject.token(row))}, column {column + 1}"
        page.write(cards.card(f"<code>{array}</code>: {place}", compared(tried, size)))
        page.write(
            f"The two slopes are {gap:.8f} apart. The smaller h, the nearer they come, until the two losses "
            "agree in all digits that there are. A backward pass that is wrong is found out here.",
            "note",
        )
    with left:
        top, start = row - row % WINDOW, column - column % WINDOW
        window = found.slopes[top : top + WINDOW, start : start + WINDOW]
        digits = 2 if holding(found.slopes) >= 1 else 3 if holding(found.slopes) >= 0.06 else 4
        rows = [str(place + 1) for place in range(top, top + window.shape[0])]
        if array == "token_embedding":
            rows = position_labels([subject.token(place) for place in range(top, top + window.shape[0])])
        columns = [str(place + 1) for place in range(start, start + window.shape[1])]
        texts = np.array([[number(float(value), digits) for value in line] for line in window], dtype=object)
        chart = heatmap(
            window,
            rows,
            columns,
            axes_of(array, "slope"),
            limit=holding(found.slopes),
            name="slopes",
            texts=texts,
            chosen=(row - top, column - start),
            clickable=True,
            sentence=f"The gradient of {array}, {n_rows} × {n_columns}. Its steepest number is in row "
            f"{steepest[0] + 1}, column {steepest[1] + 1}: {number(spot[1], 4)}.",
        )
        page.show(
            chart,
            lambda i, j: page.controls.put(array_row=top + i + 1, array_column=start + j + 1),
            f"Shown are the {WINDOW} rows and columns around the chosen one. {escape(subject.origin)}",
        )


def compared(tried: CentralDifference, size: float) -> str:
    """Return how the slope of a nudge was measured, with the digits in which the two losses differ."""
    lines = [
        ("the number", f"{tried.value:.6f}"),
        (f"loss, raised by {size:g}", f"{tried.up:.8f}"),
        (f"loss, lowered by {size:g}", f"{tried.down:.8f}"),
        (f"their difference ÷ {2 * size:g}: the measured slope", f"{tried.measured:.8f}"),
    ]
    texts = [f'<span>{what}</span><span class="n">{value.replace("-", "−")}</span>' for what, value in lines]
    slope = f"{tried.slope:.8f}".replace("-", "−")
    texts.append(f'<span><b>the slope</b>, by the backward pass</span><span class="n"><b>{slope}</b></span>')
    return f'<div class="chain">{"".join(texts)}</div>'
