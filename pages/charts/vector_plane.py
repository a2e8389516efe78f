"""Planes: vectors with two numbers, drawn as arrows over a grid whose two scales are equal."""

from functools import lru_cache
from typing import Any, NamedTuple

import altair as alt
import numpy as np

from attention_core.arrays import Array
from pages.charts.chart import Chart, columns_of, either, finish, of_kind, themed, tips
from pages.look.colours import ATTENTION, INK, KEY, PAPER, QUERY, RULE, SOFT, VALUE
from pages.look.facts import as_shown

ROLES = {"query": QUERY, "key": KEY, "value": VALUE, "output": ATTENTION, "attention": ATTENTION, "ink": INK}
SIDE = 340  # pixels: fits the width of a phone
SMALL = 230  # of one of three side by side


class Vector(NamedTuple):
    """A vector with two numbers, what stands at its tip, and the role that gives it its colour."""

    x: float
    y: float
    label: str
    role: str = "ink"


def plane(
    arrows: list[Vector],
    *,
    limit: float,
    name: str,
    sentence: str,
    points: list[Vector] | None = None,
    polygon: Array | None = None,
    small: bool = False,
) -> Chart:
    """Return arrows from the origin, points, and the convex hull of the polygon's rows, from -limit to limit."""
    corners = [] if polygon is None else [Vector(x, y, "", "value") for x, y in hull(polygon)]
    kinds = {"arrow": arrows, "point": points or [], "polygon": corners}
    rows = [(kind, order, *vector) for kind, vectors in kinds.items() for order, vector in enumerate(vectors)]
    columns = columns_of(rows, ["kind", "order", *Vector._fields])
    columns["side"] = np.array([*sides(arrows, limit), *[0] * (len(rows) - len(arrows))])
    return Chart(plane_specification(limit, SMALL if small else SIDE), columns, sentence, name)


def reach(*vectors: Array) -> float:
    """Return the smallest of 1, 1.5, 2, 3, 4, 6, ... that holds all vectors, however they are turned."""
    longest = 1.1 * max(float(np.sqrt((rows**2).sum(axis=-1)).max(initial=0)) for rows in vectors)
    steps = (step for power in range(40) for step in (2.0**power, 1.5 * 2.0**power))
    return next(step for step in steps if not step < min(longest, 1e11))  # the first where they are NaN


def sides(arrows: list[Vector], limit: float) -> list[int]:
    """Return for each arrow where its name stands: at the left (−1) or right (1) of a tip beside it, else 0."""
    found = []
    arrows = [arrow._replace(x=float(as_shown(arrow.x, 4)), y=float(as_shown(arrow.y, 4))) for arrow in arrows]
    for arrow in arrows:
        others = [other for other in arrows if other.label and other is not arrow]
        near = [
            other.x for other in others if abs(other.x - arrow.x) < limit / 3 and abs(other.y - arrow.y) < limit / 9
        ]
        above = abs(arrow.x) < 0.3 * np.hypot(arrow.x, arrow.y)  # where the name would stand over the tip
        found.append(int(np.sign(arrow.x - np.mean(near))) if near and above else 0)
    return found


def hull(points: Array) -> list[tuple[float, float]]:
    """Return the corners of the convex hull, counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return ordered
    return chain(ordered)[:-1] + chain(ordered[::-1])[:-1]


def chain(ordered: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return one chain of the hull: the points left when no turn is to the right."""
    kept: list[tuple[float, float]] = []
    for x, y in ordered:
        while len(kept) > 1 and cross(kept[-2], kept[-1], (x, y)) <= 0:
            kept.pop()
        kept.append((x, y))
    return kept


def cross(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Return twice the signed area of a triangle, positive counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@lru_cache(maxsize=64)
def plane_specification(limit: float, size: int) -> dict[str, Any]:
    side = "min(width,height)"  # equal scales in a container of any shape
    ticks = [limit * share for share in (-1, -0.5, 0, 0.5, 1)]
    across = alt.Scale(domain=[-limit, limit], range=[0, alt.ExprRef(side)], nice=False)
    upward = alt.Scale(domain=[-limit, limit], range=[alt.ExprRef("height"), alt.ExprRef(f"height-{side}")], nice=False)
    # with no precision of its own, Vega takes one from the distance of the ticks, and writes 1.5 as 2
    axis = alt.Axis(title=None, values=ticks, format=".4~g", labelColor=themed(SOFT), labelFontSize=12)
    x, y = alt.X("x:Q", scale=across, axis=axis), alt.Y("y:Q", scale=upward, axis=axis)
    hues = alt.Scale(domain=list(ROLES), range=[themed(pair) for pair in ROLES.values()])
    colour = alt.Color("role:N", scale=hues, legend=None)
    told = tips("label:N", "x:Q", "y:Q")

    arrows = of_kind("arrow").transform_calculate(far="hypot(datum.x,datum.y)").transform_filter("datum.far>0")
    stem = f"max(0,1-{2 * limit * 8 / size}/datum.far)"  # it ends inside the head, so that the tip stays sharp
    stems = arrows.transform_calculate(stem_x=f"datum.x*{stem}", stem_y=f"datum.y*{stem}").mark_rule(strokeWidth=2.5)
    turn = alt.ExprRef("atan2(datum.x,datum.y)*180/PI")
    heads = arrows.mark_point(filled=True, opacity=1, size=500, shape="M0,0L-.42,1L.42,1Z", angle=turn)
    circles = of_kind("point").mark_circle(aria=False, size=110, opacity=1, stroke=themed(PAPER), strokeWidth=1.5)
    line: dict[str, Any] = {
        "stroke": themed(VALUE),
        "strokeOpacity": 0.5,
        "strokeWidth": 1,
        "interpolate": "linear-closed",
    }
    filled: dict[str, Any] = {
        "filled": True,
        "fill": themed(VALUE),
        "fillOpacity": 0.14,
        "aria": False,
        "tooltip": None,
    }
    layers = [
        *grid(limit, across, upward),
        of_kind("polygon").mark_line(**line, **filled).encode(x, y, alt.Order("order:Q")),
        stems.encode(
            alt.X("stem_x:Q", scale=across, axis=axis),
            alt.Y("stem_y:Q", scale=upward, axis=axis),
            colour,
            x2=alt.X2Datum(0),
            y2=alt.Y2Datum(0),
            tooltip=told,
        ),
        heads.encode(x, y, colour, tooltip=told),
        circles.encode(x, y, colour, tooltip=told),
        # under each name a halo, over what lies below
        names(aria=False, stroke=themed(PAPER), strokeWidth=8, strokeJoin="round").encode(x, y, colour),
        names().encode(x, y, colour),
    ]
    return finish(*layers, width=size, height=size)


def names(**marks: Any) -> alt.Chart:
    """Return the layer of names: beyond the tips of arrows, to the right of points."""
    arrow = "datum.kind=='arrow'"
    place: dict[str, Any] = {
        "align": alt.ExprRef(
            f"!({arrow})||datum.side>0||datum.x>0.3*datum.far?'left'"
            ":datum.side<0||datum.x<-0.3*datum.far?'right':'center'"
        ),
        "dx": alt.ExprRef(f"{arrow}?7*datum.x/datum.far+5*datum.side:10"),
        "dy": alt.ExprRef(f"{arrow}?-11*datum.y/datum.far:0"),
    }
    named = alt.Chart().transform_filter("datum.label!=''").transform_calculate(far="max(hypot(datum.x,datum.y),1e-9)")
    return named.mark_text(fontSize=14, fontWeight=600, tooltip=None, **place, **marks).encode(alt.Text("label:N"))


def grid(limit: float, across: alt.Scale, upward: alt.Scale) -> list[alt.Chart]:
    """Return the layer of grid lines at each quarter of the limit, and the two axes."""
    colour = alt.ExprRef(f"abs(datum.at)<{limit / 8}?{either(SOFT)}:{either(RULE)}")
    lines = alt.Chart(alt.sequence(-limit, limit * 1.01, limit / 4, as_="at")).mark_rule(color=colour, tooltip=None)
    return [
        lines.encode(alt.X("at:Q", scale=across), y=alt.YDatum(-limit), y2=alt.Y2Datum(limit)),
        lines.encode(alt.Y("at:Q", scale=upward), x=alt.XDatum(-limit), x2=alt.X2Datum(limit)),
    ]
