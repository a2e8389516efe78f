"""Buttons that set controls, and links to a step of another lesson."""

from collections.abc import Mapping
from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages.links.course import LESSONS
from pages.page.carried import queries
from pages.page.page import Page


def put_button(
    page: Page,
    label: str,
    values: Mapping[str, object],
    key: str,
    icon: str | None = None,
    chosen: bool = False,
    disabled: bool = False,
) -> None:
    """Draw a button; the label of a chosen one is bold, by which the style sheet knows it."""
    label, acts = f"**{label}**" if chosen else label, page.controls.put
    st.button(label, f"{page.name}_put_{key}", None, acts, kwargs=dict(values), icon=icon, disabled=disabled)


def step_link(page: Page, name: str, step: str, label: str) -> None:
    """Draw a link to a step of another lesson, which keeps what was set there."""
    for lesson in LESSONS:
        query = queries(page.controls)[lesson.name]
        fixed = [word for mark in ("lock", "hide") for word in query.get(f"{name}_{mark}", "").split(".")]
        if lesson.name == name and "step" not in fixed:
            words = query | {f"{name}_step": step}
            with suppress(StreamlitAPIException):  # a page that is run alone has no other pages to link to
                st.page_link(lesson.file, label=label, icon=lesson.icon, query_params=words)
