"""Heads side by side, each with a button that enlarges it; one head large; and the heads that a link switches off."""

from collections.abc import Iterable, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from pages.charts.chart import Chart
from pages.charts.heatmap import ATTENTION_AXES, CLICK, ROW_SUMS, head_map, heatmap, outline, steps_to
from pages.charts.matrix_image import matrix_picture
from pages.look import cards
from pages.look.cards import weight_card
from pages.look.facts import largest
from pages.look.sentences import brightest_cell
from pages.page.buttons import put_button
from pages.page.fields.chosen_cell import ChosenCell
from pages.page.page import Page

ALL = "all"  # the word in the link where no head is enlarged


def head_buttons(page: Page, names: dict[str, str], chosen: str, with_all: bool = False) -> None:
    """Draw the heads in a row, and perhaps what goes back to all; a click brings one of them into view."""
    labels = ({ALL: "All heads"} if with_all else {}) | {word: name.capitalize() for word, name in names.items()}
    key, fixed = f"_{page.name}_in_view", "head" in page.controls.locked

    def follow() -> None:
        page.controls.put(head=st.session_state[key])

    st.session_state[key] = chosen
    look: dict[str, Any] = {"format_func": labels.__getitem__, "required": True, "label_visibility": "collapsed"}
    st.segmented_control("Head", list(labels), key=key, on_change=follow, disabled=fixed, **look)


def heads_side_by_side(
    page: Page, names: dict[str, str], charts: Iterable[Chart], below: Sequence[Markup] = ()
) -> None:
    """Draw a small chart of each head, with a button above that enlarges it and perhaps its measures below."""
    grid = st.grid(4, min_column_width=150, gap="medium")
    for place, ((word, name), chart) in enumerate(zip(names.items(), charts, strict=True)):
        with grid.cell():
            fixed = "head" in page.controls.locked
            put_button(page, name.capitalize(), {"head": word}, f"head_{word}", ":material/zoom_in:", disabled=fixed)
            page.show(chart, quiet=True)
            if below:
                page.write(below[place])


def small_map(weights: Array, labels: list[str], name: str, image: bool) -> Chart:
    """Return what a head (T, T) attends to: marks or, where many are slow, an image."""
    sentence = f"{name.capitalize()}: {brightest_cell(weights, labels)}"
    if not image:
        return head_map(weights, labels, name=name, sentence=sentence)
    return matrix_picture(weights, ATTENTION_AXES, limit=None, name=name, sentence=sentence, height=230)


def enlarged_head(
    page: Page,
    attention: AttentionCache,
    rows: list[str],
    columns: list[str],
    note: str,
    *,
    name: str = "",
    usual: tuple[int, int] | None = None,
    first: int = 0,
    below: str = "",
) -> tuple[int, int]:
    """Draw one head large from position `first` on, with the derivation of the chosen weight, whose place it returns.

    The sentence under it is about the chosen row; `below` stands below the fields for the cell. Unless another is
    `usual`, the cell is the largest of the last row.
    """
    weights, asks, answers = attention.weights[first:, first:], rows[first:], columns[first:]
    usual = usual or (len(asks) - 1, largest(weights[-1]).first)
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        words, card = st.container(), st.container(border=True)
        cell = ChosenCell(page.controls, asks, answers, usual)
        with st.container(horizontal=True):
            row, column = cell.fields()
        what = f"weight of {asks[row]} on {answers[column]}"
        page.prints(what, attention.weights, first + row, first + column)
        if below:
            page.write(below)
    with words:
        if rows == columns:
            page.write(cards.chips(asks, row, column))
        else:
            page.write(cards.chips(asks, asks=row))
            page.write(cards.chips(answers, answers=column))
    with card:
        page.write(weight_card(attention, rows, columns, first + row, first + column))
    with left:
        layers = outline(row, column), CLICK, first == 0 and ROW_SUMS, steps_to(attention, first)
        said = f"{name}: " * bool(name) + brightest_cell(weights, asks, row, answers)
        chart = heatmap(weights, asks, answers, ATTENTION_AXES, *layers, name="one head", sentence=said)
        page.show(chart, cell.choose, note=note)
    return row, column


def heads_off(page: Page, name: str, n_heads: int, most: int) -> list[int]:
    """Return the heads that a step switches off by its control. A link may name heads up to the number `most`."""
    numbers = {str(number) for number in range(1, most + 1)}
    raw = page.controls.bare_text(
        name, "Heads switched off", "", lambda raw: set(filter(None, raw.split("."))) <= numbers
    )
    return sorted({int(part) - 1 for part in raw.split(".") if part and int(part) <= n_heads})


def word_for_heads(heads: Iterable[int]) -> str:
    return ".".join(str(head + 1) for head in sorted(heads))
