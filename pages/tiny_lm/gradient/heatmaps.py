"""An array and its gradient side by side, and the length (norm) of the gradient of each array."""

from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup
from numpy.typing import NDArray

from attention_core.arrays import Array
from attention_core.experiments.language.gradient_step import Gradient
from attention_core.rows import row_norms
from pages.charts.bars import fraction_bars
from pages.charts.chart import Chart
from pages.charts.heatmap import SMALL, Axes, heatmap, scale
from pages.charts.matrix_image import matrix_picture
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.tiny_lm.common import several
from pages.tiny_lm.gradient.arrays import axes_of, limit_for
from pages.tiny_lm.model_in_view import Subject

MOST_DRAWN = 200  # rows of a picture: more are too thin to be seen
LISTED = 7  # rows of the embedding, of those that occur and of those that do not


def draw_heatmaps(page: Page, subject: Subject, array: str, names: list[str], found: Gradient) -> None:
    """Draw an array and its gradient side by side, and the lengths of all gradients."""
    if array == "token_embedding":
        norms = page.recipe.run("row_lengths", row_norms, found.slopes)
    n_rows, n_columns = found.values.shape
    page.prints(f"largest slope of {array}", "gradient.slopes.max()")
    n_heads = subject.model.config.n_heads
    split = n_heads if array.endswith(("w_q", "w_k", "w_v")) and n_heads <= 16 else 1
    height = max(60, min(320, 12 * n_rows))
    columns = st.columns(2, gap="large")
    few = longest_rows(subject, norms) if array == "token_embedding" and n_rows > MOST_DRAWN else None
    for column, values, title, value in (
        (columns[0], found.values, array, "parameter"),
        (columns[1], found.slopes, "its gradient", "slope"),
    ):
        ends = f"{value}s from {number(float(values.min()), 3)} to {number(float(values.max()), 3)}."
        sentence = f"{title.capitalize() if value == 'slope' else title}: {ends}"
        with column:
            page.head(title, f"{n_rows:,} × {n_columns}")
            if few is not None:
                chart = rows_in_words(subject, values[few], few, axes_of(array, value), title, sentence)
            else:
                chart = matrix_picture(
                    values,
                    axes_of(array, value),
                    limit=limit_for(values),
                    height=height,
                    name=title,
                    first=1,
                    blocks=split,
                    sentence=sentence,
                )
            page.show(chart)
    if few is not None:
        page.write(
            f"Only {len(few)} of {n_rows:,} rows are shown: those with the longest gradients, of {subject.unit}s in "
            "the text and below them of others.",
            "note",
        )
    if split > 1:
        page.write("Lines separate the columns of the heads.", "note")
    if array == "token_embedding":
        page.look_closer("Gradient of each row", partial(draw_rows, page, subject, norms))
    page.look_closer("Gradient of each array", partial(draw_lengths, page, subject, array, names, found))


def longest_rows(subject: Subject, norms: Array) -> NDArray[np.intp]:
    """Return the tokens with the longest gradients: first some that occur, then some that do not."""
    order = np.argsort(-norms, kind="stable")
    occurs = np.isin(order, subject.tokens)
    return np.concatenate([order[occurs][:LISTED], order[~occurs][:LISTED]])


def rows_in_words(
    subject: Subject, values: Array, tokens: NDArray[np.intp], axes: Axes, name: str, sentence: str
) -> Chart:
    """Return some rows of the embedding, or of its gradient, as a heatmap with a word for each."""
    rows = [subject.token(int(token)) for token in tokens]
    columns = [str(column + 1) for column in range(values.shape[1])]
    return heatmap(values, rows, columns, axes, scale(limit_for(values)), SMALL, name=name, sentence=sentence)


def draw_lengths(page: Page, subject: Subject, array: str, names: list[str], found: Gradient) -> None:
    """Draw the length of each array's gradient."""
    page.write(length_bars(names, found.norms, array))
    page.write(
        "The length (norm) of each array’s gradient, the root of the sum of its squared slopes. A long bar means that "
        f"small changes of this array change the loss of this text, {number(found.loss)} nats, fast. {subject.origin}",
        "note",
    )


def draw_rows(page: Page, subject: Subject, norms: Array) -> None:
    """Draw the length of the gradient of each token's row: of tokens that occur, and of those that do not."""
    order, shown = np.argsort(-norms, kind="stable"), longest_rows(subject, norms)
    top = float(norms.max()) or 1.0
    n_absent = int((~np.isin(order, subject.tokens)).sum())
    chart = fraction_bars(
        [subject.token(int(token)) for token in shown],
        norms[shown] / top,
        name="rows of the embedding",
        kept=np.isin(shown, subject.tokens),
        sentence=f"All {len(norms):,} rows have a gradient, also of {several(n_absent, subject.unit)} not in the "
        f"text (grey). {quoted(subject.token(int(order[0])))} has the longest.",
        title="length of a row’s gradient ÷ the longest",
        of=subject.unit,
    )
    page.show(
        chart, note="A row is the input where its token occurs. It also gives the logit of its token at every position."
    )


def length_bars(names: list[str], norms: Array, chosen: str) -> Markup:
    """Return the lengths of all gradients as small bars, one group for each layer."""
    top = float(norms.max()) or 1.0
    line = Markup('<span>{}</span><span><i style="display:block;width:{}%"></i></span><span class="n">{}</span>')
    groups: dict[str, list[Markup]] = {}
    for name, norm in zip(names, norms, strict=True):
        layer = f"layer {int(name.split('.')[1]) + 1}" if name.startswith("blocks.") else "outside the layers"
        short = name.split(".", 2)[2] if name.startswith("blocks.") else name
        short = short.removeprefix("attention.")
        label = Markup("<b>{}</b>").format(short) if name == chosen else short
        texts = line.format(label, f"{100 * norm / top:.1f}", number(float(norm), 3))
        groups.setdefault(layer, []).append(texts)
    column = Markup('<div><div class="soft">{}</div><div class="meters">{}</div></div>')
    columns = (column.format(layer, Markup("").join(lines)) for layer, lines in groups.items())
    return Markup('<div class="lengths">{}</div>').format(Markup("").join(columns))
