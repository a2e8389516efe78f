"""Training examples: a row for each, with the last context token and the target, its loss as a bar, and p."""

from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array
from pages.charts.bars import length
from pages.charts.chart import Chart, either, finish, themed, tips, words
from pages.look.colours import ATTENTION, INK, PAPER, RULE, SOFT

ENDS = 104  # pixels: the number at the end of a bar, and the probability at the right margin
ROW = 26  # pixels
NAMES = 144  # pixels at the left, for what a row is
DOWN = alt.Y("row:O", axis=None, scale=alt.Scale(padding=0))


def example_bars(
    contexts: list[str],
    targets: list[str],
    probabilities: Array,
    losses: Array,
    counted: NDArray[np.bool_],
    *,
    chosen: int,
    limit: float,
    line: float,
    name: str,
    sentence: str,
) -> Chart:
    """Return examples as rows that can be clicked: loss as a bar up to a limit, grey where training excludes it.

    `contexts` say what came last in each; a dashed line marks one loss, and the chosen row is outlined.
    """
    rows = np.arange(len(targets))
    data = {
        "row": rows,
        "label": words([f"{context} → {target}" for context, target in zip(contexts, targets, strict=True)]),
        "probability": probabilities,
        "loss": losses,
        "counted": counted,
        "mark": np.where(rows == chosen, 4, 0),
        "i": rows.astype(np.int16),
        "j": np.zeros(len(rows), np.int16),
    }
    return Chart(example_specification(len(rows), limit, line), data, sentence, name)


@lru_cache(maxsize=64)
def example_specification(n_rows: int, limit: float, line: float) -> dict[str, Any]:
    along = length("loss:Q", (0, limit), (0, f"width-{ENDS}"), "loss")
    told = tips("label:N example", "probability:Q", "loss:Q")
    fill = alt.ExprRef(f"datum.counted?{either(ATTENTION)}:{either(RULE)}")
    ink = alt.ExprRef(f"datum.counted?{either(INK)}:{either(SOFT)}")
    bold = alt.ExprRef("datum.mark>=4?700:400")
    across: dict[str, Any] = {"x": alt.XValue(-NAMES), "x2": alt.X2Value("width")}
    base = alt.Chart()
    chosen = base.transform_filter("datum.mark>=4")
    layers = [
        base.mark_rect(color=themed(PAPER), opacity=0, cursor="pointer")
        .encode(DOWN, tooltip=told, **across)
        .add_params(alt.selection_point(name="cell", fields=["i", "j"], empty=False)),
        base.mark_bar(cornerRadiusEnd=2, color=fill, cursor="pointer", height=alt.RelativeBandSize(0.58)).encode(
            DOWN, along, tooltip=told
        ),
        base.mark_rule(color=themed(SOFT), strokeDash=[4, 4], aria=False, tooltip=None).encode(x=alt.XDatum(line)),
        *(  # on a ground of paper, for the dashed line may pass behind it
            base.mark_text(align="left", dx=6, fontSize=13, fontWeight=bold, cursor="pointer", **look).encode(
                DOWN, along, alt.Text("loss:Q", format=".2f"), tooltip=told
            )
            for look in ({"color": themed(PAPER), "stroke": themed(PAPER), "strokeWidth": 5}, {"color": ink})
        ),
        base.mark_text(align="right", dx=-7, fontSize=12, color=themed(SOFT), cursor="pointer")
        .transform_calculate(p="'p '+format(datum.probability,'.2f')")
        .encode(DOWN, alt.Text("p:N"), x=alt.XValue("width"), tooltip=told),
        base.mark_text(
            align="right", dx=-8, fontSize=13, limit=NAMES - 12, color=ink, fontWeight=bold, cursor="pointer"
        ).encode(DOWN, alt.Text("label:N"), x=alt.XValue(0), tooltip=told),
        chosen.mark_rect(fill=None, stroke=themed(INK), strokeWidth=2, cornerRadius=2, aria=False, tooltip=None).encode(
            DOWN, **across
        ),
    ]
    return finish(*layers, height=ROW * n_rows)
