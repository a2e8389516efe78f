"""Lines: what grows or falls along an axis, each line named where it ends."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import altair as alt
import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array
from pages.charts.chart import ABOVE, Chart, Columns, finish, of_kind, themed, words
from pages.look.colours import ATTENTION, HEADS, INK, SOFT, Pair
from pages.look.facts import ordered

Range = tuple[float, float]

BASE_2: dict[str, Any] = {"type": "log", "base": 2}
APART = 0.085  # of the axis of a picture of the usual height: the least distance between two names at the line ends
MOST_TICKS, FEW_TICKS = 12, 4  # intervals of an axis by powers of two: above, every power; else about so many
USUAL_HEIGHT, AXES_HEIGHT = 250, 70  # pixels: of a picture, and of what stands above and below its axis


class LineAxes(NamedTuple):
    """The axes of lines: their titles and ends, and whether they go by powers of two."""

    x_title: str
    y_title: str
    x_domain: Range
    y_domain: Range = (0, 1)
    log_x: bool = False
    log_y: bool = False


class LineLook(NamedTuple):
    """What changes the specification of lines, and not only their data."""

    axes: LineAxes
    names: tuple[str, ...]  # of the lines, then of the baselines
    colours: tuple[Pair, ...]  # one for each name
    n_lines: int
    banded: bool
    theory: bool
    here: bool
    dots: bool
    whole_x: bool
    height: int


def line_chart(
    x: Array | NDArray[np.integer[Any]],
    series: dict[str, Array],
    *,
    name: str,
    sentence: str,
    band: dict[str, tuple[Array, Array]] | None = None,
    baselines: dict[str, float] | None = None,
    theory: Sequence[Array] = (),
    here: float | None = None,
    dots: bool = False,
    colours: tuple[Pair, ...] | None = None,
    number: str = "z.2f",
    height: int = 250,
    called: dict[str, str] | None = None,
    **axes: Any,
) -> Chart:
    """Return lines over `LineAxes`, the first on top, some in a band, and dashed baselines.

    Where a series is not a finite number it has no point. `number` is the format of the last values that follow the
    names, "" writes the names alone. Lines of a theory are drawn dashed, on top and without a name; `here` marks a
    place on the x axis; `dots` shows the points of the first line. Whole numbers along x have no ticks between them.
    Names that change with a student's words are `called` so at the line ends; the specification keeps to the others.
    """
    first, last = (float(x[0]), float(x[-1])) if len(x) else (0.0, 0.0)
    frame = LineAxes(**{"x_domain": (first, last if last > first else first + 1), **axes})
    band, baselines = band or {}, baselines or {}
    ends = baselines | {key: y[np.isfinite(y)][-1] for key, y in series.items() if np.isfinite(y).any()}
    names = {key: key for key in ends} | (called or {})
    labels = [
        names[key] + (f" {format(value, number).replace('-', '−')}" if number else "") for key, value in ends.items()
    ]
    apart = APART * max(1, (USUAL_HEIGHT - AXES_HEIGHT) / (height - AXES_HEIGHT))
    parts = points(x, series, band)
    parts.append(line_ends(ends, labels, frame, apart))
    parts += [part("theory", [f"theory {i}"], x, y) for i, y in enumerate(theory, start=1)]
    if here is not None:
        parts.append(part("here", ["here"], np.array([float(here)]), np.array([frame.y_domain[0]])))
    data = {key: np.concatenate([piece[key] for piece in parts]) for key in parts[0]}
    look = LineLook(
        frame,
        names=(*series, *baselines),
        colours=(*(colours or line_colours(len(series))), *[SOFT] * len(baselines)),
        n_lines=len(series),
        banded=bool(band),
        theory=len(theory) > 0,
        here=here is not None,
        dots=dots,
        whole_x=np.issubdtype(np.asarray(x).dtype, np.integer),
        height=height,
    )
    return Chart(line_specification(look), data, sentence, name)


def points(
    x: Array | NDArray[np.integer[Any]], series: dict[str, Array], band: dict[str, tuple[Array, Array]]
) -> list[Columns]:
    """Return the points of all lines, the first line last, because what comes last is drawn on top."""
    parts = list[Columns]()
    for key, y in reversed(series.items()):
        low, high = band.get(key, (y, y))
        kept = np.isfinite(y)
        parts.append(part("line", [key], x[kept], y[kept], low[kept], high[kept]))
    return parts


def line_ends(ends: dict[str, float], labels: list[str], axes: LineAxes, apart: float) -> Columns:
    """Return where the names of the lines stand, pushed apart and clear of the numbers below the axis."""
    values = np.array(list(ends.values()), dtype=float)
    low, high = np.log2(axes.y_domain) if axes.log_y else axes.y_domain
    gap = apart * (high - low)
    places = spread(np.log2(values) if axes.log_y else values, gap, low + gap / 3, high)
    at = np.full(len(values), float(axes.x_domain[1]))
    places = np.exp2(places) if axes.log_y else places
    return part("end", list(ends), at, values) | {"place": places, "label": words(labels)}


def part(
    kind: str, series: list[str], x: NDArray[Any], y: Array, low: Array | None = None, high: Array | None = None
) -> dict[str, NDArray[Any]]:
    """Return one part of what is drawn, at points that lie where they are and have no label."""
    n = len(x)
    low, high = (y if edge is None else np.where(np.isnan(edge), y, edge) for edge in (low, high))
    columns = {"x": x, "value": y, "low": low, "high": high, "place": y, "label": words([""] * n)}
    return {"kind": words([kind] * n), "series": words(series * n if len(series) == 1 else series)} | columns


def line_colours(n_series: int) -> tuple[Pair, ...]:
    """Return a colour for each line: beyond four, only the first has one."""
    if n_series <= 2:
        return (ATTENTION, INK)[:n_series]
    return tuple(HEADS[:n_series]) if n_series <= 4 else (ATTENTION, *[SOFT] * (n_series - 1))


def spread(places: Array, gap: float, low: float, high: float) -> Array:
    """Return places at least `gap` apart, moved as little as possible, within the limits if they fit."""
    order = ordered(-places, 9)
    ladder = gap * np.arange(len(places))
    blocks: list[tuple[float, int]] = []  # where neighbours would meet they move together: mean place, how many
    for block in zip(places[order] - ladder, np.ones(len(places), int), strict=True):
        while blocks and blocks[-1][0] >= block[0]:
            place, count = blocks.pop()
            total = count + block[1]
            block = ((place * count + block[0] * block[1]) / total, total)
        blocks.append(block)
    moved = np.empty(len(places))
    together = [place for place, count in blocks for _ in range(count)]
    moved[order] = np.clip(together, low, max(low, high - gap * (len(places) - 1))) + ladder
    return moved


@lru_cache(maxsize=64)
def line_specification(look: LineLook) -> dict[str, Any]:
    axes, names = look.axes, look.names
    scale = alt.Scale(domain=axes.y_domain, nice=False, **(BASE_2 if axes.log_y else {"zero": False}))
    along, up = x_axis(axes, look.whole_x), y_axis(axes, scale)
    hues = alt.Scale(domain=names, range=[themed(pair) for pair in look.colours])
    widths = alt.Scale(type="ordinal", domain=names, range=[1.2 if pair == SOFT else 2 for pair in look.colours])
    colour = alt.Color("series:N", scale=hues, legend=None)
    width = alt.StrokeWidth("series:O", scale=widths, legend=None)
    tips = [
        alt.Tooltip("series:N", title="line"),
        alt.Tooltip("x:Q", title=axes.x_title, format=".6~g"),
        alt.Tooltip("value:Q", title=axes.y_title, format=".4f"),
    ]
    lines, ends = of_kind("line"), of_kind("end")
    baselines = alt.FieldOneOfPredicate("series", list(names[look.n_lines :]))
    dashed = ends.transform_filter(baselines).mark_rule(strokeDash=[4, 4], tooltip=None)
    area = lines.mark_area(opacity=0.2, clip=True, tooltip=None)
    marker = of_kind("here").mark_rule(color=themed(SOFT), tooltip=None, aria=False)
    dashes = of_kind("theory").mark_line(color=themed(INK), strokeWidth=1.2, strokeDash=[4, 4], clip=True, tooltip=None)
    first = lines.transform_filter(alt.FieldEqualPredicate(field="series", equal=names[0] if names else ""))
    inside = f"inrange(datum.x,{[*map(float, axes.x_domain)]})&&inrange(datum.value,{[*map(float, axes.y_domain)]})"
    shown = first.transform_filter(inside)  # not clipped, so that a dot on an axis is whole
    layers = [
        *([marker.encode(along)] if look.here else []),
        *([dashed.encode(up, colour, width)] if len(names) > look.n_lines else []),  # an empty layer would have no name
        *([area.encode(along, alt.Y("low:Q", scale=scale), alt.Y2("high"), colour)] if look.banded else []),
        lines.mark_line(strokeJoin="round", clip=True, tooltip=None).encode(along, up, colour, width),
        *([dashes.encode(along, up, alt.Detail("series:N"))] if look.theory else []),
        *([shown.mark_circle(size=45, opacity=1, tooltip=None).encode(along, up, colour)] if look.dots else []),
        lines.mark_circle(size=150, opacity=0, clip=True).encode(along, up, colour, tooltip=tips),
        ends.mark_text(align="left", dx=8, fontSize=13, tooltip=None).encode(
            alt.Y("place:Q", scale=scale), alt.Text("label:N"), colour, x=alt.XValue("width")
        ),
    ]
    return finish(*layers, height=look.height)


def x_axis(axes: LineAxes, whole: bool) -> alt.X:
    """Return the x axis; `whole` numbers have no ticks between them."""
    ticks: dict[str, Any] = {"values": powers_of_two(*axes.x_domain)} if axes.log_x else {"tickCount": 6}
    ticks |= {"tickMinStep": 1} if whole and not axes.log_x else {}
    ticks |= {"format": ".2~g"} if axes.log_x and 100 * axes.x_domain[0] < 1 else {}
    return alt.X(
        "x:Q",
        scale=alt.Scale(domain=axes.x_domain, nice=False, **(BASE_2 if axes.log_x else {})),
        axis=alt.Axis(title=axes.x_title, titleAnchor="end", labelOverlap="greedy", **ticks),
    )


def y_axis(axes: LineAxes, scale: alt.Scale) -> alt.Y:
    ticks: dict[str, Any] = {"tickCount": 4}
    if axes.log_y:
        fraction = "datum.value < 1 ? '1/' + format(1 / datum.value, '~g') : format(datum.value, '.3~g')"
        low, high = axes.y_domain
        ticks = {"values": [8.0**k for k in range(-9, 10) if low <= 8.0**k <= high], "labelExpr": fraction}
    return alt.Y("value:Q", scale=scale, axis=alt.Axis(title=axes.y_title, grid=True, **ticks, **ABOVE))


def powers_of_two(low: float, high: float) -> list[float]:
    """Return the powers of two from low to high; of many, some at equal distances, so that all their names fit."""
    first, last = int(np.ceil(np.log2(low))), int(np.floor(np.log2(high)))
    every = -(-(last - first) // FEW_TICKS) if last - first > MOST_TICKS else 1
    return [2.0**k for k in range(first, last + 1, every)]
