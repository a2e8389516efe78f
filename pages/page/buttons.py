"""Buttons that set controls."""

from collections.abc import Mapping

import streamlit as st

from pages.page.page import Page


def put_button(
    page: Page,
    label: str,
    values: Mapping[str, object],
    key: str,
    icon: str | None = None,
    kind: str = "tertiary",
    disabled: bool = False,
) -> None:
    st.button(
        label,
        key=f"{page.name}_put_{key}",
        icon=icon,
        type="secondary" if kind == "secondary" else "tertiary",
        disabled=disabled,
        on_click=page.controls.put,
        kwargs=dict(values),
    )
