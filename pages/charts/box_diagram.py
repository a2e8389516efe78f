"""A diagram: boxes below each other with arrows between, some inside a frame, and paths that lead past boxes."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import altair as alt
import numpy as np

from pages.charts.chart import Chart, Columns, columns_of, finish, of_kind, themed, tips
from pages.look.colours import ATTENTION, CARD, INK, PAPER, RULE, SOFT

BOX, GAP, MORE = 24, 12, 11  # pixels: the height of a box, of the arrow to the next, and of a frame's edge
LABEL = 8  # more pixels below a frame, where its label stands
NAMED = 140  # pixels from the left that a name may take
INSET, PAST = 16, 44  # pixels left free at the sides of the boxes; at the right a path leads past some


class Path(NamedTuple):
    """A path past some boxes: it leaves the arrow above one and joins the arrow above another."""

    above: int  # this box
    to: int


class Frame(NamedTuple):
    first: int
    last: int
    label: str


def diagram(
    names: Sequence[str],
    notes: Sequence[str],
    amounts: Sequence[int],
    *,
    paths: Sequence[Path] = (),
    frame: Frame | None = None,
    chosen: int,
    name: str,
    sentence: str,
    numbers: Columns | None = None,
) -> Chart:
    """Return boxes, each with a name, a note and an amount, of which it is filled as far; a click chooses one."""
    rows = np.arange(len(names))
    top = rows * (BOX + GAP) + GAP
    if frame is not None:
        top = top + MORE * (rows >= frame.first) + (MORE + LABEL) * (rows > frame.last)
    above = [0, *(top + BOX + GAP / 2)]  # where the arrow to each box starts
    most, written = max([1, *amounts]), [f"{amount:,}" if amount else "–" for amount in amounts]
    boxes = [
        (*said, "box", top[row], top[row] + BOX, above[row], 4 * (row == chosen), row, 0, amounts[row] / most)
        for row, said in enumerate(zip(names, notes, written, strict=True))
    ]
    others = [
        ("", "", "", "path", top[path.above] - GAP / 2, top[path.to] + BOX / 2, math.nan, -1, -1, -1, 0.0)
        for path in paths
    ]
    if frame is not None:
        ends = top[frame.first] - MORE, top[frame.last] + BOX + MORE
        others.append(("", "", frame.label, "frame", *ends, math.nan, -1, -1, -1, 0.0))
    columns = columns_of(
        [*boxes, *others], ["name", "note", "amount", "kind", "top", "bottom", "arrow", "mark", "i", "j", "share"]
    )
    columns |= {name: columns[name].astype(np.int16) for name in ("mark", "i", "j")}
    return Chart(diagram_specification(len(names)), columns, sentence, name, numbers)


@lru_cache(maxsize=16)
def diagram_specification(n_boxes: int) -> dict[str, Any]:
    height = n_boxes * (BOX + GAP) + GAP + 2 * MORE + LABEL
    scale = alt.Scale(domain=[0, height], range=[0, height], nice=False, zero=False)
    top, bottom = alt.Y("top:Q", scale=scale, axis=None), alt.Y2("bottom")
    middle = alt.Y("middle:Q", scale=scale, axis=None)
    right = f"width-{PAST}"
    sides: dict[str, Any] = {"x": alt.XValue(INSET), "x2": alt.X2Value(alt.ExprRef(right))}
    boxes, paths, frames = map(of_kind, ("box", "path", "frame"))
    quiet: dict[str, Any] = {"aria": False, "tooltip": None}
    centred = boxes.transform_calculate(middle="(datum.top+datum.bottom)/2")
    text: dict[str, Any] = {"baseline": "middle", "cursor": "pointer", "tooltip": None, "aria": False}
    arrows = boxes.transform_filter("datum.i>0").transform_calculate(middle="datum.arrow")
    line = paths.mark_rule(color=themed(ATTENTION), strokeWidth=1.5, **quiet)
    outer = f"width-{PAST / 2}"
    layers = [
        frames.mark_rect(fill=themed(PAPER), stroke=themed(RULE), strokeWidth=1.5, cornerRadius=8, **quiet).encode(
            top, bottom, x=alt.XValue(0), x2=alt.X2Value(alt.ExprRef("width"))
        ),
        frames.mark_text(align="right", baseline="top", dy=3, fontSize=12, color=themed(SOFT), **quiet).encode(
            alt.Y("bottom:Q", scale=scale, axis=None), alt.Text("amount:N"), x=alt.XValue("width")
        ),
        boxes.mark_rect(fill=themed(CARD), stroke=themed(RULE), strokeWidth=1, cornerRadius=6, cursor="pointer")
        .encode(top, bottom, tooltip=tips("name:N part", "note:N returns", "amount:N"), **sides)
        .add_params(alt.selection_point(name="cell", fields=["i", "j"], empty=False)),
        boxes.mark_rect(fill=themed(ATTENTION), fillOpacity=0.22, cornerRadius=6, **quiet).encode(
            top, bottom, x=sides["x"], x2=alt.X2Value(alt.ExprRef(f"{INSET}+datum.share*({right}-{INSET})"))
        ),
        centred.mark_text(align="left", dx=12, fontSize=14, fontWeight=600, color=themed(INK), **text).encode(
            middle, alt.Text("name:N"), x=alt.XValue(INSET)
        ),
        centred.mark_text(align="left", fontSize=12, color=themed(SOFT), **text).encode(
            middle, alt.Text("note:N"), x=alt.XValue(alt.ExprRef(f"max({INSET}+(width-{PAST + INSET})*0.36,{NAMED})"))
        ),
        centred.mark_text(align="right", dx=-12, fontSize=13, color=themed(INK), **text).encode(
            middle, alt.Text("amount:N"), x=alt.XValue(alt.ExprRef(right))
        ),
        arrows.mark_text(text="↓", fontSize=13, color=themed(SOFT), baseline="middle", **quiet).encode(
            middle, x=alt.XValue(alt.ExprRef(f"({right}+{INSET})/2"))
        ),
        line.encode(top, bottom, x=alt.XValue(alt.ExprRef(outer))),
        line.encode(top, x=alt.XValue(alt.ExprRef(f"({right}+{INSET})/2+10")), x2=alt.X2Value(alt.ExprRef(outer))),
        line.encode(
            alt.Y("bottom:Q", scale=scale, axis=None),
            x=alt.XValue(alt.ExprRef(right)),
            x2=alt.X2Value(alt.ExprRef(outer)),
        ),
        paths.mark_text(
            text="◂", fontSize=13, color=themed(ATTENTION), baseline="middle", align="left", dx=0, **quiet
        ).encode(alt.Y("bottom:Q", scale=scale, axis=None), x=alt.XValue(alt.ExprRef(right))),
        *(
            boxes.transform_filter("datum.mark>=4")
            .mark_rect(fill=None, stroke=themed(pair), strokeWidth=width, cornerRadius=6, **quiet)
            .encode(top, bottom, **sides)
            for pair, width in ((PAPER, 5), (INK, 2.5))
        ),
    ]
    return finish(*layers, height=height)
