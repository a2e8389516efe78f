"""Heatmaps: a matrix with words or dimensions on its axes, its numbers in the cells, and what is laid over them."""

import math
from functools import cache, lru_cache
from typing import Any, NamedTuple

import altair as alt
import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.equations.softmax import exponentials
from pages.charts.chart import PADDING, Chart, Columns, either, finish, shades, themed, words
from pages.look.colours import INK, KEY, MASKED, PAPER, QUERY, RULE, SOFT, Pair
from pages.look.facts import differs
from pages.look.html import number

WIDEST = 1100  # pixels: a wider chart fills the screen, where its text grows with the cells
LARGEST_TEXT = 32
LABEL = 13  # size of the names of columns, and in pixels how wide their letters then are:
WIDTHS = dict.fromkeys("mMW", 11) | {"w": 9.5, " ": 3} | dict.fromkeys("fijlrt'’.,:₀₁₂₃₄₅₆₇₈₉", 4.5)
USUAL_LETTER, FULL_LETTER = 7, 13  # the second of Chinese, Japanese and Korean, and of emoji
NAMED, SHORT = 90, 36  # pixels: the room of a name where there is little, and names that take hardly any
LEGEND = 29  # pixels below the cells
LONG = 10_000  # numbers that may be so large are written with powers of ten
LONGEST = 46  # pixels of a word beside a map of one head
BY_ROW, BY_COLUMN = (alt.EncodingSortField(place, op="min") for place in "ij")  # else new data keep the order of old

Cell = tuple[int | None, int | None]


class Axes(NamedTuple):
    """What a matrix has along its rows and its columns, and what its numbers are called in data and tooltips."""

    row: str
    column: str
    value: str
    row_colour: Pair = SOFT
    column_colour: Pair = SOFT
    words: bool = False  # columns are words, which are all named, and not counted


class Look(NamedTuple):
    """What changes the specification of a heatmap, and not only its data."""

    limit: float | None = None
    amounts: bool = False
    sums: str = ""
    small: bool = False
    row: int = 22  # pixels at most, of a small one
    legend: bool = True
    named: bool = True  # on a slide too, where of equal maps side by side one has the words of the rows
    click: bool = False
    hidden: bool = False
    texts: bool = False
    shaded: bool = False
    steps: tuple[str, ...] = ()  # fields that a pointer reads before the number of a cell


class Layer(NamedTuple):
    """A part of a heatmap: a change of its look, columns of data, and the cell that it chooses."""

    look: dict[str, Any]
    columns: Columns | None = None
    chosen: Cell | None = None


ATTENTION_AXES = Axes("query", "key", "weight", QUERY, KEY, words=True)
SCORE_AXES = Axes("query", "key", "score", QUERY, KEY, words=True)
BETWEEN_HIDDEN = Pair(PAPER.light, RULE.dark)  # hidden cells are as dark as dark paper
SMALL = Layer({"small": True})  # one of several side by side
LOW = Layer({"small": True, "row": 17})  # one of several above each other
SCORE, SCALED, MASK = "score q · k", "÷ √dₖ", "+ mask"  # on the way to a weight
PRODUCTS, READ = "products", 4  # that add up to an entry, of which so many are written
NO_LEGEND = Layer({"legend": False})  # of equal maps side by side, one has the legend
ROW_SUMS = Layer({"sums": "rows"})  # at the margin
ALL_SUMS = Layer({"sums": "rows and columns"})
CLICK = Layer({"click": True})  # reports the indices `i` and `j` of a cell


def scale(limit: float | None, amounts: bool = False) -> Layer:
    """Return the scale of numbers around 0 up to a limit, or of `amounts` from 0 on; of weights if there is none."""
    return Layer({"limit": limit, "amounts": amounts})


def outline(row: int | None = None, column: int | None = None) -> Layer:
    return Layer({}, chosen=(row, column))


def frame(cells: NDArray[np.bool_]) -> Layer:
    return Layer({}, {"moved": cells.ravel()})


def hide(cells: NDArray[np.bool_]) -> Layer:
    """Return grey cells, in the dark nearly black, without numbers."""
    return Layer({"hidden": True}, {"hidden": cells.ravel()})


def write(texts: NDArray[np.object_]) -> Layer:
    """Return texts in the cells, hidden or not, in place of numbers; those of no number are hidden."""
    return Layer({"texts": True}, {"text": texts.ravel()})


def shade(fractions: Array) -> Layer:
    """Return colours by fractions from 0 to 1, for rows whose numbers have a scale each."""
    return Layer({"shaded": True, "legend": False}, {"shade": fractions.ravel()})


def steps_to(attention: AttentionCache, first: int = 0) -> Layer:
    """Return how each weight came about, from position `first` on: a pointer on its cell reads it at once."""
    scores = attention.scores[first:, first:]
    mask = None if attention.mask is None else np.broadcast_to(attention.mask, attention.scores.shape)[first:, first:]
    return steps_from(scores / attention.scale, scores, mask)


def steps_of_row(attention: AttentionCache, row: int) -> Layer:
    """Return how each weight of one query came about, in one head or in all of them."""
    scores = attention.scores[..., row, :]
    mask = None if attention.mask is None else np.broadcast_to(attention.mask, attention.scores.shape)[..., row, :]
    return steps_from(scores / attention.scale, scores, mask)


def steps_from(products: Array, scores: Array, mask: Array | None = None, divided: str = SCALED) -> Layer:
    """Return how the weights of some scores came about; `divided` says what they were divided by."""
    values, sums, shift = exponentials(scores, mask)
    steps = {SCORE: products, divided: scores}
    if mask is not None:
        added, places = np.unique(mask, return_inverse=True)
        steps[MASK] = words([number(value) for value in added])[places].reshape(values.shape)
    if shift.any():
        steps["− largest of the row"] = np.broadcast_to(shift, values.shape)
    steps |= {"exponential": values, "row sum": np.broadcast_to(sums, values.shape)}
    return Layer({"steps": tuple(steps)}, {name: step.ravel() for name, step in steps.items()})


def products_of(left: Array, right: Array) -> Layer:
    """Return what adds up to each entry of left · right, of which a pointer reads the first products that are not 0."""
    texts = []
    for row in np.where(differs(0.0, left), left, 0.0).tolist():
        for column in np.where(differs(0.0, right), right, 0.0).T.tolist():
            told = [f"{number(a)} × {number(b)}" for a, b in zip(row, column, strict=True) if a and b]
            texts.append(" + ".join(told[:READ]) + " + …" * (len(told) > READ) or "0")
    return Layer({"steps": (PRODUCTS,)}, {PRODUCTS: words(texts)})


def click_again(count: int) -> Layer:
    """Return clicks of which a second one on a cell counts too, as the count changes with each."""
    return Layer({"click": True}, {"turn": np.array(count, np.int16)})


def heatmap(
    values: Array, rows: list[str], columns: list[str], axes: Axes, *layers: Layer | bool, name: str, sentence: str
) -> Chart:
    """Return a matrix as a heatmap of weights from 0 to 1, unless a layer changes its scale."""
    parts = [layer for layer in layers if isinstance(layer, Layer)]
    look = Look()._replace(**{key: value for layer in parts for key, value in layer.look.items()})
    row, column = next(filter(None, [layer.chosen for layer in parts]), (None, None))
    i, j = (index.ravel().astype(np.int16) for index in np.indices(values.shape))
    data = {axes.row: words(rows)[i], axes.column: words(columns)[j], axes.value: values.ravel(), "i": i, "j": j}
    place = (row or 0) * len(columns) + (column or 0)
    bits = (row is not None) + 2 * (column is not None)  # of this cell: its row, its column, and itself
    data["mark"] = np.where(np.arange(values.size) == place, bits + 4 * (bits == 3), 0).astype(np.int8)
    for layer in parts:
        data |= layer.columns or {}
    if look.texts and "hidden" not in data:  # a cell without a number has a ground, on which its text is read
        look, data["hidden"] = look._replace(hidden=True), np.isnan(values).ravel()
    if look.click:  # what was chosen before makes a second click on a cell a new choice
        data["turn"] = np.full(values.size, data.get("turn", place), np.int16)
    longest = min(NAMED, 4 * math.ceil(widest(columns) / 4))  # in steps: few specifications serve all sentences
    return Chart(heatmap_specification(*values.shape, longest, axes, look), data, sentence, name)


def attention_heatmap(
    attention: AttentionCache | Array, labels: list[str], *layers: Layer | bool, name: str, sentence: str
) -> Chart:
    """Return attention weights as a heatmap: a row for each query, a column for each key."""
    if isinstance(attention, AttentionCache):
        layers, attention = (*layers, steps_to(attention)), attention.weights
    return heatmap(attention, labels, labels, ATTENTION_AXES, *layers, name=name, sentence=sentence)


def blank_map(
    rows: list[str],
    columns: list[str],
    axes: Axes,
    *layers: Layer,
    name: str,
    sentence: str,
    asked: Cell = (None, None),
) -> Chart:
    """Return a heatmap before its question is answered: question marks in the row, column or cell that is asked for."""
    texts = np.full((len(rows), len(columns)), "", dtype=object)
    if asked != (None, None):
        texts[tuple(slice(None) if place is None else place for place in asked)] = "?"
    parts = (*layers, write(texts), outline(*asked))
    return heatmap(np.full(texts.shape, np.nan), rows, columns, axes, *parts, name=name, sentence=sentence)


def head_map(weights: Array, labels: list[str], *, name: str, sentence: str, words_along: bool = False) -> Chart:
    """Return attention weights at a glance, beside those of other heads: without axes, or with `words_along` them."""
    i, j = (index.ravel().astype(np.int16) for index in np.indices(weights.shape))
    data = {"query": words(labels)[i], "key": words(labels)[j], "weight": weights.ravel(), "i": i, "j": j}
    return Chart(head_map_specification(words_along), data, sentence, name)


def widest(names: list[str]) -> float:
    """Return about how wide the widest of some names of columns is in pixels."""
    wide = [[WIDTHS.get(letter, FULL_LETTER if letter >= "⺀" else USUAL_LETTER) for letter in name] for name in names]
    return max(map(sum, wide), default=1)


@lru_cache(maxsize=256)
def heatmap_specification(n_rows: int, n_columns: int, longest: int, axes: Axes, look: Look) -> dict[str, Any]:
    """Return the specification for a size of matrix: that of its kind, with a height and two numbers."""
    size = (11 if look.small else 13) if n_columns <= 8 else 11 if n_columns <= 14 and not look.small else None
    drawn = heatmap_of_any_size(size, axes, look)  # of numbers, as they still fit into the cells on a phone
    numbers = {"n_rows": n_rows, "n_columns": n_columns, "longest": longest, "least": 0}
    params = [{"name": name, "value": value} for name, value in numbers.items()]
    row = max(12, min(look.row, 400 // max(n_rows, 1))) if look.small else max(20, min(44, 336 // max(n_rows, 1)))
    around = (90 if look.small else 104) + (16 if "columns" in look.sums else 0) - (0 if look.legend else LEGEND)
    more = max(0, longest - SHORT) if axes.words else 0  # pixels of words, which are turned where they have no room
    height = n_rows * row + around + (round(0.7 * more) if look.small else 0)
    padding = PADDING if look.sums else PADDING | {"right": PADDING["right"] + round(0.35 * more)}
    return drawn | {"params": [*drawn.get("params", []), *params], "height": height, "padding": padding}


@lru_cache(maxsize=128)
def heatmap_of_any_size(size: int | None, axes: Axes, look: Look) -> dict[str, Any]:
    """Return the specification of a kind of heatmap; `n_rows`, `n_columns`, `longest`, `least` are still to be set."""
    words = "60" if look.named else "(least?0:60)"  # `width` settles after the labels
    room = f"((containerSize()[0]-{words}-{50 if look.sums else 10})/n_columns)"
    along, down = alt.X(f"{axes.column}:N", sort=BY_COLUMN), alt.Y(f"{axes.row}:N", sort=BY_ROW)
    layers = [cells(axes, look).encode(x_axis(axes, room), y_axis(axes, room, words))]
    if look.click:
        layers[0] = layers[0].add_params(alt.selection_point(name="cell", fields=["i", "j", "turn"], empty=False))
    if size is not None:
        long = look.limit is not None and look.limit >= LONG
        widest = 3.6 if long else 1.74 if look.limit is None and not look.texts else 2.24  # in sizes of the text,
        fit = fitting(f"min({room},bandwidth('x'))" if axes.words else room, size, widest)  # of −2e+308, 0.45, −0.45
        layers.append(numbers(axes.value, fit, look).encode(along, down))
    if look.limit is not None and not look.amounts:
        shown = alt.ExprRef(f"{0 if size is None else f'({fit.expr})'}?0:clamp({room},6,14)")  # in place of a number
        signs = alt.Chart().mark_text(text="−", fontSize=shown, fontWeight=700, aria=False, tooltip=None)
        signs = signs.transform_filter(f"!datum.hidden&&datum['{axes.value}']<{-look.limit / 20}")
        layers.append(signs.encode(along, down, color=readable(axes.value)))
    if "rows" in look.sums:
        marks = alt.Chart().mark_text(align="left", dx=8, fontSize=12, color=themed(SOFT), tooltip=None)
        layers.append(summed(marks, axes.value, axes.row, "i", "Σ ").encode(down, x=alt.XValue("width")))
    if "columns" in look.sums:
        fit = fitting(room, 13, 2.6)  # of −0.45 with air
        marks = alt.Chart().mark_text(baseline="top", dy=6, fontSize=fit, color=themed(SOFT), tooltip=None)
        layers.append(summed(marks, axes.value, axes.column, "j", "").encode(along, y=alt.YValue("height")))
    whole_row: dict[str, Any] = {"x": alt.XValue(0), "x2": alt.X2Value("width")}
    whole_column: dict[str, Any] = {"y": alt.YValue(0), "y2": alt.Y2Value("height")}
    layers += [
        outlined("datum.moved", INK, 1.5).encode(along, down),
        outlined("datum.mark&1", axes.row_colour, 2).encode(down, **whole_row),
        outlined("datum.mark&2", axes.column_colour, 2).encode(along, **whole_column),
        outlined("datum.mark&4", PAPER, 6).encode(along, down),
        outlined("datum.mark&4", INK, 2.5).encode(along, down),
    ]
    return finish(*layers)


def cells(axes: Axes, look: Look) -> alt.Chart:
    colour, between = (
        {"test": "datum.hidden", "value": themed(pair)} if look.hidden else alt.Undefined
        for pair in (MASKED, BETWEEN_HIDDEN)
    )
    length, offset = 120 if look.small else 180, 26 if "columns" in look.sums else 10
    legend = ramp(look.limit, look.amounts, gradientLength=length, offset=offset, padding=0) if look.legend else None
    texts = [axes.row, axes.column, *(step for step in look.steps if step in (MASK, PRODUCTS))]
    fields = [axes.row, axes.column, *look.steps, axes.value]
    tips = [alt.Tooltip(f"{name}:N") if name in texts else alt.Tooltip(f"{name}:Q", format=".4f") for name in fields]
    tips[-1] = alt.Tooltip("text:N", title=axes.value) if axes.value == "mask" else tips[-1]  # −∞ as it is written
    marks = alt.Chart().mark_rect(
        cursor="pointer" if look.click else alt.Undefined, invalid="show" if look.hidden else alt.Undefined
    )
    return marks.encode(
        alt.Color(
            "shade:Q" if look.shaded else f"{axes.value}:Q",
            scale=shades(look.limit, look.amounts),
            legend=legend,
            condition=colour,
        ),
        stroke=alt.StrokeValue(themed(PAPER), condition=between),
        strokeWidth=alt.StrokeWidthValue(1.5),
        tooltip=tips,
    )


def x_axis(axes: Axes, room: str) -> alt.X:
    """Return the axis of the columns, whose words are turned where one has no room; on a slide they may have none."""
    wide, narrow, least, fit = ("longest+2", 20, "least", 10) if axes.words else (0, 0, 0, 11)  # turned, upright, gone
    axis = alt.Axis(
        labelAngle=alt.ExprRef(f"{room}<{narrow}?-90:{room}<{wide}?-45:0"),
        labelAlign=alt.ExprRef(f"{room}<{wide}?'left':'center'"),
        labelBaseline=alt.ExprRef(f"{room}<{narrow}?'middle':'bottom'"),
        labelFontSize=grown(
            f"{room}<{least}?0:{room}<20?clamp({room},{fit},11):{LABEL}", f"min(0.16*{room},{LABEL}*({room}-6)/longest)"
        ),
        labelLimit=alt.ExprRef(f"max({NAMED + 2},{room}-4)"),
        labelOverlap=not axes.words,  # of counted columns some may go without their number
        **above_columns(axes),
    )
    return alt.X(f"{axes.column}:N", sort=BY_COLUMN, scale=alt.Scale(padding=0), axis=axis)


def y_axis(axes: Axes, room: str, words: str) -> alt.Y:
    large = f"min(0.16*{room},0.4*(windowSize()[1]-200)/n_rows)"
    axis = alt.Axis(
        titleFontSize=alt.ExprRef(f"{words}?12:0"),
        labelFontSize=grown(f"{words}?min({LABEL},height/n_rows):0", large),
        labelLimit=alt.ExprRef(f"clamp(0.3*containerSize()[0],{SHORT},180)"),
        labelOverlap=False,
        **above_rows(axes) | {"titleY": alt.ExprRef(f"{room}<least?-10:-23")},
    )
    return alt.Y(f"{axes.row}:N", sort=BY_ROW, scale=alt.Scale(padding=0), axis=axis)


def above_columns(axes: Axes) -> dict[str, Any]:
    look = {"orient": "top", "titleAnchor": "start", "titleAlign": "left", "titlePadding": 4}
    return {"title": f"{axes.column} →", "titleColor": themed(axes.column_colour), **look}


def above_rows(axes: Axes) -> dict[str, Any]:
    look = {"titleAnchor": "start", "titleAlign": "right", "titleAngle": 0, "titleX": -6, "titleY": -23}
    return {"title": f"{axes.row} ↓", "titleColor": themed(axes.row_colour), **look}


def ramp(limit: float | None, amounts: bool = False, **look: Any) -> alt.Legend:
    """Return the legend of a scale: its colours below the cells."""
    ticks = [0, 0.25, 0.5, 0.75, 1] if limit is None else [0, limit / 2, limit] if amounts else [-limit, 0, limit]
    written = ".2~f" if limit is None or limit < LONG else ".1~g"
    look = {"title": None, "orient": "bottom", "direction": "horizontal", "gradientThickness": 8} | look
    return alt.Legend(values=ticks, format=written, **look)


def fitting(column: str, size: int, widest: float) -> alt.ExprRef:
    """Return an expression for the size of numbers: smaller in narrow columns, and 0 where one could not read them."""
    cases = "".join(f"{column}>{widest}*max({one},least)+3?{one}:" for one in (13, 11, 10) if one <= size)
    return grown(f"{cases}0", f"min(0.16*{column},0.5*bandwidth('y'))")


def grown(usual: str, size: str) -> alt.ExprRef:
    """Return an expression for a size of text: the usual one, on a full screen a larger one if it has room."""
    usual = f"({usual})"
    full = f"containerSize()[0]>{WIDEST}&&{usual}>0"
    return alt.ExprRef(f"{full}?max({usual},min({LARGEST_TEXT},{size})):{usual}")


def numbers(value: str, size: alt.ExprRef, look: Look) -> alt.Chart:
    colour = readable("shade" if look.shaded else value)
    bold = alt.ExprRef("datum.mark>=4?700:400")
    marks = alt.Chart().mark_text(fontSize=size, fontWeight=bold, aria=False, tooltip=None)  # the cell itself says it
    if look.texts:
        return marks.encode(alt.Text("text:N"), color=colour)
    digits = ".2f" if look.limit is None or look.limit < 64 else ".0f" if look.limit < LONG else ".1~g"
    return marks.transform_filter("!datum.hidden").encode(alt.Text(f"{value}:Q", format=digits), color=colour)


def readable(value: str) -> alt.ColorValue:
    """Return black or white, whichever stands out from the colour of a cell."""
    on = f"contrast(datum.hidden?{either(MASKED)}:scale('color',datum['{value}'])"
    return alt.ColorValue(alt.ExprRef(f"{on},'#ffffff')>{on},'#000000')?'#ffffff':'#000000'"))


def summed(marks: alt.Chart, value: str, by: str, place: str, prefix: str) -> alt.Chart:
    label = f"'{prefix}'+format(datum.total,'.2f')"
    sums = marks.transform_aggregate(total=f"sum({value})", groupby=[by, place])
    return sums.transform_calculate(label=label).encode(alt.Text("label:N"))


def outlined(which: str, colour: Pair, width: float) -> alt.Chart:
    """Return empty rectangles around the cells that an expression selects; clicks pass through them."""
    marks = alt.Chart().mark_rect(
        fill=None, stroke=themed(colour), strokeWidth=width, cornerRadius=2, aria=False, tooltip=None
    )
    return marks.transform_filter(which)


@cache
def head_map_specification(words_along: bool) -> dict[str, Any]:
    flat = alt.Scale(padding=0)
    across, down = alt.X("j:O", axis=None, scale=flat), alt.Y("i:O", axis=None, scale=flat)
    if words_along:  # each word names one position: `position_labels` makes them differ
        look: dict[str, Any] = {"title": None, "labelFontSize": 11, "labelLimit": LONGEST, "labelOverlap": False}
        axis = alt.Axis(orient="top", labelAngle=-90, labelAlign="left", labelBaseline="middle", **look)
        across = alt.X("key:N", sort=BY_COLUMN, axis=axis, scale=flat)
        down = alt.Y("query:N", sort=BY_ROW, axis=alt.Axis(**look), scale=flat)
    shown = cells(ATTENTION_AXES, Look(legend=False)).encode(across, down, strokeWidth=alt.StrokeWidthValue(0.5))
    return finish(shown, height=196 + (LONGEST if words_along else 0))
