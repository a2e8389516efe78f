"""A plane of words: each a point, and an arrow from where the vector of one word was to where it is."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np

from attention_core.arrays import Array
from pages.charts.chart import Chart, columns_of, finish, of_kind, themed, tips
from pages.look.colours import ATTENTION, INK, PAPER, QUERY, RULE, SOFT
from pages.look.facts import as_shown

SIDE = 340  # pixels: fits the width of a phone
NEAR = 0.06  # of the side: points as near as this have one label


def moved_point(
    points: Array, labels: list[str], word: int, after: Array, *, axes: tuple[str, str], name: str, sentence: str
) -> Chart:
    """Return points (T, 2) with their labels, and the arrow from one of them to where it is `after`."""
    everything = np.vstack([points, after, np.zeros(2)])
    domain = rounded(float(everything.min()), float(everything.max()))
    groups = [*near_ones(list(points), NEAR * (domain[1] - domain[0])), [len(points)]]
    names = [*labels, f"{labels[word]} + output"]
    rows = []
    for group in groups:
        for place in group:
            kind = "after" if place == len(points) else "before" if place == word else "word"
            x, y = after if place == len(points) else points[place]
            said = ", ".join(names[i] for i in group) if place == group[-1] else ""
            rows.append((place, names[place], said, kind, float(x), float(y)))
    columns = columns_of(sorted(rows), ["order", "word", "label", "kind", "x", "y"])
    aside = 2 if (after == points[word]).all() else 18 if after[1] >= points[word][1] else -14  # of the arrow
    gaps = (after - points) / (domain[1] - domain[0])  # (T, 2)
    under = (np.abs(gaps - [0, 0.07]) < [0.3, 0.05]).all(axis=1).any()  # a point whose label the arrow’s would cover
    left = under and gaps[word, 0] <= 0 and after[0] - domain[0] > 0.3 * (domain[1] - domain[0])  # where it has room
    start = {"start_x": points[word][0], "start_y": points[word][1], "below": aside, "left": left}
    columns |= {key: np.full(len(rows), float(number)) for key, number in start.items()}
    numbers = {key: columns[key] for key in ("word", "kind", "x", "y")}
    return Chart(moved_point_specification(domain, axes), columns, sentence, name, numbers)


def rounded(low: float, high: float) -> tuple[float, float]:
    """Return the ends of both axes: tenths of the power of ten that holds the points, with room for their labels."""
    if not math.isfinite(high - low):
        return -1.0, 1.0
    step = 10.0 ** math.floor(math.log10(high - low if as_shown(high - low, 6) else 1)) / 2
    return math.floor(low / step - 1.2) * step, math.ceil(high / step + 0.5) * step


def near_ones(points: Sequence[Array], distance: float) -> list[list[int]]:
    """Return the indices of points in groups: each point is near the first of its group."""
    groups: list[list[int]] = []
    for place, point in enumerate(points):
        found = (group for group in groups if as_shown(np.abs(points[group[0]] - point).max() - distance, 6) <= 0)
        if (group := next(found, None)) is None:
            groups.append([place])
        else:
            group.append(place)
    return groups


@lru_cache(maxsize=64)
def moved_point_specification(domain: tuple[float, float], axes: tuple[str, str]) -> dict[str, Any]:
    side = "min(width,height)"  # equal scales in a container of any shape
    across = alt.Scale(domain=domain, range=[0, alt.ExprRef(side)], nice=False)
    upward = alt.Scale(domain=domain, range=[alt.ExprRef("height"), alt.ExprRef(f"height-{side}")], nice=False)
    look: dict[str, Any] = {"grid": True, "gridColor": themed(RULE), "tickCount": 5, "labelColor": themed(SOFT)}
    upright: dict[str, Any] = {"titleAngle": 0, "titleAlign": "left", "titleX": 0, "titleY": -10}
    x = alt.X("x:Q", scale=across, axis=alt.Axis(**look, title=f"{axes[0]} →", titleAnchor="end"))
    y = alt.Y("y:Q", scale=upward, axis=alt.Axis(**look, title=f"{axes[1]} ↑", **upright))
    start_x, start_y = alt.X("start_x:Q", scale=across), alt.Y("start_y:Q", scale=upward)
    told = tips("word:N", "x:Q", "y:Q")
    hues = {"word": SOFT, "before": QUERY, "after": ATTENTION}
    scale = alt.Scale(domain=list(hues), range=[themed(pair) for pair in hues.values()])
    colour = alt.Color("kind:N", legend=None, scale=scale)
    moved = of_kind("after").transform_filter("datum.x!=datum.start_x||datum.y!=datum.start_y")
    turn = alt.ExprRef("atan2(datum.x-datum.start_x,datum.y-datum.start_y)*180/PI")
    named = alt.Chart().transform_filter("datum.label!=''")
    beside: dict[str, Any] = {  # the label of the arrow stands under its tip, or left of it
        "align": alt.ExprRef("datum.kind!='after'?'left':datum.left?'right':'center'"),
        "dx": alt.ExprRef("datum.kind!='after'?9:datum.left?-10:0"),
        "dy": alt.ExprRef("datum.kind=='before'?datum.below:datum.kind=='after'&&!datum.left?20:2"),
    }
    text: dict[str, Any] = {"fontSize": 14, "fontWeight": 600, "tooltip": None, **beside}
    layers = [
        moved.mark_rule(strokeWidth=2.5, tooltip=None).encode(start_x, start_y, colour, x2="x:Q", y2="y:Q"),
        alt.Chart()
        .mark_circle(size=90, opacity=1, stroke=themed(PAPER), strokeWidth=1.5)
        .encode(x, y, colour, tooltip=told),
        moved.mark_point(filled=True, opacity=1, size=420, shape="M0,0L-.42,1L.42,1Z", angle=turn).encode(
            x, y, colour, tooltip=told
        ),
        named.mark_text(aria=False, stroke=themed(PAPER), strokeWidth=4, strokeJoin="round", **text).encode(
            x, y, alt.Text("label:N")
        ),
        named.mark_text(color=themed(INK), **text).encode(x, y, alt.Text("label:N")),
    ]
    return finish(*layers, width=SIDE, height=SIDE)
