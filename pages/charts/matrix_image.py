"""Matrices with too many cells for one mark each: coloured here, and drawn as one image with real axes."""

from base64 import b64encode
from collections.abc import Sequence
from functools import cache, lru_cache
from io import BytesIO
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from attention_core.arrays import Array
from pages.charts.chart import Chart, finish, shades, themed, words
from pages.charts.heatmap import Axes, above_columns, above_rows, ramp
from pages.look.colours import HEADS, INK, PAPER, SCORES, WEIGHTS, mix

DARK = "luminance(background)<0.4"


def matrix_picture(
    values: Array,
    axes: Axes,
    *,
    limit: float | None,
    name: str,
    sentence: str,
    height: int = 320,
    first: int = 0,
    blocks: int = 1,
    chosen: int | None = None,
    bands: int = 1,
    rows: Sequence[str] = (),
) -> Chart:
    """Return a matrix as a picture, row 0 at the top. Without a limit its numbers are weights, with one around 0.

    The colours come in 256 steps; light and dark paper share the steps and differ in the palette. Rows and columns are
    counted from `first`, unless the `rows` have names. Lines part the columns into `blocks` of equal width, and the
    rows into `bands`, each with its number and the colour of its head beside it. The `chosen` block is outlined.
    """
    shares = values if limit is None else (values / limit + 1) / 2
    shares = np.nan_to_num(np.clip(shares, 0, 1), nan=0.0 if limit is None else 0.5)
    steps = np.rint(shares * 255).astype(np.uint8)
    if limit is not None:  # the middle of a negative cell is empty, for those who see no colours
        negative, steps = values < 0, steps.repeat(3, 0).repeat(3, 1)
        steps[1::3, 1::3][negative] = 128
    light, dark = (address(png(steps, palette)) for palette in palettes(limit is None))
    n_rows, n_columns = values.shape
    edge = first - 0.5
    row = {"left": edge, "right": edge + n_columns, "top": edge, "bottom": edge + n_rows, "middle": 0.0}
    row |= {"light": light, "dark": dark}
    if chosen is not None:
        row["from"], row["to"] = (edge + n_columns / blocks * end for end in (chosen, chosen + 1))
    look = limit, height, first, (blocks, bands), chosen is not None, bool(rows)
    columns = {key: np.array([value, *[type(value)()] * len(rows)]) for key, value in row.items()}
    if rows:  # the picture, then the name of each row and where it stands
        columns |= {"label": words(["", *rows]), "at": np.arange(-1.0, n_rows) + first}
    return Chart(picture_specification(values.shape, axes, *look), columns, sentence, name, values)


@cache
def palettes(shared: bool) -> tuple[bytes, bytes]:
    """Return 256 colours along a ramp, three bytes each, for light paper and for dark."""
    pairs = [mix(WEIGHTS if shared else SCORES, step / 255) for step in range(256)]
    light, dark = (bytes.fromhex("".join(colour[1:] for colour in colours)) for colours in zip(*pairs, strict=True))
    return light, dark


def png(steps: NDArray[np.uint8], palette: bytes) -> bytes:
    image, file = Image.fromarray(steps if steps.size else np.zeros((1, 1), np.uint8)), BytesIO()
    image.putpalette(palette)
    image.save(file, "PNG")
    return file.getvalue()


def address(image: bytes) -> str:
    return "data:image/png;base64," + b64encode(image).decode()


@lru_cache(maxsize=64)
def picture_specification(
    shape: tuple[int, ...],
    axes: Axes,
    limit: float | None,
    height: int,
    first: int,
    heads: tuple[int, int],
    outlined: bool,
    named: bool,
) -> dict[str, Any]:
    (n_rows, n_columns), (blocks, bands), edge = shape, heads, first - 0.5
    numbers: dict[str, Any] = {"labels": False, "ticks": False} if named else {}
    once = alt.Chart().transform_filter("datum.label===''") if named else alt.Chart()
    counted: dict[str, Any] = {"tickMinStep": 1}  # rows and columns are counted in whole numbers
    across = alt.Scale(domain=[edge, edge + n_columns], nice=False, zero=False)
    downward = alt.Scale(domain=[edge + n_rows, edge], nice=False, zero=False)
    along = alt.X("left:Q", scale=across, axis=alt.Axis(**above_columns(axes), **counted))
    down = alt.Y("top:Q", scale=downward, axis=alt.Axis(**above_rows(axes), **counted, **numbers))
    told: dict[str, Any] = {} if limit is None else {"title": "hollow: negative", "titleFontSize": 11}
    legend = ramp(limit, gradientLength=120, offset=10 if blocks == 1 else 36, **told)
    url = alt.ExprRef(f"{DARK}?datum.dark:datum.light")
    layers = [
        once.mark_image(aspect=False, smooth=False, url=url, tooltip=None).encode(
            along, down, alt.X2("right"), alt.Y2("bottom")
        ),
        # without a mark that anybody sees: it carries the legend
        once.mark_point(size=0, opacity=1, tooltip=None).encode(
            alt.Color("middle:Q", scale=shades(limit), legend=legend)
        ),
    ]
    if named:
        name = alt.Chart().transform_filter("datum.label!==''")
        name = name.mark_text(align="right", fontSize=13, limit=90, color=themed(INK), tooltip=None)
        layers.append(name.encode(alt.Y("at:Q"), alt.Text("label:N"), x=alt.XValue(-8)))
    layers += head_parts(edge, n_columns, blocks, "x") + head_parts(edge, n_rows, bands, "y")
    if outlined:
        for pair, width in ((PAPER, 6), (INK, 2.5)):
            frame = once.mark_rect(
                fill=None, stroke=themed(pair), strokeWidth=width, cornerRadius=2, aria=False, tooltip=None
            )
            ends: dict[str, Any] = {"y": alt.YValue(0), "y2": alt.Y2Value("height")}
            layers.append(frame.encode(alt.X("from:Q"), alt.X2("to"), **ends))
    return finish(*layers, height=height)


def head_parts(edge: float, length: int, n_heads: int, along: str) -> list[alt.Chart]:
    """Return lines between the columns or rows of each head, and below or beside them its stripe and its number."""
    layers, columns = [], along == "x"
    quiet: dict[str, Any] = {"aria": False, "tooltip": None}
    start, stop = (alt.XDatum, alt.X2Datum) if columns else (alt.YDatum, alt.Y2Datum)
    value, end = (alt.YValue, alt.Y2Value) if columns else (alt.XValue, alt.X2Value)
    aside, edge_of = ("y", "height") if columns else ("x", "width")
    ends: dict[str, Any] = {aside: value(alt.ExprRef(f"{edge_of}+4")), f"{aside}2": end(alt.ExprRef(f"{edge_of}+12"))}
    for head in range(n_heads if n_heads > 1 else 0):
        first, last = (edge + length / n_heads * place for place in (head, head + 1))
        stripe = alt.Chart().mark_rect(color=themed(HEADS[head % len(HEADS)]), **quiet)
        layers.append(stripe.encode(**{along: start(first), f"{along}2": stop(last)}, **ends))
        look: dict[str, Any] = {} if columns else {"align": "left"}
        name = alt.Chart().mark_text(text=str(head + 1), fontSize=13, color=themed(INK), tooltip=None, **look)
        beside = value(alt.ExprRef(f"{edge_of}+{22 if columns else 18}"))
        layers.append(name.encode(**{along: start((first + last) / 2), aside: beside}))
        if head:
            line = alt.Chart().mark_rule(color=themed(PAPER), strokeWidth=3, **quiet)
            layers.append(line.encode(**{along: start(first)}))
    return layers
