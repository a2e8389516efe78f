"""Fields that choose a word of a sentence, and a cell of a map of words."""

from collections.abc import Sequence

import streamlit as st

from pages.page.page import Page


def chosen_word(page: Page, name: str, label: str, labels: Sequence[str], usual: int = 2) -> int:
    """Draw a list of words and return the index of the chosen one."""
    return labels.index(page.controls.select(name, label, labels, labels[min(usual, len(labels) - 1)], width=150))


def word_or_number(page: Page, name: str, label: str, labels: Sequence[str], usual: int = 2) -> int:
    """Draw a list of words as `chosen_word` does; a link of an earlier version says the number of a word, from 1."""
    key = page.controls.key(name)
    said = st.query_params.get(key, "")
    if name not in page.controls.known and said not in labels and said.isdecimal():
        word = labels[min(max(int(said[:9]), 1), len(labels)) - 1]
        st.session_state[key] = word
        page.controls.write(key, word)
    return chosen_word(page, name, label, labels, usual)


def chosen_cell(
    page: Page, rows: Sequence[str], columns: Sequence[str], usual: tuple[int, int] = (2, 1)
) -> tuple[int, int]:
    """Draw two lists of words and return the chosen row and column."""
    with st.container(horizontal=True, width="content"):
        row = chosen_word(page, "q", "Query · row", rows, usual[0])
        return row, chosen_word(page, "k", "Key · column", columns, usual[1])
