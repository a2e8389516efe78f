"""Attention weights as a heatmap, large or at a glance, and the steps by which each number of a map came about."""

from functools import cache
from typing import Any

import altair as alt
import numpy as np

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.equations.softmax import exponentials
from pages.charts.chart import Chart, finish, words
from pages.charts.heatmap import (
    ATTENTION_AXES,
    BY_COLUMN,
    BY_ROW,
    MASK,
    PRODUCTS,
    Layer,
    Look,
    cells,
    heatmap,
)
from pages.look.html import number

LONGEST = 46  # pixels of a word beside a map of one head
SCORE, SCALED = "score q · k", "÷ √dₖ"  # on the way to a weight
READ = 4  # products of those that add up to an entry are written


def attention_heatmap(
    attention: AttentionCache | Array, labels: list[str], *layers: Layer | bool, name: str, sentence: str
) -> Chart:
    """Return attention weights as a heatmap: a row for each query, a column for each key."""
    if isinstance(attention, AttentionCache):
        layers, attention = (*layers, steps_to(attention)), attention.weights
    return heatmap(attention, labels, labels, ATTENTION_AXES, *layers, name=name, sentence=sentence)


def head_map(weights: Array, labels: list[str], *, name: str, sentence: str, words_along: bool = False) -> Chart:
    """Return attention weights at a glance, beside those of other heads: without axes, or with `words_along` them."""
    i, j = (index.ravel().astype(np.int16) for index in np.indices(weights.shape))
    data = {"query": words(labels)[i], "key": words(labels)[j], "weight": weights.ravel(), "i": i, "j": j}
    return Chart(head_map_specification(words_along), data, sentence, name)


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
    for row in left.tolist():
        for column in right.T.tolist():
            told = [f"{number(a)} × {number(b)}" for a, b in zip(row, column, strict=True) if a and b]
            texts.append(" + ".join(told[:READ]) + " + …" * (len(told) > READ) or "0")
    return Layer({"steps": (PRODUCTS,)}, {PRODUCTS: words(texts)})


@cache
def head_map_specification(words_along: bool) -> dict[str, Any]:
    flat = alt.Scale(padding=0)
    across, down = alt.X("j:O", axis=None, scale=flat), alt.Y("i:O", axis=None, scale=flat)
    if words_along:  # each word names one position: `position_labels` makes them differ
        look: dict[str, Any] = {"title": None, "labelFontSize": 10, "labelLimit": LONGEST, "labelOverlap": False}
        axis = alt.Axis(orient="top", labelAngle=-90, labelAlign="left", labelBaseline="middle", **look)
        across = alt.X("key:N", sort=BY_COLUMN, axis=axis, scale=flat)
        down = alt.Y("query:N", sort=BY_ROW, axis=alt.Axis(**look), scale=flat)
    shown = cells(ATTENTION_AXES, Look(legend=False)).encode(across, down, strokeWidth=alt.StrokeWidthValue(0.5))
    return finish(shown, height=196 + (LONGEST if words_along else 0))
