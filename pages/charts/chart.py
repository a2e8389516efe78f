"""What every chart is, and the look that all have in common."""

import math
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pages.look.colours import INK, PAPER, RULE, SCORES, SOFT, WEIGHTS, Pair

Array = NDArray[np.floating[Any]]

DRAWING = ["i", "j", "mark", "moved", "turn", "row", "place", "order", "lane", "highlight", "hidden"]
LAST_RUNG = 1022
ABOVE = {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "start", "titleX": 0, "titleY": -14}  # an upright title


class Chart(NamedTuple):
    """A picture: how it is drawn, the numbers it shows, what it says in words, and a name for its file."""

    specification: dict[str, Any]  # shared by everybody: never written to
    data: pd.DataFrame
    sentence: str
    name: str
    numbers: pd.DataFrame | None = None  # where the data are not the numbers themselves but, say, a picture of them

    @property
    def table(self) -> pd.DataFrame:
        """The numbers as a table, without what only the drawing needs."""
        return self.data.drop(columns=DRAWING, errors="ignore") if self.numbers is None else self.numbers


def themed(pair: Pair) -> alt.ExprRef:
    """Return an expression that is the light colour on light paper and the dark one on dark."""
    return alt.ExprRef(either(pair))


def either(pair: Pair) -> str:
    """Return the text of that expression."""
    return f"(luminance(background)<0.4?'{pair.dark}':'{pair.light}')"


def shades(limit: float | None, amounts: bool = False) -> alt.Scale:
    """Return the colours of shares from 0 to 1, or with a limit those of numbers around 0, or of amounts from 0 on."""
    ramp, domain = (WEIGHTS, [0.0, limit or 1.0]) if limit is None or amounts else (SCORES, [-limit, limit])
    return alt.Scale(domain=domain, range=[themed(pair) for pair in ramp], interpolate="rgb", clamp=True)


def rung(largest: float) -> float:
    """Return the smallest of 1, 2, 4, 8, ... that holds a number: a limit that seldom jumps.

    A scale from -limit to limit must itself have a length, so that the last rung is below the largest numbers.
    """
    if not 1 < largest < math.inf:
        return 1.0
    share, power = math.frexp(largest)
    return math.ldexp(1.0, min(power - (share == 0.5), LAST_RUNG))


LOOK: dict[str, Any] = alt.Config(
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
        gridColor=themed(RULE),
        labelFlush=False,
        labelPadding=6,
        titlePadding=8,
    ),
    legend=alt.LegendConfig(labelFontSize=11, labelColor=themed(SOFT), titleColor=themed(SOFT)),
).to_dict()
PADDING = {"left": 0, "right": 2, "top": 2, "bottom": 4}


def finished(chart: alt.Chart | alt.LayerChart, **size: int) -> dict[str, Any]:
    """Return a chart of a size, in the look of the course, as a specification that still waits for its data.

    Altair would hold it against the schema of Vega-Lite, which takes most of the time; the tests do that.
    """
    specification: dict[str, Any] = chart.to_dict(validate=False)
    del specification["data"]
    return specification | {"config": LOOK, "padding": PADDING} | size


def drawable(chart: Chart, paper: str = PAPER.light, width: int | str = "container") -> dict[str, Any]:
    """Return a specification that holds its own data and paper, for a file that is opened elsewhere."""
    values = chart.data.to_dict("records")
    return {**chart.specification, "data": {"values": values}, "background": paper, "width": width}
