"""Histograms: how many of many draws fall where, and where a theory says they should."""

from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np

from attention_core.arrays import Array
from pages.charts.chart import ABOVE, Chart, finish, of_kind, themed, tips, words, x_of_numbers
from pages.look.colours import INK, PAPER, WEIGHTS


def histogram(
    values: Array,
    *,
    low: float,
    high: float,
    n_bins: int,
    y_max: float,
    x_title: str,
    name: str,
    sentence: str,
    y_title: str = "fraction of values",
    theory: tuple[Array, Array] | None = None,
) -> Chart:
    """Return the fraction of the values in each bin; values outside count into the bin at that end.

    `theory` is a curve: places and probability densities. Both axes keep the limits given.
    """
    edges = np.linspace(low, high, n_bins + 1)
    counts, _ = np.histogram(np.clip(values, low, high), edges)
    fractions = counts / max(np.size(values), 1)
    parts = {"kind": words(["bin"] * n_bins), "start": edges[:-1], "end": edges[1:], "fraction": fractions}
    if theory is not None:
        at, density = theory
        shares = density * (high - low) / n_bins
        curve = {"kind": words(["theory"] * len(at)), "start": at, "end": at, "fraction": shares}
        parts = {key: np.concatenate([column, curve[key]]) for key, column in parts.items()}
    drawn = histogram_specification(low, high, y_max, x_title, y_title, theory is not None)
    return Chart(drawn, parts, sentence, name)


@lru_cache(maxsize=64)
def histogram_specification(
    low: float, high: float, y_max: float, x_title: str, y_title: str, has_theory: bool
) -> dict[str, Any]:
    along = x_of_numbers("start:Q", low, high, x_title)
    axis = alt.Axis(title=y_title, grid=True, tickCount=4, format=".3~%", **ABOVE)
    up = alt.Y("fraction:Q", scale=alt.Scale(domain=[0, y_max], nice=False), axis=axis)
    bins = of_kind("bin").mark_rect(color=themed(WEIGHTS[3]), stroke=themed(PAPER), strokeWidth=0.5, clip=True)
    told = tips("start:Q from", "end:Q to", f"fraction:Q {y_title}")
    layers = [bins.encode(along, up, alt.X2("end"), y2=alt.Y2Datum(0), tooltip=told)]
    if has_theory:  # an empty layer would have no name
        curve = of_kind("theory").mark_line(color=themed(INK), strokeWidth=2, clip=True, tooltip=None)
        layers.append(curve.encode(along, up))
    return finish(*layers, height=250)
