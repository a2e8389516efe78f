"""Buttons that set controls."""

import streamlit as st

from pages.page.page import Page


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
