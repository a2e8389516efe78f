"""Charts on a page, and clicks on their cells."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.charts.chart import Chart


def draw(page: str, chart: Chart, picked: Callable[[int, int], None] | None = None) -> None:
    """Draw a chart. A click on a cell calls `picked` with row and column."""
    key = f"{page}_{chart.name.replace(' ', '_')}_chart"

    def pick() -> None:
        if picked and (cell := cell_of(st.session_state[key]["selection"].get("cell"), chart)):
            picked(*cell)

    on_select: Any = pick if picked else "ignore"
    st.vega_lite_chart(chart.sent(), chart.specification, key=key, on_select=on_select, alt=chart.sentence)


def cell_of(event: Any, chart: Chart) -> tuple[int, int] | None:
    """Return the last cell that a message of the browser names; None if the chart has no such cell."""
    last = event[-1] if isinstance(event, list) and event else None
    place = (last.get("i"), last.get("j")) if isinstance(last, dict) else None
    cells = zip(chart.columns["i"].tolist(), chart.columns["j"].tolist(), strict=True)
    return next((cell for cell in cells if cell == place), None)
