"""Small matrices of numbers and their slopes: press a number, and it says what it and its slope are made of.

The browser shows what Python has written for each number: nothing runs on the server.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from attention_core.arrays import Array
from pages.look.html import number, table
from pages.look.modules import assets
from pages.page.page import Page

HTML = '<div class="card" role="status"></div><div class="grids"></div>'
CAUSES = st.components.v2.component("attention_causes", **assets(Path(__file__).with_suffix(".js"), HTML))
Entry = tuple[str, int, int]  # a matrix, row, column


class Grid(NamedTuple):
    name: str
    title: str
    values: Array
    slopes: Array
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()


class Cause(NamedTuple):
    """What is told of a number, and the numbers and slopes of which it and its slope are made."""

    told: Sequence[str]
    values: Sequence[Entry]
    slopes: Sequence[Entry]


def draw_causes(page: Page, grids: Sequence[Grid], causes: Mapping[Entry, Cause], chosen: Entry) -> None:
    """Draw the matrices, each number over its slope, and the card of one number: at first of the chosen one."""
    shown: list[dict[str, Any]] = [
        grid._asdict() | {"values": written(grid.values, 2), "slopes": written(grid.slopes, 3)} for grid in grids
    ]
    found = {word(cell): [*cause[:1], *([*map(word, cells)] for cells in cause[1:])] for cell, cause in causes.items()}
    data = {"grids": shown, "causes": found, "chosen": word(chosen)}
    CAUSES(key=f"{page.name}_causes", data=data)
    for grid, look in zip(grids, shown, strict=True):
        lines = [[" ".join(row), " ".join(under)] for row, under in zip(look["values"], look["slopes"], strict=True)]
        page.shown.append(table([grid.title, "slopes"], lines))


def word(cell: Entry) -> str:
    return " ".join(map(str, cell))


def written(values: Array, digits: int) -> list[list[str]]:
    return [[number(value, digits) for value in row] for row in values.tolist()]
