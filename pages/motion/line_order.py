"""Lines of a program or words of a sentence that are put in order: dragged, or moved by the arrow keys."""

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from pages.look.modules import assets

HTML = '<ol></ol><div class="hint"></div><div class="said" role="status"></div>'
ORDER = st.components.v2.component("attention_line_order", **assets(Path(__file__).with_suffix(".js"), HTML))
HINT = "Drag a line, or choose it and press ↑ or ↓."
MOVES = "Drag a word to another position, or choose it and press ← or →."

Moved = Callable[[list[int]], None]


def line_order(lines: Sequence[str], order: Sequence[int], key: str, moved: Moved) -> None:
    """Draw lines in an order, each with buttons that move it; `moved` gets each new order."""
    draw_order(lines, order, key, moved, hint=HINT)


def word_order(
    words: Sequence[str], order: Sequence[int], key: str, moved: Moved, lit: Sequence[int] = (), fixed: bool = False
) -> None:
    """Draw words in an order, in a row, some of them lit; `moved` gets each new order."""
    draw_order(words, order, key, moved, hint=MOVES, row=True, lit=list(lit), fixed=fixed)


def draw_order(lines: Sequence[str], order: Sequence[int], key: str, moved: Moved, **look: object) -> None:
    """Draw what is to be put in order; `moved` gets each order that holds all of it once."""

    def hear() -> None:
        given = (st.session_state.get(key) or {}).get("order")
        if isinstance(given, list) and all(type(i) is int for i in given) and sorted(given) == list(range(len(lines))):
            moved(given)

    ORDER(key=key, data={"lines": list(lines), "order": list(order), **look}, on_order_change=hear)
