"""Small maps: one head's attention at a glance, beside all the others."""

from functools import cache
from typing import Any

import altair as alt
import numpy as np

from attention_core.arrays import Array
from pages.charts.chart import Chart, finish, shades, themed, words
from pages.look.colours import PAPER

WORDS = 10  # pixels: the size of a word at an axis
LONGEST = 46  # pixels of a word


def head_map(weights: Array, labels: list[str], *, name: str, sentence: str, words_along: bool = False) -> Chart:
    """Return attention weights as a small map: a row for each query, a column for each key.

    It has no axes, or `words_along` them.
    """
    i, j = (index.ravel() for index in np.indices(weights.shape))
    columns = {"query": words(labels)[i], "key": words(labels)[j], "weight": weights.ravel()}
    columns |= {"i": i.astype(np.int16), "j": j.astype(np.int16)}
    return Chart(head_map_specification(words_along), columns, sentence, name)


@cache
def head_map_specification(words_along: bool) -> dict[str, Any]:
    across = alt.X("j:O", axis=None, scale=alt.Scale(padding=0))
    down = alt.Y("i:O", axis=None, scale=alt.Scale(padding=0))
    if words_along:  # each word names one position: `position_labels` makes them differ
        look: dict[str, Any] = {"title": None, "labelFontSize": WORDS, "labelLimit": LONGEST, "labelOverlap": False}
        axis = alt.Axis(orient="top", labelAngle=-90, labelAlign="left", labelBaseline="middle", **look)
        across = alt.X("key:N", sort=None, axis=axis, scale=alt.Scale(padding=0))
        down = alt.Y("query:N", sort=None, axis=alt.Axis(**look), scale=alt.Scale(padding=0))
    cells = (
        alt.Chart()
        .mark_rect()
        .encode(
            across,
            down,
            alt.Color("weight:Q", scale=shades(None), legend=None),
            stroke=alt.StrokeValue(themed(PAPER)),
            strokeWidth=alt.StrokeWidthValue(0.5),
            tooltip=[alt.Tooltip("query:N"), alt.Tooltip("key:N"), alt.Tooltip("weight:Q", format=".4f")],
        )
    )
    return finish(cells, height=196 + (LONGEST if words_along else 0))
