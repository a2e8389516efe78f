"""Waves: how several dimensions swing along the positions, each in a lane of its own."""

from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array
from pages.charts.chart import Chart, finish, themed, words, x_of_numbers
from pages.look.colours import ATTENTION, INK, NEGATIVE, RULE, SOFT

LANE = 60  # pixels
SWING = 0.3  # of a lane: what lies between a baseline and the highest wave; a name stands in the rest


def waves(
    positions: NDArray[Any],
    values: Array,
    lanes: list[str],
    *,
    name: str,
    sentence: str,
    between: tuple[NDArray[Any], Array],
    dashed: tuple[Array, Array],
) -> Chart:
    """Return a wave for each column of the values, one lane below the other, filled by its sign, and a dashed one.

    `values` has a row for each position; `lanes` says what each column is. Places `between` the positions only round
    the waves: they are not among the chart's numbers. Of the `dashed` waves both are given too.
    """
    numbers = waves_of(positions, values, lanes) | {"dashed": dashed[0].ravel()}
    rounding = waves_of(*between, lanes) | {"dashed": dashed[1].ravel()}
    columns = {key: np.concatenate([numbers[key], rounding[key]]) for key in numbers}
    columns["between"] = np.arange(len(columns["value"])) >= values.size
    ends = (float(positions[0]), float(positions[-1])) if len(positions) else (0.0, 0.0)
    shown = {key: numbers[key] for key in numbers if key != "lane"}
    return Chart(waves_specification(len(lanes), *ends), columns, sentence, name, shown)


def waves_of(positions: NDArray[Any], values: Array, lanes: list[str]) -> dict[str, NDArray[Any]]:
    i, lane = (index.ravel() for index in np.indices(values.shape))
    return {
        "lane": lane.astype(np.int16),
        "name": words(lanes)[lane],
        "position": np.asarray(positions)[i],
        "value": values.ravel(),
    }


@lru_cache(maxsize=64)
def waves_specification(n_lanes: int, first: float, last: float) -> dict[str, Any]:
    along = x_of_numbers("position:Q", first, last, "position")
    scale = alt.Scale(domain=[-n_lanes + 1 - SWING, 1 - SWING], nice=False, zero=False)
    up = alt.Y("at:Q", scale=scale, axis=None)
    lane = alt.Detail("lane:O")
    height = f"-datum.lane+{SWING}*clamp(datum.{{}},-1,1)"
    drawn = (
        alt.Chart()
        .transform_calculate(base="-datum.lane", at=height.format("value"))
        .transform_calculate(above="max(datum.at,datum.base)", below="min(datum.at,datum.base)")
    )
    tips = [
        alt.Tooltip("name:N", title="wave"),
        alt.Tooltip("position:Q", title="position", format=".6~g"),
        alt.Tooltip("value:Q", format=".4f"),
    ]
    areas = [(ATTENTION, "above"), (NEGATIVE, "below")]
    starts = drawn.transform_filter(f"datum.position=={first}")
    second = drawn.transform_calculate(second=height.format("dashed")).mark_line(
        color=themed(SOFT), strokeWidth=1, strokeDash=[4, 3], tooltip=None
    )
    layers = [
        *(
            drawn.mark_area(color=themed(pair), opacity=0.35, tooltip=None).encode(
                along, alt.Y(f"{side}:Q", scale=scale, axis=None), alt.Y2("base"), lane
            )
            for pair, side in areas
        ),
        starts.mark_rule(color=themed(RULE), tooltip=None).encode(alt.Y("base:Q", scale=scale, axis=None)),
        second.encode(along, alt.Y("second:Q", scale=scale, axis=None), lane),
        drawn.mark_line(color=themed(INK), strokeWidth=1.25, tooltip=None).encode(along, up, lane),
        drawn.transform_filter("!datum.between").mark_circle(size=120, opacity=0).encode(along, up, tooltip=tips),
        starts.mark_text(
            align="left", baseline="bottom", dy=-SWING * LANE - 3, fontSize=12, color=themed(SOFT), tooltip=None
        ).encode(alt.Y("base:Q", scale=scale, axis=None), alt.Text("name:N"), x=alt.XValue(0)),
    ]
    return finish(*layers, height=LANE * n_lanes + 40)
