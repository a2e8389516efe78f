"""A plane of words: each a point, and an arrow from where the vector of one word was to where it is."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np

from attention_core.arrays import Array
from pages.charts.chart import Chart, columns_of, finish, of_kind, themed, tips
from pages.charts.heatmap import widest
from pages.look.colours import ATTENTION, INK, PAPER, QUERY, RULE, SOFT
from pages.look.facts import as_shown

SIDE = 340  # pixels: fits the width of a phone
LEAST = 250  # pixels of a side beside a card on a small screen
LINE, DOT, THIN = 17, 7, 4  # pixels: the height of a label, half the width of a point, and of the arrow
SIDES = [(1, 0), (-1, 0), *((across, up) for up in (1, -1) for across in (0, 1, -1))]  # of a point, for its label
Box = tuple[float, float, float, float]  # left, right, bottom, top


def moved_point(
    points: Array, labels: list[str], word: int, after: Array, *, axes: tuple[str, str], name: str, sentence: str
) -> Chart:
    """Return points (T, 2) with their labels, and the arrow from one of them to where it is `after`."""
    everything = np.vstack([points, after, np.zeros(2)])
    domain = rounded(float(everything.min()), float(everything.max()))
    names, ends = [*labels, f"{labels[word]} + output"], np.vstack([points, after])
    pixels = np.clip(np.nan_to_num((ends - domain[0]) / (domain[1] - domain[0]) * LEAST), 0, LEAST)
    near = [sorted(group, key=lambda place: place != word) for group in near_ones(list(pixels[:-1]), DOT)]
    groups = [[len(points)], *sorted(near, key=lambda group: word not in group)]  # the first have the best places
    texts = [[", ".join(names[i] for i in group), f"{names[group[0]]}, …"] for group in groups]
    places = label_places(pixels, word, [group[0] for group in groups], texts)
    rows = []
    for group, label in zip(groups, places, strict=True):
        for place in group:
            kind = "after" if place == len(points) else "before" if place == word else "word"
            said = label if place == group[0] else ("", 0, 0)
            rows.append((place, names[place], *said, kind, *map(float, ends[place])))
    columns = columns_of(sorted(rows), ["order", "word", "label", "across", "up", "kind", "x", "y"])
    start = {"start_x": points[word][0], "start_y": points[word][1]}
    columns |= {key: np.full(len(rows), float(number)) for key, number in start.items()}
    numbers = {key: columns[key] for key in ("word", "kind", "x", "y")}
    return Chart(moved_point_specification(domain, axes), columns, sentence, name, numbers)


def label_places(points: Array, word: int, labelled: list[int], texts: list[list[str]]) -> list[tuple[str, int, int]]:
    """Return the label of each labelled point, and on which side of it that stands: where it covers nothing.

    The last point is the tip of an arrow from that of the word. A label is shorter, or is left out, if it has no room.
    """
    way = np.linspace(points[word], points[-1], LEAST // DOT)
    sized = [(DOT, points), (THIN, way)]
    drawn: list[Box] = [(x - far, x + far, y - far, y + far) for far, places in sized for x, y in places.tolist()]
    written, found = list[Box](), list[tuple[str, int, int]]()
    for place, said in zip(labelled, texts, strict=True):
        choices = [(text, *side) for text in said[: 1 + (", " in said[0])] for side in SIDES]
        boxes = {choice: box_of(points[place], *choice) for choice in choices}
        covered = [[*drawn, *written], written][: 1 + (place in (word, len(points) - 1))]
        free = [choice for others in covered for choice, box in boxes.items() if has_room(box, others)]
        found += free[:1] or [("", 0, 0)]
        written += [boxes[choice] for choice in free[:1]]
    return found


def box_of(point: Array, text: str, across: int, up: int) -> Box:
    (x, y), width = point.tolist(), 1.15 * widest([text])  # as it is bold
    left = x + (DOT + 2) * across - width * (1 - across) / 2
    return left, left + width, y + LINE * (up - 0.5), y + LINE * (up + 0.5)


def has_room(box: Box, others: list[Box]) -> bool:
    left, right, bottom, top = box
    apart = (left >= one[1] or one[0] >= right or bottom >= one[3] or one[2] >= top for one in others)
    return min(left, bottom) > -2 and max(right, top) <= LEAST and all(apart)


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
    beside: dict[str, Any] = {
        "align": alt.ExprRef("datum.across>0?'left':datum.across<0?'right':'center'"),
        "dx": alt.ExprRef(f"{DOT + 2}*datum.across"),
        "dy": alt.ExprRef(f"1-{LINE}*datum.up"),
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
