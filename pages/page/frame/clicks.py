"""Charts on a page, and the cell of one that a student has chosen."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from pages.charts.chart import Chart
from pages.page.fields.controls import Controls


class ChosenCell:
    """The chosen cell of a map: two words in the link, the names of a row and of a column, with a field for each."""

    def __init__(
        self,
        controls: Controls,
        rows: Sequence[str],
        columns: Sequence[str],
        usual: tuple[int, int] = (2, 1),
        words: tuple[str, str] = ("q", "k"),
        labels: tuple[str, str] = ("Query · row", "Key · column"),
    ) -> None:
        self.controls, self.rows, self.columns = controls, rows, columns
        self.usual, self.words, self.labels = usual, words, labels

    @property
    def row(self) -> int:
        """The chosen row, before its field is drawn."""
        return self.controls.picked(self.words[0], self.rows, self.usual[0])

    def fields(self) -> tuple[int, int]:
        """Draw both fields, and return the chosen row and column."""
        (down, across), (row, column), (above, beside) = self.words, self.usual, self.labels
        with st.container(horizontal=True, width="content"):
            row = self.controls.pick(down, above, self.rows, row)
            return row, self.controls.pick(across, beside, self.columns, column)

    def choose(self, row: int, column: int, **more: Any) -> None:
        """Choose a cell, as a click does, and perhaps set more controls."""
        down, across = self.words
        self.controls.put(**{down: self.rows[row], across: self.columns[column]}, **more)


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
