"""Spans: a row for each step, with the positions that are computed, cached or left out."""

from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from pages.charts.chart import Chart, columns_of, either, finish, of_kind, themed, tips, words
from pages.look.colours import INK, PAPER, RULE, SOFT, WEIGHTS, Pair

Places = NDArray[np.integer[Any]]

NOW, KEPT, GONE = "computed now", "from the cache", "no longer read"
COLOURS: dict[str, Pair] = {NOW: WEIGHTS[4], KEPT: WEIGHTS[1], GONE: RULE}
HEIGHT = 256
NAMED = 16  # rows: more have no room for a name each
ROOM = 92  # pixels for the names at the right


def stretches(
    labels: list[str],
    first: Places,
    fresh: Places,
    stop: Places,
    *,
    n_rows: int,
    n_columns: int,
    boundary: int,
    name: str,
    sentence: str,
) -> Chart:
    """Return a row for each step, positions before `stop`: dropped before `first`, cached before `fresh`, then new.

    The frame has room for `n_rows` steps and `n_columns` positions, so that it stays while steps are added. A line is
    drawn after the first `boundary` positions.
    """
    every = max(1, n_rows // NAMED)
    rows: list[tuple[str, int, int, int, str, int]] = []
    for step, (gone, kept, end) in enumerate(zip(first.tolist(), fresh.tolist(), stop.tolist(), strict=True)):
        named = step % every == 0
        rows += [(GONE, 1, gone, step + 1, "", -1)] * (gone > 0)
        rows += [(KEPT, gone + 1, kept, step + 1, "", -1)] * (kept > gone)
        rows.append((NOW, kept + 1, end, step + 1, labels[step] if named else "", end - kept if named else -1))
    apart = 5 if n_columns <= 48 else 10
    rows += [("number", place, place, 0, "", -1) for place in (1, *range(apart, n_columns + 1, apart))]
    rows += [("column", place, place, 0, "", -1) for place in range(1, n_columns)]
    rows += [("row", row, row, 0, "", -1) for row in range(1, n_rows)]
    rows.append(("boundary", boundary, boundary, 0, "", len(labels)))
    columns = columns_of(rows, ["kind", "from", "to", "step", "label", "count"])
    numbers = {"new token": words(labels), KEPT: fresh - first, NOW: stop - fresh, GONE: first}
    return Chart(stretches_specification(n_rows, n_columns), columns, sentence, name, numbers)


@lru_cache(maxsize=64)
def stretches_specification(n_rows: int, n_columns: int) -> dict[str, Any]:
    along = alt.X(
        "left:Q",
        scale=alt.Scale(domain=[0.5, n_columns + 0.5], nice=False, zero=False, range=[0, alt.ExprRef(f"width-{ROOM}")]),
        axis=None,
    )
    down = alt.Y("top:Q", scale=alt.Scale(domain=[n_rows + 0.5, 0.5], nice=False, zero=False), axis=None)
    told = tips("kind:N what", "step:O new token", "from:O from position", "to:O to position")
    ends = {"left": "datum.from-0.5", "right": "datum.to+0.5", "top": "datum.step-0.5", "bottom": "datum.step+0.5"}
    whole = alt.Chart().transform_filter("datum.step>0").transform_calculate(**ends, middle="datum.step")
    edges = alt.Chart().transform_calculate(edge="datum.from+0.5")
    thin = 1 if n_columns <= 48 else 0.5
    gap: dict[str, Any] = {"color": themed(PAPER), "strokeWidth": thin, "aria": False, "tooltip": None}
    newest = whole.transform_filter(f"datum.kind=='{NOW}'")
    fill = f"datum.kind=='{NOW}'?{either(COLOURS[NOW])}:datum.kind=='{KEPT}'?{either(COLOURS[KEPT])}:{either(RULE)}"
    size = 13 if n_rows <= NAMED else 12
    layers = [
        whole.mark_rect(color=alt.ExprRef(fill)).encode(along, down, alt.X2("right"), alt.Y2("bottom"), tooltip=told),
        edges.transform_filter("datum.kind=='column'").mark_rule(**gap).encode(alt.X("edge:Q", axis=None)),
        edges.transform_filter("datum.kind=='row'").mark_rule(**gap).encode(alt.Y("edge:Q", axis=None)),
        newest.mark_text(align="left", dx=8, fontSize=size, color=themed(INK), limit=ROOM - 10, tooltip=None).encode(
            alt.X("right:Q", axis=None), alt.Y("middle:Q", axis=None), alt.Text("label:N")
        ),
        newest.transform_filter("datum.count>=0")
        .mark_text(align="right", dx=-8, fontSize=size, color=themed(SOFT), tooltip=None)
        .encode(alt.Y("middle:Q", axis=None), alt.Text("count:Q"), x=alt.XValue(0)),
        edges.transform_filter("datum.kind=='boundary'")
        .transform_calculate(start="0.5", end="datum.count+0.5")
        .mark_rule(color=themed(INK), strokeWidth=1.2, strokeDash=[4, 3], aria=False, tooltip=None)
        .encode(alt.X("edge:Q", axis=None), alt.Y("start:Q", axis=None), alt.Y2("end:Q")),
        of_kind("number")
        .mark_text(baseline="bottom", dy=-4, fontSize=12, color=themed(SOFT), tooltip=None)
        .encode(alt.X("from:Q", axis=None), alt.Text("from:Q"), y=alt.YValue(0)),
    ]
    return finish(*layers, height=HEIGHT)
