"""Heatmaps: a matrix with words or dimensions on its axes, its numbers in the cells, one cell chosen."""

import math
from functools import lru_cache
from typing import Any, NamedTuple

import altair as alt
import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array
from pages.charts.chart import PADDING, Chart, either, finish, shades, themed, words
from pages.look.colours import INK, KEY, MASKED, PAPER, QUERY, RULE, SOFT, Pair

WIDEST = 1100  # pixels: a wider chart fills the screen, where its text grows with the cells
LARGEST_TEXT = 32
LABEL = 13  # size of the names of columns, and in pixels how wide their letters then are:
WIDTHS = dict.fromkeys("mMW", 11) | {"w": 9.5, " ": 3} | dict.fromkeys("fijlrt'’.,:₀₁₂₃₄₅₆₇₈₉", 4.5)
USUAL_LETTER, FULL_LETTER = 7, 13  # the second of Chinese, Japanese and Korean, and of emoji
NAMED, SHORT = 90, 36  # pixels: the room of a name where there is little, and names that take hardly any
LEGEND = 29  # pixels below the cells
LONG = 10_000  # numbers that may be so large are written with powers of ten


class Axes(NamedTuple):
    """What a matrix has along its rows and its columns, and what its numbers are called in data and tooltips."""

    row: str
    column: str
    value: str
    row_colour: Pair = SOFT
    column_colour: Pair = SOFT
    words: bool = False  # columns are words, which are all named, and not counted


class Look(NamedTuple):
    """The arguments of a heatmap that change its specification, and not only its data."""

    limit: float | None
    sums: str
    clickable: bool
    small: bool
    hides: bool
    texts: bool
    amounts: bool
    legend: bool


ATTENTION_AXES = Axes("query", "key", "weight", QUERY, KEY, words=True)
SCORE_AXES = Axes("query", "key", "score", QUERY, KEY, words=True)
BETWEEN_HIDDEN = Pair(PAPER.light, RULE.dark)  # hidden cells are as dark as dark paper


def heatmap(
    values: Array,
    rows: list[str],
    columns: list[str],
    axes: Axes,
    *,
    name: str,
    sentence: str,
    limit: float | None = None,
    chosen: tuple[int | None, int | None] = (None, None),
    moved: NDArray[np.bool_] | None = None,
    sums: str = "",
    clickable: bool = False,
    small: bool = False,
    hidden: NDArray[np.bool_] | None = None,
    texts: NDArray[np.object_] | None = None,
    amounts: bool = False,
    legend: bool = True,
    turn: int | None = None,
) -> Chart:
    """Return a matrix as a heatmap. Without a limit its numbers are weights from 0 to 1, with one they lie around 0.

    Where they are `amounts`, they lie between 0 and the limit. `chosen` outlines a row, a column and the cell where
    they meet; `moved` outlines single cells; `sums` writes the totals of "rows" or "rows and columns" at the margin.
    `hidden` cells are grey, in the dark nearly black, without a number; `texts` stand in the cells, hidden or not, in
    place of numbers. A click reports the indices `i` and `j` of its cell; where a second click on the same cell counts
    too, `turn` must change with each. Of equal maps side by side, one has the `legend`.
    """
    widest = max(map(width_of, columns), default=1)
    longest = min(NAMED, 4 * math.ceil(widest / 4))  # in steps: few specifications serve all sentences
    look = Look(limit, sums, clickable, small, hidden is not None, texts is not None, amounts, legend)
    specification = heatmap_specification(len(rows), len(columns), longest, axes, look)
    i, j = np.indices(values.shape)
    cells = {
        axes.row: words(rows)[i.ravel()],
        axes.column: words(columns)[j.ravel()],
        axes.value: values.ravel(),
        "i": i.ravel().astype(np.int16),
        "j": j.ravel().astype(np.int16),
        "mark": marks(chosen, values.shape),
    }
    if clickable:
        chosen_before = (chosen[0] or 0) * len(columns) + (chosen[1] or 0)
        cells["turn"] = np.full(values.size, chosen_before if turn is None else turn, np.int16)
    if moved is not None:
        cells["moved"] = moved.ravel()
    if hidden is not None:
        cells["hidden"] = hidden.ravel()
    if texts is not None:
        cells["text"] = texts.ravel()
    return Chart(specification, cells, sentence, name)


def marks(chosen: tuple[int | None, int | None], shape: tuple[int, ...]) -> NDArray[np.int8]:
    """Return bits for each cell: 1 outlines its row, 2 its column, 4 the cell."""
    row, column = chosen
    mark = np.zeros(shape, np.int8)
    if row is not None:
        mark[row, column or 0] |= 1
    if column is not None:
        mark[row or 0, column] |= 2
    if row is not None and column is not None:
        mark[row, column] |= 4
    return mark.ravel()


def attention_heatmap(
    weights: Array, labels: list[str], *, sentence: str, name: str = "weights", sums: str = "rows", **options: Any
) -> Chart:
    """Return attention weights as a heatmap: a row for each query, a column for each key."""
    return heatmap(weights, labels, labels, ATTENTION_AXES, name=name, sentence=sentence, sums=sums, **options)


def width_of(name: str) -> float:
    """Return about how wide a name of a column is in pixels."""
    return sum(WIDTHS.get(letter, FULL_LETTER if letter >= "⺀" else USUAL_LETTER) for letter in name)


def number_size(n_columns: int, small: bool = False) -> int | None:
    """Return the size at which numbers still fit into the cells on a phone, or None if no size does."""
    if small:
        return 11 if n_columns <= 8 else None
    return 13 if n_columns <= 8 else 11 if n_columns <= 12 else None


@lru_cache(maxsize=256)
def heatmap_specification(n_rows: int, n_columns: int, longest: int, axes: Axes, look: Look) -> dict[str, Any]:
    """Return the specification for a size of matrix: that of its kind, with a height and two numbers."""
    drawn = heatmap_of_any_size(number_size(n_columns, look.small), axes, look)
    numbers = {"n_rows": n_rows, "n_columns": n_columns, "longest": longest}
    params = [{"name": name, "value": value} for name, value in numbers.items()]
    height = heatmap_height(n_rows, look.sums, look.small) - (0 if look.legend else LEGEND)
    more = max(0, longest - SHORT) if axes.words else 0  # pixels of words, which are turned where they have no room
    height += round(0.7 * more) if look.small else 0
    padding = PADDING if look.sums else PADDING | {"right": PADDING["right"] + round(0.35 * more)}
    return drawn | {"params": [*drawn.get("params", []), *params], "height": height, "padding": padding}


@lru_cache(maxsize=128)
def heatmap_of_any_size(size: int | None, axes: Axes, look: Look) -> dict[str, Any]:
    """Return the specification of a kind of heatmap; `n_rows`, `n_columns` and `longest` are still to be set."""
    limit, sums, clickable, small, hides, texts, amounts, legended = look
    margin = 110 if sums else 70
    column = f"((containerSize()[0]-{margin})/n_columns)"  # `width` only settles after the labels were laid out
    wide, narrow = ("longest+2", 20) if axes.words else (0, 0)  # pixels below which words are turned, or upright
    along = alt.X(
        f"{axes.column}:N",
        sort=None,
        scale=alt.Scale(padding=0),
        axis=alt.Axis(
            orient="top",
            labelAngle=alt.ExprRef(f"{column}<{narrow}?-90:{column}<{wide}?-45:0"),  # turned where words have no room
            labelAlign=alt.ExprRef(f"{column}<{wide}?'left':'center'"),
            labelBaseline=alt.ExprRef(f"{column}<{narrow}?'middle':'bottom'"),
            labelFontSize=grown(
                f"{column}<20?max(8,min(11,{column})):{LABEL}", f"min(0.16*{column},{LABEL}*({column}-6)/longest)"
            ),
            labelLimit=alt.ExprRef(f"max({NAMED + 2},{column}-4)"),
            labelOverlap=not axes.words,  # of counted columns some may go without their number
            title=f"{axes.column} →",
            titleColor=themed(axes.column_colour),
            titleAnchor="start",
            titleAlign="left",
            titlePadding=4,
        ),
    )
    down = alt.Y(
        f"{axes.row}:N",
        sort=None,
        scale=alt.Scale(padding=0),
        axis=alt.Axis(
            labelFontSize=grown(f"min({LABEL},height/n_rows)", f"min(0.16*{column},0.4*(windowSize()[1]-200)/n_rows)"),
            labelLimit=alt.ExprRef(f"clamp(0.3*containerSize()[0],{SHORT},180)"),
            title=f"{axes.row} ↓",
            titleColor=themed(axes.row_colour),
            titleAnchor="start",
            titleAlign="right",
            titleAngle=0,
            titleX=-6,
            titleY=-23,
            labelOverlap=False,
        ),
    )
    across, downward = alt.X(f"{axes.column}:N", sort=None), alt.Y(f"{axes.row}:N", sort=None)  # the same once more
    legend = alt.Legend(
        padding=0,  # Streamlit's theme has another
        title=None,
        orient="bottom",
        direction="horizontal",
        gradientLength=120 if small else 180,
        gradientThickness=8,
        values=ticks(limit, amounts),
        format=".2~f" if limit is None or limit < LONG else ".1~g",
        offset=26 if "columns" in sums else 10,
    )
    cells = (
        alt.Chart()
        .mark_rect(cursor="pointer" if clickable else alt.Undefined, invalid="show" if hides else alt.Undefined)
        .encode(
            along,
            down,
            alt.Color(
                f"{axes.value}:Q",
                scale=shades(limit, amounts),
                legend=legend if legended else None,
                condition={"test": "datum.hidden", "value": themed(MASKED)} if hides else alt.Undefined,
            ),
            stroke=alt.StrokeValue(
                themed(PAPER),
                condition={"test": "datum.hidden", "value": themed(BETWEEN_HIDDEN)} if hides else alt.Undefined,
            ),
            strokeWidth=alt.StrokeWidthValue(1.5),
            tooltip=[
                alt.Tooltip(f"{axes.row}:N"),
                alt.Tooltip(f"{axes.column}:N"),
                alt.Tooltip(f"{axes.value}:Q", format=".4f"),
            ],
        )
    )
    if clickable:
        # `turn`, which says what was chosen before, makes a second click on a cell a new choice
        cells = cells.add_params(alt.selection_point(name="cell", fields=["i", "j", "turn"], empty=False))
    layers = [cells]
    if size is not None:
        digits = ".2f" if limit is None or limit < 64 else ".0f" if limit < LONG else ".1~g"
        widest = 1.74 if limit is None and not texts else 2.24  # of 0.45, or of −0.45 and True, in sizes of the text
        widest = 3.6 if limit is not None and limit >= LONG else widest  # of −2e+308
        room = fitting(f"min({column},bandwidth('x'))" if axes.words else column, size, widest)
        layers.append(numbers(across, downward, axes.value, room, "" if texts else digits))
    layers += totals(axes, sums, across, downward, column)
    layers += outlines(across, downward, axes)
    return finish(*layers)


def ticks(limit: float | None, amounts: bool) -> list[float]:
    """Return the ticks of the legend."""
    if limit is None:
        return [0, 0.25, 0.5, 0.75, 1]
    return [0, limit / 2, limit] if amounts else [-limit, 0, limit]


def heatmap_height(n_rows: int, sums: str, small: bool) -> int:
    """Return the height of a heatmap: its rows, the axis above and the legend below."""
    row = max(12, min(24, 400 // max(n_rows, 1))) if small else max(20, min(52, 480 // max(n_rows, 1)))
    return n_rows * row + (90 if small else 104) + (16 if "columns" in sums else 0)


def fitting(column: str, size: int, widest: float) -> alt.ExprRef:
    """Return an expression for the size of numbers: smaller in narrow columns, 0 if none fits."""
    cases = "".join(f"{column}>{widest * smaller + 1:.1f}?{smaller}:" for smaller in (13, 11, 9) if smaller <= size)
    return grown(f"{cases}0", f"min(0.16*{column},0.5*bandwidth('y'))")


def grown(usual: str, size: str) -> alt.ExprRef:
    """Return an expression for a size of text: the usual one, on a full screen a larger one if it has room."""
    usual = f"({usual})"
    full = f"containerSize()[0]>{WIDEST}&&{usual}>0"
    return alt.ExprRef(f"{full}?max({usual},min({LARGEST_TEXT},{size})):{usual}")


def numbers(along: alt.X, down: alt.Y, value: str, size: alt.ExprRef, digits: str) -> alt.Chart:
    """Return the layer of numbers (without `digits`, of texts), black or white by contrast with their cell."""
    on = f"contrast(datum.hidden?{either(MASKED)}:scale('color',datum['{value}'])"
    readable = alt.ExprRef(f"{on},'#ffffff')>{on},'#000000')?'#ffffff':'#000000'")
    bold = alt.ExprRef("datum.mark>=4?700:400")
    marks = alt.Chart().mark_text(fontSize=size, fontWeight=bold, aria=False, tooltip=None)  # the cell itself says it
    if not digits:
        return marks.encode(along, down, alt.Text("text:N"), color=alt.ColorValue(readable))
    shown = marks.transform_filter("!datum.hidden")
    return shown.encode(along, down, alt.Text(f"{value}:Q", format=digits), color=alt.ColorValue(readable))


def totals(axes: Axes, sums: str, along: alt.X, down: alt.Y, column: str) -> list[alt.Chart]:
    """Return the layers with the sums of rows, and perhaps of columns."""
    layers = []
    total = alt.Text("label:N")
    if "rows" in sums:
        marks = alt.Chart().mark_text(align="left", dx=8, fontSize=12, color=themed(SOFT), tooltip=None)
        layers.append(summed(marks, axes.value, axes.row, "Σ ").encode(down, total, x=alt.XValue("width")))
    if "columns" in sums:
        size = fitting(column, 13, 2.6)  # of −0.45 with air, in sizes of the text
        marks = alt.Chart().mark_text(baseline="top", dy=6, fontSize=size, color=themed(SOFT), tooltip=None)
        layers.append(summed(marks, axes.value, axes.column, "").encode(along, total, y=alt.YValue("height")))
    return layers


def summed(marks: alt.Chart, value: str, by: str, prefix: str) -> alt.Chart:
    label = f"'{prefix}'+format(datum.total,'.2f')"
    return marks.transform_aggregate(total=f"sum({value})", groupby=[by]).transform_calculate(label=label)


def outlines(along: alt.X, down: alt.Y, axes: Axes) -> list[alt.Chart]:
    """Return the layers that outline chosen and moved cells; clicks pass through them."""
    row: dict[str, Any] = {"x": alt.XValue(0), "x2": alt.X2Value("width")}
    column: dict[str, Any] = {"y": alt.YValue(0), "y2": alt.Y2Value("height")}
    return [
        outline("datum.moved", INK, 1.5).encode(along, down),
        outline("datum.mark&1", axes.row_colour, 2).encode(down, **row),
        outline("datum.mark&2", axes.column_colour, 2).encode(along, **column),
        outline("datum.mark&4", PAPER, 6).encode(along, down),
        outline("datum.mark&4", INK, 2.5).encode(along, down),
    ]


def outline(which: str, colour: Pair, width: float) -> alt.Chart:
    """Return empty rectangles around the cells that an expression selects."""
    marks = alt.Chart().mark_rect(
        fill=None, stroke=themed(colour), strokeWidth=width, cornerRadius=2, aria=False, tooltip=None
    )
    return marks.transform_filter(which)
