"""Charts: arrays and labels in, a Vega-Lite specification and its data out. No Streamlit here.

A specification is built by Altair once per process and kept; what travels when a student moves a control is the data
alone. It picks its own colours by the page behind it, so that one specification serves light and dark.
"""

from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pages.shared.colours import INK, KEY, PAPER, QUERY, SOFT, WEIGHTS, Pair

READABLE = "contrast(scale('color',datum.weight),'#ffffff')>contrast(scale('color',datum.weight),'#000000')"


def themed(pair: Pair) -> alt.ExprRef:
    """Return an expression that is the light colour on light paper and the dark one on dark."""
    return alt.ExprRef(f"luminance(background)<0.4?'{pair.dark}':'{pair.light}'")


def number_size(n_words: int) -> int | None:
    """Return the size at which numbers still fit into the cells on a phone, or None if none does."""
    return 13 if n_words <= 8 else 11 if n_words <= 12 else None


@lru_cache(maxsize=32)
def attention_heatmap(n_words: int) -> dict[str, Any]:
    """Return the specification of a heatmap of attention weights: a row for each query, a column for each key."""
    column = f"((containerSize()[0]-110)/{n_words})"  # not `width`, which only settles after the labels were laid out
    key = alt.X(
        "key:N",
        sort=None,
        scale=alt.Scale(padding=0),
        axis=alt.Axis(
            orient="top",
            labelAngle=alt.ExprRef(f"{column}<20?-90:{column}<56?-45:0"),  # upright where there is no room side by side
            labelAlign=alt.ExprRef(f"{column}<56?'left':'center'"),
            labelBaseline=alt.ExprRef(f"{column}<20?'middle':'bottom'"),
            labelFontSize=alt.ExprRef(f"{column}<20?11:13"),
            labelOverlap=False,
            title="key →",
            titleColor=themed(KEY),
            titleAnchor="start",
            titleAlign="left",
            titlePadding=4,
        ),
    )
    query = alt.Y(
        "query:N",
        sort=None,
        scale=alt.Scale(padding=0),
        axis=alt.Axis(
            title="query ↓",
            titleColor=themed(QUERY),
            titleAnchor="start",
            titleAlign="right",
            titleAngle=0,
            titleX=-6,
            titleY=-23,
            labelOverlap=False,
        ),
    )
    ramp = alt.Scale(domain=[0, 1], range=[themed(pair) for pair in WEIGHTS], interpolate="rgb")
    legend = alt.Legend(
        title=None,
        orient="bottom",
        direction="horizontal",
        gradientLength=180,
        gradientThickness=8,
        values=[0, 0.25, 0.5, 0.75, 1],
        format=".2~f",
        offset=10,
    )
    cells = (
        alt.Chart()
        .mark_rect()
        .encode(
            key,
            query,
            alt.Color("weight:Q", scale=ramp, legend=legend),
            stroke=alt.value(themed(PAPER)),
            strokeWidth=alt.value(1.5),
            tooltip=[alt.Tooltip("query:N"), alt.Tooltip("key:N"), alt.Tooltip("weight:Q", format=".4f")],
        )
    )
    size = number_size(n_words)
    layers = [cells]
    if size is not None:
        number = alt.Text("weight:Q", format=".2f")
        colour = alt.value(alt.ExprRef(f"{READABLE}?'#ffffff':'#000000'"))
        layers.append(alt.Chart().mark_text(fontSize=size).encode(key, query, number, color=colour))
    sums = alt.Chart().mark_text(align="left", dx=8, fontSize=12, color=themed(SOFT))
    layers.append(
        sums.transform_aggregate(total="sum(weight)", groupby=["query"])
        .transform_calculate(label="'Σ '+format(datum.total,'.2f')")
        .encode(query, alt.Text("label:N"), x=alt.value("width"))
    )
    chart = alt.layer(*layers, data=alt.NamedData("cells")).properties(
        height=max(160, min(56 * n_words, 360 + 10 * n_words))
    )
    return finished(chart)


def attention_cells(weights: NDArray[np.floating[Any]], labels: list[str]) -> pd.DataFrame:
    """Return the data of the heatmap: one row for each cell."""
    query, key = np.indices(weights.shape)
    names = np.array(labels, dtype=object)
    return pd.DataFrame({"query": names[query.ravel()], "key": names[key.ravel()], "weight": weights.ravel()})


def finished(chart: alt.LayerChart) -> dict[str, Any]:
    """Return a chart in the look of the course as a specification that still waits for its data."""
    looked = chart.configure(
        font="Source Sans, sans-serif",
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelFontSize=13,
            titleFontSize=12,
            labelColor=themed(INK),
            titleColor=themed(SOFT),
            titleFontWeight="normal",
            domain=False,
            ticks=False,
            grid=False,
            labelFlush=False,
            labelPadding=6,
            titlePadding=8,
        ),
        legend=alt.LegendConfig(labelFontSize=11, labelColor=themed(SOFT), titleColor=themed(SOFT)),
        padding={"left": 0, "right": 2, "top": 2, "bottom": 0},
    )
    specification: dict[str, Any] = looked.to_dict()
    del specification["data"]
    return specification
