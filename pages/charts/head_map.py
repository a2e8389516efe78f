"""Thumbnails: one head's attention at a glance, small enough to stand beside all the others."""

from functools import cache
from typing import Any

import altair as alt
import numpy as np

from attention_core.arrays import Array
from pages.charts.chart import Chart, finish, shades, themed, words
from pages.look.colours import PAPER


def head_map(weights: Array, labels: list[str], *, name: str, sentence: str) -> Chart:
    """Return attention weights as a small map without axes: a row for each query, a column for each key."""
    i, j = (index.ravel() for index in np.indices(weights.shape))
    columns = {"query": words(labels)[i], "key": words(labels)[j], "weight": weights.ravel()}
    columns |= {"i": i.astype(np.int16), "j": j.astype(np.int16)}
    return Chart(head_map_specification(), columns, sentence, name)


@cache
def head_map_specification() -> dict[str, Any]:
    cells = (
        alt.Chart(alt.NamedData("cells"))
        .mark_rect()
        .encode(
            alt.X("j:O", axis=None, scale=alt.Scale(padding=0)),
            alt.Y("i:O", axis=None, scale=alt.Scale(padding=0)),
            alt.Color("weight:Q", scale=shades(None), legend=None),
            stroke=alt.StrokeValue(themed(PAPER)),
            strokeWidth=alt.StrokeWidthValue(0.5),
            tooltip=[alt.Tooltip("query:N"), alt.Tooltip("key:N"), alt.Tooltip("weight:Q", format=".4f")],
        )
    )
    return finish(cells, height=196)
