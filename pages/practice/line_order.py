"""Lines of a program that are put in order: dragged, moved by the arrow keys, or by the buttons of each line.

The browser moves them; Python hears of the new order.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

HTML = '<ol></ol><div class="hint"></div><div class="said" role="status"></div>'
CSS, JS = (Path(__file__).with_suffix(ending).read_text(encoding="utf-8") for ending in (".css", ".js"))
ORDER = st.components.v2.component("attention_line_order", html=HTML, css=CSS, js=JS)
HINT = "Drag a line, or choose it and press ↑ or ↓."


def line_order(lines: Sequence[str], order: Sequence[int], key: str, moved: Callable[[list[int]], None]) -> None:
    """Draw lines in an order; `moved` gets each new one."""

    def hear() -> None:
        given = (st.session_state.get(key) or {}).get("order")
        if isinstance(given, list) and all(type(i) is int for i in given) and sorted(given) == list(range(len(lines))):
            moved(given)

    ORDER(key=key, data={"lines": list(lines), "order": list(order), "hint": HINT}, on_order_change=hear)
