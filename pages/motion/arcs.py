"""A sentence with arcs from the word under the pointer to the words it attends to.

Pointer, finger, Tab and arrow keys choose the word in the browser: nothing runs on the server. Where a page wants to
know, a click or Enter tells it the word.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from pages.look.facts import as_shown
from pages.look.glossary import meaning
from pages.look.modules import assets
from pages.look.sentences import brightest_cell
from pages.page.page import Page

HTML = '<div class="arcs"></div><div class="told" role="status"></div>'
ARCS = st.components.v2.component("attention_arcs", **assets(Path(__file__).with_suffix(".js"), HTML))


def draw_arcs(
    page: Page,
    labels: Sequence[str],
    words: Sequence[str],
    weights: Array,
    asks: int,
    name: str,
    picked: Callable[[int], None] | None = None,
) -> None:
    """Draw a sentence and the weights (T, T) of its words, at first of `asks`; a click or Enter calls `picked`."""
    sentences = [brightest_cell(weights, list(labels), row) for row in range(len(words))]
    data = {
        "words": list(words),
        "weights": as_shown(weights).tolist(),  # as the sentences say them
        "sentences": sentences,
        "asks": asks,
        "tells": picked is not None,
        "meanings": [meaning("word that asks"), meaning("weight of a word")],
        "label": "Choose a word to see which words it attends to",
    }
    key = f"{page.name}_{name}_arcs"

    def pick() -> None:
        place = st.session_state[key].get("picked")
        if picked and isinstance(place, int) and 0 <= place < len(words):
            picked(int(place))

    ARCS(key=key, data=data, on_picked_change=pick)
    page.shown.append(Markup('<div class="course note">{}</div>').format(sentences[asks]))
