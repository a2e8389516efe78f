"""The chosen cell of a map."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pages.page.fields.controls import Controls


@dataclass(eq=False)
class ChosenCell:
    """The chosen cell of a map: two words in the link, the names of a row and of a column, with a field for each."""

    controls: Controls
    rows: Sequence[str]
    columns: Sequence[str]
    usual: tuple[int, int] = (2, 1)
    words: tuple[str, str] = ("q", "k")
    labels: tuple[str, str] = ("Query · row", "Key · column")

    @property
    def row(self) -> int:
        """The chosen row, before its field is drawn."""
        return self.chosen[0]

    @property
    def chosen(self) -> tuple[int, int]:
        """The chosen row and column, before their fields are drawn."""
        (down, across), (row, column) = self.words, self.usual
        return self.controls.picked(down, self.rows, row), self.controls.picked(across, self.columns, column)

    def fields(self) -> tuple[int, int]:
        """Draw both fields, and return the chosen row and column."""
        (down, across), (row, column), (above, beside) = self.words, self.usual, self.labels
        row = self.controls.pick(down, above, self.rows, row)
        return row, self.controls.pick(across, beside, self.columns, column)

    def choose(self, row: int, column: int, **more: Any) -> None:
        """Choose a cell, as a click does, and perhaps set more controls."""
        down, across = self.words
        self.controls.put(**{down: self.rows[row], across: self.columns[column]}, **more)
