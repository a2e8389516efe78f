"""What every chart is, and the look that all have in common."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt
import altair.utils.schemapi
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_core.arrays import Array
from pages.look.colours import INK, PAPER, RULE, SCORES, SOFT, WEIGHTS, Pair
from pages.look.facts import ROUNDING

DRAWING = ["i", "j", "mark", "moved", "turn", "row", "place", "order", "lane", "highlight", "hidden", "between"]
LAST_RUNG = 1022
# an upright title
ABOVE: dict[str, Any] = {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "start", "titleX": 0, "titleY": -14}

altair.utils.schemapi.disable_debug_mode()  # half of the time of a chart: see `finish`

Columns = Mapping[str, NDArray[Any]]  # by name, all of one length


class Chart(NamedTuple):
    """A picture: its specification, the numbers it shows, a sentence that describes it, and a name for its file."""

    specification: dict[str, Any]  # shared by everybody: never written to
    columns: Columns  # the numbers that it draws
    sentence: str
    name: str
    numbers: Columns | Array | None = None  # where what it draws are not the numbers themselves but, say, a picture

    @property
    def data(self) -> pd.DataFrame:
        """What it draws, as a table."""
        return pd.DataFrame(self.columns)

    def sent(self) -> Any:
        """Return what it draws as it is sent, a NaN as null."""
        import pyarrow as pa  # a tenth of the work that pandas makes of it

        return pa.table({key: pa.array(column, from_pandas=True) for key, column in self.columns.items()})

    @property
    def table(self) -> pd.DataFrame:
        """The numbers as a table, without the columns that only the drawing needs."""
        return self.data.drop(columns=DRAWING, errors="ignore") if self.numbers is None else pd.DataFrame(self.numbers)


def columns_of(rows: Sequence[Sequence[Any]], names: Sequence[str]) -> dict[str, NDArray[Any]]:
    columns = ([row[place] for row in rows] for place in range(len(names)))
    return {
        name: words(column) if column and isinstance(column[0], str) else np.array(column)
        for name, column in zip(names, columns, strict=True)
    }


def words(texts: Sequence[str]) -> NDArray[np.object_]:
    return np.array(texts, dtype=object)


def of_kind(kind: str) -> alt.Chart:
    return alt.Chart().transform_filter(f"datum.kind=='{kind}'")


def tips(*fields: str) -> list[alt.Tooltip]:
    """Return what a pointer reads: of "loss:Q mean loss" the field under that title; numbers (Q) have four digits."""
    return [
        alt.Tooltip(name, title=title or alt.Undefined, format=".4f" if name.endswith(":Q") else alt.Undefined)
        for name, _, title in (field.partition(" ") for field in fields)
    ]


def x_of_numbers(field: str, low: float, high: float, title: str) -> alt.X:
    """Return an x axis over numbers, whose title stands at its end."""
    scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    return alt.X(field, scale=scale, axis=alt.Axis(title=title, titleAnchor="end", tickCount=6))


def themed(pair: Pair) -> alt.ExprRef:
    """Return an expression for the light colour on light paper and the dark one on dark."""
    return alt.ExprRef(either(pair))


def either(pair: Pair) -> str:
    return f"(luminance(background)<0.4?'{pair.dark}':'{pair.light}')"


def shades(limit: float | None, amounts: bool = False) -> alt.Scale:
    """Return the colours of weights from 0 to 1, or with a limit those of numbers around 0, or of amounts from 0 on."""
    ramp, domain = (WEIGHTS, [0.0, limit or 1.0]) if limit is None or amounts else (SCORES, [-limit, limit])
    return alt.Scale(domain=domain, range=[themed(pair) for pair in ramp], interpolate="rgb", clamp=True)


def rung(largest: float) -> float:
    """Return the smallest power of two, from 1 on, that is at least `largest`: a limit that seldom jumps.

    A number that rounding alone carries beyond a power of two does not count as beyond it. A scale from -limit to limit
    must have a finite length, so that the last one is below the largest floats.
    """
    if not 1 < largest < math.inf:
        return 1.0
    share, power = math.frexp(largest)
    return math.ldexp(1.0, min(power - (share < 0.5 + ROUNDING), LAST_RUNG))


def limit_of(values: Array, finest: int = 1) -> float:
    """Return an end of a scale that holds all values: a power of two, of which the least is 1 over `finest`."""
    return rung(finest * float(np.abs(values).max(initial=0))) / finest


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


def finish(*layers: alt.Chart, **size: int) -> dict[str, Any]:
    """Return layers in the look of the course as one specification without data.

    The first of a kind keeps a student waiting. So what only helps one who writes a chart is left out: Altair would
    validate each part against the schema, which the tests do, and copy every layer several times to put them together.
    """
    around = {"top_level": False, "data": alt.NamedData("numbers")}
    parts: list[dict[str, Any]] = [layer.to_dict(validate=False, context=around) for layer in layers]
    selections = list[dict[str, Any]]()
    for number, part in enumerate(parts):
        for selection in part.pop("params", []):  # Streamlit looks for them where Altair puts them: around the layers
            part["name"] = f"view_{number}"
            selections.append(selection | {"views": [part["name"]]})
    whole = {"$schema": alt.SCHEMA_URL, "layer": parts, "config": LOOK, "padding": PADDING}
    return whole | ({"params": selections} if selections else {}) | size


def drawable(chart: Chart, paper: str = PAPER.light, width: int | str = "container") -> dict[str, Any]:
    """Return a specification with its own data and paper, for a file that is opened elsewhere."""
    values = chart.data.to_dict("records")
    return {**chart.specification, "data": {"values": values}, "background": paper, "width": width}
