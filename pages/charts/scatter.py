"""A scatter plot of a few named things by two measures, each with its label; a click chooses one."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np

from attention_core.arrays import Array
from pages.charts.chart import ABOVE, Chart, finish, themed, words
from pages.charts.moved_point import near_ones
from pages.look.colours import HEADS, INK, PAPER, RULE, SOFT

NEAR = 0.09, 0.045  # of the width and of the height: points as near as this have one label
MARGIN = 0.05  # of the side around the points
HEIGHT = 400


def scatter(
    x: Array,
    y: Array,
    labels: Sequence[str],
    groups: Sequence[str],
    *,
    axes: tuple[str, str],
    limits: tuple[float, float],
    of: tuple[str, str],
    chosen: int,
    name: str,
    sentence: str,
) -> Chart:
    """Return points (N,) from 0 to the limits, coloured by group, one of them chosen.

    `of` says what a point and what a group is. A click reports the number of its point as `i`.
    """
    points = np.stack([x / limits[0] / NEAR[0], y / limits[1] / NEAR[1]], axis=1)
    names = [""] * len(labels)
    for group in near_ones(list(np.clip(np.nan_to_num(points), -100, 100)), 1.0):
        names[group[-1]] = ", ".join(labels[place] for place in group)
    shown = {of[0]: words(labels), of[1]: words(groups), axes[0]: x, axes[1]: y}
    drawing = {
        "i": np.arange(len(labels), dtype=np.int16),
        "j": np.zeros(len(labels), np.int16),
        "turn": np.full(len(labels), chosen, np.int16),
        "mark": np.arange(len(labels)) == chosen,
        "label": words(names),
    }
    specification = scatter_specification(tuple(dict.fromkeys(groups)), axes, limits, of)
    return Chart(specification, shown | drawing, sentence, name, shown)


@lru_cache(maxsize=64)
def scatter_specification(
    groups: tuple[str, ...], axes: tuple[str, str], limits: tuple[float, float], of: tuple[str, str]
) -> dict[str, Any]:
    look: dict[str, Any] = {"grid": True, "gridColor": themed(RULE), "tickCount": 5, "labelColor": themed(SOFT)}
    across, upward = (
        alt.Scale(domain=[-MARGIN * limit, (1 + MARGIN) * limit], nice=False, clamp=True) for limit in limits
    )
    x = alt.X(
        f"{axes[0]}:Q", scale=across, axis=alt.Axis(**look, title=f"{axes[0]} →", titleAnchor="end", titleAlign="right")
    )
    y = alt.Y(f"{axes[1]}:Q", scale=upward, axis=alt.Axis(**look, **ABOVE | {"titleY": -12}, title=f"{axes[1]} ↑"))
    colours = [themed(HEADS[place % len(HEADS)]) for place in range(len(groups))]
    colour = alt.Color(
        f"{of[1]}:N",
        scale=alt.Scale(domain=list(groups), range=colours),
        legend=alt.Legend(orient="bottom", title=None, offset=14) if len(groups) > 1 else None,
    )
    tips = [alt.Tooltip(f"{word}:N") for word in of] + [alt.Tooltip(f"{axis}:Q", format=".4f") for axis in axes]
    text: dict[str, Any] = {"fontSize": 13, "fontWeight": 600, "align": "left", "dx": 13, "dy": 1, "tooltip": None}
    named = alt.Chart().transform_filter("datum.label!=''")
    layers = [  # labels below the dots, so that none hides a dot
        named.mark_text(aria=False, stroke=themed(PAPER), strokeWidth=4, strokeJoin="round", **text).encode(
            x, y, alt.Text("label:N")
        ),
        named.mark_text(aria=False, color=themed(INK), **text).encode(x, y, alt.Text("label:N")),
        alt.Chart()
        .transform_filter("datum.mark")
        .mark_point(size=420, opacity=1, strokeWidth=2.5, stroke=themed(INK), aria=False, tooltip=None)
        .encode(x, y),
        alt.Chart()
        .mark_circle(size=150, opacity=1, stroke=themed(PAPER), strokeWidth=1.5, cursor="pointer")
        .encode(x, y, colour, tooltip=tips)
        .add_params(alt.selection_point(name="cell", fields=["i", "j", "turn"], empty=False)),
    ]
    return finish(*layers, height=HEIGHT)
