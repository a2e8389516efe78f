"""Bars: one number a row, or several that add up, each row named at its left and its number at the end."""

from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np

from attention_core.arrays import Array
from pages.charts.chart import Chart, either, finish, of_kind, themed, tips, words
from pages.look.colours import ATTENTION, HEADS, INK, NEGATIVE, PAPER, SOFT

ROW = 31  # pixels: the height of a row of the tables beside the bars
ROOM = 46  # pixels: what a number at the end of a bar needs
DOWN = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.42, paddingOuter=0.21))  # a row, so words may repeat
HEAD = "[" + ",".join(f"({either(pair)})" for pair in HEADS) + f"][(toNumber(datum.part)-1)%{len(HEADS)}]"
HEAD = f"isNaN(toNumber(datum.part))?{either(SOFT)}:{HEAD}"  # a part that is no head has a colour of its own
SIGN = f"datum.value<0?{either(NEGATIVE)}:{either(ATTENTION)}"


def signed_bars(
    labels: list[str],
    values: Array,
    *,
    limit: float,
    name: str,
    sentence: str,
    title: str = "",
    of: str = "row",
    ceiling: float | None = None,
) -> Chart:
    """Return numbers around 0 as bars: positive to the right, negative to the left."""
    data = {"row": np.arange(len(labels)), "label": words(labels), "value": values}
    return Chart(signed_specification(len(labels), limit, title, of, ceiling), data, sentence, name)


def fraction_bars(
    labels: list[str],
    values: Array,
    *,
    name: str,
    sentence: str,
    highlight: int | None = None,
    expected: Array | None = None,
    title: str = "probability",
    of: str = "row",
) -> Chart:
    """Return fractions from 0 to 1 as bars: one of them in bold."""
    rows = np.arange(len(labels))
    data = {"row": rows, "label": words(labels), "value": values}
    data["highlight"] = rows == highlight
    if expected is not None:
        data["expected"] = expected
    return Chart(fraction_specification(len(labels), title, of, expected is not None), data, sentence, name)


def stacked_bars(
    labels: list[str],
    parts: list[str],
    values: Array,
    *,
    limit: float,
    name: str,
    sentence: str,
    title: str = "",
    of: str = "row",
    part: str = "part",
) -> Chart:
    """Return the parts of each row stacked from 0 to either side, the sum as a tick and a number.

    `values` has a row for each label and a column for each part.
    """
    rows, columns = np.indices(values.shape)
    far = np.where(values < 0, np.minimum(values, 0).cumsum(axis=1), np.maximum(values, 0).cumsum(axis=1))
    net, n_rows = values.sum(axis=1), len(labels)
    stacks = {"part": words(parts)[columns], "value": values, "start": far - values, "end": far, "net": net[rows]}
    sums = {"row": np.arange(n_rows), "part": words(["sum"] * n_rows), "start": 0 * net}
    data = {key: np.concatenate([one.ravel(), sums.get(key, net)]) for key, one in {"row": rows, **stacks}.items()}
    data["kind"] = np.repeat(words(["part", "sum"]), [rows.size, n_rows])
    data["label"] = words(labels)[data["row"]]
    return Chart(stacked_specification(len(labels), limit, title, of, part), data, sentence, name)


@lru_cache(maxsize=64)
def signed_specification(
    n_rows: int, limit: float, title: str, of: str, ceiling: float | None = None
) -> dict[str, Any]:
    along = length("value:Q", (-limit, limit), (ROOM, f"width-{ROOM}"), title)
    told = tips(f"label:N {of}", f"value:Q {title or 'value'}")
    side = alt.ExprRef("datum.value<0?'right':'left'")
    layers = [
        alt.Chart().mark_bar(cornerRadiusEnd=2, color=alt.ExprRef(SIGN)).encode(DOWN, along, tooltip=told),
        zero(),
        alt.Chart()
        .mark_text(align=side, dx=alt.ExprRef("datum.value<0?-6:6"), fontSize=13, color=themed(INK))
        .encode(DOWN, along, alt.Text("value:Q", format=".2f"), tooltip=told),
        names(),
    ]
    if ceiling is not None:
        line = alt.Chart().mark_rule(color=themed(INK), strokeWidth=2, tooltip=None, aria=False)
        layers.append(line.encode(x=alt.XDatum(ceiling)))
    return rows_of(layers, n_rows, title)


@lru_cache(maxsize=64)
def fraction_specification(n_rows: int, title: str, of: str, expecting: bool = False) -> dict[str, Any]:
    along = length("value:Q", (0, 1), (0, f"width-{ROOM}"), title)
    fields = [f"label:N {of}", f"value:Q {title}"]
    told = tips(*fields)
    gap = "(scale('x',datum.expected)-scale('x',datum.value))"  # a number stands behind a tick that would cut it
    away = alt.ExprRef(f"{gap}>0&&{gap}<44?{gap}+8:6") if expecting else 6
    bold = alt.ExprRef("datum.highlight?700:400")
    layers = [
        alt.Chart().mark_bar(cornerRadiusEnd=2, color=themed(ATTENTION)).encode(DOWN, along, tooltip=told),
        alt.Chart()
        .mark_text(align="left", dx=away, fontSize=13, color=themed(INK), fontWeight=bold)
        .encode(DOWN, along, alt.Text("value:Q", format=".2f"), tooltip=told),
        names(fontWeight=bold),
    ]
    if expecting:
        mark = alt.Chart().mark_tick(opacity=1, thickness=2.5, size=ROW * 0.8, color=themed(INK))
        there = length("expected:Q", (0, 1), (0, f"width-{ROOM}"), title)
        layers.insert(1, mark.encode(DOWN, there, tooltip=tips(*fields, "expected:Q")))
    return rows_of(layers, n_rows, title)


@lru_cache(maxsize=64)
def stacked_specification(n_rows: int, limit: float, title: str, of: str, part: str) -> dict[str, Any]:
    along = length("start:Q", (-limit, limit), (0, f"width-{ROOM + 18}"), title)
    end = length("end:Q", (-limit, limit), (0, f"width-{ROOM + 18}"), title)
    told = tips(f"label:N {of}", f"part:N {part}", f"value:Q {title or 'value'}")
    parts, sums = of_kind("part"), of_kind("sum")
    middle, tick = "(scale('x',datum.start)+scale('x',datum.end))/2", "scale('x',datum.net)"
    met = f"(abs({tick}-{middle})<8)"  # the tick would cut the name, which then stands beside it
    beside = alt.ExprRef(f"{middle}+{met}*({tick}<{middle}?9:-9)")
    fits = f"abs(scale('x',datum.end)-scale('x',datum.start))>8*length(datum.part)+4+18*{met}"  # only where it has room
    layers = [
        parts.mark_bar(color=alt.ExprRef(HEAD if part == "head" else SIGN), stroke=themed(PAPER), strokeWidth=1).encode(
            DOWN, along, alt.X2("end"), tooltip=told
        ),
        parts.transform_filter("datum.value!=0")
        .mark_text(fontSize=11, color=themed(PAPER), opacity=alt.ExprRef(f"{fits}?1:0"))
        .encode(DOWN, alt.Text("part:N"), x=alt.XValue(beside), tooltip=told),
        zero(),
        sums.mark_tick(tooltip=None, opacity=1, thickness=4, size=ROW * 0.86, color=themed(PAPER)).encode(DOWN, end),
        sums.mark_tick(opacity=1, thickness=2.5, size=ROW * 0.8, color=themed(INK)).encode(DOWN, end, tooltip=told),
        sums.mark_text(align="right", fontSize=13, color=themed(INK))
        .transform_calculate(total="'Σ '+format(datum.value,'.2f')")
        .encode(DOWN, alt.Text("total:N"), x=alt.XValue("width"), tooltip=told),
        names("datum.kind=='sum'"),
    ]
    return rows_of(layers, n_rows, title)


def length(field: str, domain: tuple[float, float], room: tuple[float, str], title: str) -> alt.X:
    """Return the axis of the bars, with room for the numbers at their ends."""
    scale = alt.Scale(domain=domain, range=[room[0], alt.ExprRef(room[1])], clamp=True, nice=False)
    look: dict[str, Any] = {"titleAnchor": "start", "titleAlign": "left", "titleX": 0, "titlePadding": 4}
    return alt.X(field, scale=scale, axis=alt.Axis(orient="top", labels=False, title=title or None, **look))


def names(which: str = "true", **marks: Any) -> alt.Chart:
    look: dict[str, Any] = {"color": themed(INK), "fontSize": 13, "limit": 140, "tooltip": None}
    text = alt.Chart().mark_text(align="right", dx=-8, **look, **marks)
    return text.transform_filter(which).encode(DOWN, alt.Text("label:N"), x=alt.XValue(0))


def zero() -> alt.Chart:
    return alt.Chart().mark_rule(color=themed(SOFT), strokeWidth=1, aria=False, tooltip=None).encode(x=alt.XDatum(0))


def rows_of(layers: list[alt.Chart], n_rows: int, title: str) -> dict[str, Any]:
    return finish(*layers, height=ROW * n_rows + (22 if title else 2))
