"""Cumulative probability: probabilities end to end from 0 to 1, and where a random number falls among them."""

from functools import cache
from typing import Any

import altair as alt
import numpy as np

from attention_core.arrays import Array
from pages.charts.chart import Chart, columns_of, either, finish, of_kind, themed, tips
from pages.look.colours import ATTENTION, INK, PAPER, RULE, SOFT, WEIGHTS

MOST_PIECES = 24  # of the many that may follow, a name would fit into none
LINE = 18  # pixels of a line of text; the number that was asked for has a line of its own, above the other
BOTTOM = "height-4"  # where the pieces end: what is left of the height once the axis has its room


def cumulative_bar(
    labels: list[str],
    probabilities: Array,
    *,
    chosen: int,
    drawn: float | None,
    name: str,
    sentence: str,
    of: str = "token",
    asked: float | None = None,
) -> Chart:
    """Return probabilities that sum to 1 as pieces of one bar, the chosen dark, and a mark where the number fell.

    They are `of` tokens, or weights of keys. A second mark is where the number of a question would fall.
    """
    ends = np.minimum(probabilities.cumsum(), 1.0)
    starts = np.concatenate([[0.0], ends[:-1]])
    alone = [*range(min(MOST_PIECES, len(probabilities))), *([chosen] if chosen >= MOST_PIECES else [])]
    rows, after = [], 0
    for place in [*alone, len(probabilities)]:
        if after < place:  # what lies between is one piece
            rows.append((f"{place - after:,} others", starts[after], ends[place - 1], "others"))
        if place < len(probabilities):
            kind = "chosen" if place == chosen else "odd" if place % 2 else "even"
            rows.append((labels[place], starts[place], ends[place], kind))
        after = place + 1
    if drawn is not None:
        rows.append((f"{drawn:.2f}", drawn, drawn, "number"))
    if asked is not None:
        rows.append((f"asked: {asked:.2f}", asked, asked, "asked"))
    columns = columns_of(rows, ["label", "start", "end", "kind"])
    columns["probability"] = columns["end"] - columns["start"]
    n_marks = sum(mark is not None for mark in (drawn, asked))
    return Chart(cumulative_specification(of, max(1, n_marks)), columns, sentence, name)


@cache
def cumulative_specification(of: str, n_lines: int = 1) -> dict[str, Any]:
    top = 6 + LINE * n_lines  # where the pieces begin
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(title=None, values=[0, 0.25, 0.5, 0.75, 1], format=".2~f", orient="bottom", labelFlush=True)
    along = alt.X("start:Q", scale=scale, axis=axis)
    share = "probability" if of == "token" else "weight"
    told = tips(f"label:N {of}", f"probability:Q {share}", "start:Q from", "end:Q to")
    pieces = alt.Chart().transform_filter("datum.kind!='number'&&datum.kind!='asked'")
    number, asked = of_kind("number"), of_kind("asked")
    fill = (
        f"datum.kind=='chosen'?{either(ATTENTION)}:datum.kind=='others'?{either(RULE)}"
        f":datum.kind=='odd'?{either(WEIGHTS[1])}:{either(WEIGHTS[2])}"
    )
    ink = f"datum.kind=='chosen'?{either(PAPER)}:{either(INK)}"
    fits = "scale('x',datum.end)-scale('x',datum.start)>7.5*length(datum.label)+6"
    middle = "(scale('x',datum.start)+scale('x',datum.end))/2"
    side = "datum.start<0.05?'left':datum.start>0.95?'right':'center'"
    name = f"({fits})?datum.label:''"  # a name without room is not drawn: unseen, it would still make the line shorter
    level: dict[str, Any] = {"y": alt.YValue(top), "y2": alt.Y2Value(alt.ExprRef(BOTTOM))}
    layers = [
        pieces.mark_rect(color=alt.ExprRef(fill), stroke=themed(PAPER), strokeWidth=1).encode(
            along, alt.X2("end"), tooltip=told, **level
        ),
        pieces.mark_text(fontSize=13, color=alt.ExprRef(ink), text=alt.ExprRef(name)).encode(
            x=alt.XValue(alt.ExprRef(middle)), y=alt.YValue(alt.ExprRef(f"({top}+{BOTTOM})/2")), tooltip=told
        ),
        *(
            marks.mark_rule(color=themed(pair), strokeWidth=width, aria=False, tooltip=None, strokeDash=dash).encode(
                along, y=alt.YValue(alt.ExprRef(start)), y2=alt.Y2Value(alt.ExprRef(end))
            )
            for start, end in ((f"{top}-6", f"{top}+10"), (f"{BOTTOM}-10", f"{BOTTOM}+4"))  # a name is between them
            for marks, pair, width, dash in (
                (number, PAPER, 6, [1, 0]),
                (number, INK, 2.5, [1, 0]),
                (asked, INK, 1.5, [3, 3]),
            )
        ),
        asked.mark_text(
            align=alt.ExprRef(side), baseline="bottom", fontSize=13, color=themed(SOFT), tooltip=None
        ).encode(along, alt.Text("label:N"), y=alt.YValue(top - 8 - LINE * (n_lines - 1))),
        number.mark_text(
            align=alt.ExprRef(side), baseline="bottom", fontSize=13, fontWeight=700, color=themed(INK), tooltip=None
        ).encode(along, alt.Text("label:N"), y=alt.YValue(top - 8)),
    ]
    return finish(*layers, height=78 + LINE * n_lines)
