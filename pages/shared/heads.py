"""Heads side by side: what each does in numbers, how one of its weights came about, and buttons to choose one."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from attention_core.attention import AttentionCache
from attention_core.derivation import explain_weight
from attention_core.measures import HeadMeasures
from pages.shared import cards
from pages.shared.frame import Page
from pages.shared.markup import number

MEASURES = {
    "entropy": "entropy",
    "previous_word": "word before",
    "first_word": "first word",
    "self": "itself",
    "same_word": "same word",
}


def put_button(
    page: Page,
    label: str,
    values: dict[str, object],
    key: str,
    icon: str | None = None,
    kind: str = "tertiary",
    disabled: bool = False,
) -> None:
    """Draw a button that sets controls."""
    st.button(
        label,
        key=f"{page.name}_put_{key}",
        icon=icon,
        type=kind,
        disabled=disabled,
        on_click=page.controls.put,
        kwargs=values,
    )


def meters(measures: HeadMeasures, head: int, unit: str = "word") -> str:
    """Return the measures of one head as small bars; where it has the most of all heads, its number is bold."""
    lines = []
    for field, name in MEASURES.items():
        values = getattr(measures, field)
        value = number(values[head])
        text = f"<b>{value}</b>" if values[head] == values.max() > 0 and len(values) > 1 else value
        bar = f'<span><i style="display:block;width:{100 * values[head]:.1f}%"></i></span>'
        lines.append(f'<span>{name.replace("word", unit)}</span>{bar}<span class="n">{text}</span>')
    return f'<div class="meters">{"".join(lines)}</div>'


def weight_card(attention: AttentionCache, rows: Sequence[str], columns: Sequence[str], row: int, column: int) -> str:
    """Return how a weight of one head came about."""
    steps = explain_weight(attention, row, column)
    asks, answers = f'<b class="query">{escape(rows[row])}</b>', f'<b class="key">{escape(columns[column])}</b>'
    title = f"How {asks} → {answers} became {number(steps.weight)}"
    lines = cards.weight_lines(steps, attention.q.shape[-1])
    return cards.card(title, cards.ledger(steps, "q", "k", roles=("query", "key")), cards.chain(*lines))
