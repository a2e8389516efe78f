"""The furniture of every page: its head, its menu, its number fields and its small print."""

from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared.colours import SOFT

MARK = str(Path(__file__).with_name("mark.svg"))


def begin(title: str) -> None:
    """Set up the page and draw the menu."""
    st.set_page_config(page_title=title, page_icon=MARK, layout="wide", initial_sidebar_state=320)
    st.logo(MARK, size="large")
    with st.sidebar:
        st.page_link("streamlit_app.py", label="**Attention, from scratch**", icon=":material/home:")


def whole_number(label: str, low: int, high: int, default: int, *, key: str, **options: Any) -> int:
    """Return what stands in a field for whole numbers; its value is in the link.

    The field is one for floats: an endless number in a link ("1e309") makes one for ints fail instead of falling back.
    """
    bounds = (float(low), float(high), float(default), 1.0)
    return int(st.number_input(label, *bounds, format="%.0f", key=key, bind="query-params", **options))


def small_print(text: str) -> None:
    """Write a quiet line; whatever a student typed into it stays text."""
    colour = f"color:{SOFT.light};color:light-dark({SOFT.light},{SOFT.dark})"
    st.html(f'<p style="{colour};font-size:0.875rem;line-height:1.45;margin:0">{escape(text)}</p>')
