"""A row of labels of which a click does something: one element of the page, where a button for each would be many."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

What = TypeVar("What")


def pills(
    title: str,
    row: Mapping[str, What],
    do: Callable[[What | None], None],
    key: str,
    chosen: str | None = None,
    disabled: bool = False,
) -> None:
    """Draw labels; a click calls `do` with what stands behind its label, or with None if it was the chosen one."""

    def follow() -> None:
        do(row.get(st.session_state[key]))

    st.session_state[key] = chosen
    st.pills(title, list(row), key=key, on_change=follow, disabled=disabled)
